import IMAPProtocol
public import Logging
import SASL
import Transport

/// From the connection to the login: the recipe is ``ConnectionStateMachine``'s, the effects are here.
extension IMAPClient {
    /// Connects and logs in: greeting, STARTTLS where asked for, CAPABILITY, login, CAPABILITY again, ID.
    public static func connect(
        _ configuration: IMAPConfiguration, logger: Logger
    ) async throws(IMAPClientError) -> IMAPClient {
        let protection: ConnectionStateMachine.Protection
        switch configuration.security {
        case .tls: protection = .tls
        case .startTLS: protection = .startTLS
        case .plaintext:
            guard configuration.endpoint.isLoopback else {
                throw .plaintextRefused(host: configuration.endpoint.host)
            }
            protection = .loopback
        }
        do {
            try configuration.credentials.check()
        } catch {
            throw .badCredentials(error)
        }
        let connection: Connection
        do {
            connection = try await Connection.open(
                configuration.endpoint, security: configuration.security, timeouts: configuration.timeouts,
                logger: logger)
        } catch {
            throw .transport(error)
        }
        let client = IMAPClient(
            connection: connection, protection: protection, wantsUTF8: configuration.acceptsUTF8,
            logger: logger)
        try await client.open(configuration)
        return client
    }

    private func open(_ configuration: IMAPConfiguration) async throws(IMAPClientError) {
        try await takeTurn()
        defer { endTurn() }
        trace?.hide(configuration.credentials.secret)
        var action = try await receiveGreeting()
        while action != .finish {
            action = try await perform(action, configuration)
        }
        try await compress(configuration)
        logger.debug("logged in", metadata: ["server": "\(connection.endpoint)"])
    }

    private func receiveGreeting() async throws(IMAPClientError) -> ConnectionStateMachine.Action {
        guard case .status(let greeting) = try await nextResponse() else {
            throw await fail(.protocol("something that is no IMAP greeting"))
        }
        return try await step { machine throws(ConnectionStateError) in
            try machine.receiveGreeting(greeting)
        }
    }

    /// The one place where an action of the opening becomes an effect.
    private func perform(
        _ action: ConnectionStateMachine.Action, _ configuration: IMAPConfiguration
    ) async throws(IMAPClientError) -> ConnectionStateMachine.Action {
        switch action {
        case .sendStartTLS: return try await tell(.startTLS)
        case .startTLS: return try await startTLS(configuration.security)
        case .sendCapability:
            // Known before the login: then both answers come in one turn.
            let isAgain = machine.state == .refreshing && capabilities.contains(.id)
            return isAgain ? try await askAgain() : try await tell(.capability)
        case .logIn:
            let told = toldAtLogin(try await logIn(configuration), configuration)
            owesIntroduction = told != nil
            return try await step { machine throws(ConnectionStateError) in
                try machine.receiveLogin(told: told)
            }
        case .sendID: return try await tell(.id(Self.identity))
        case .finish: return .finish
        }
    }

    /// Compression where it is wanted and offered. A server that refuses goes on without it.
    private func compress(_ configuration: IMAPConfiguration) async throws(IMAPClientError) {
        let isWanted = configuration.compression.isWanted(
            isLoopback: configuration.endpoint.isLoopback, roundTrip: roundTrip)
        guard isWanted, capabilities.contains(.compressDeflate) else { return }
        guard try await exchange(.compressDeflate).status.isOK else { return }
        // What stands here already is compressed, or it is not: nobody can tell.
        guard decoder.isEmpty else { throw await fail(.protocol("bytes behind the agreement to compress")) }
        do {
            try await connection.compress()
        } catch {
            throw await fail(.transport(error))
        }
    }

    /// Remembers how quickly the server can answer.
    private func timed<Value>(
        _ turn: () async throws(IMAPClientError) -> Value
    ) async throws(IMAPClientError) -> Value {
        let start = ContinuousClock.now
        let value = try await turn()
        let time = ContinuousClock.now - start
        roundTrip = min(roundTrip ?? time, time)
        return value
    }

    private static let identity = [
        IDField(name: "name", value: "opus"), IDField(name: "version", value: "0.1"),
        IDField(name: "vendor", value: "Magnum Opus"),
    ]

    /// What the server's OK said that it can do, where the server is known for telling all of it there: that is a
    /// turn less. Whether compression pays is found out in that turn.
    private func toldAtLogin(_ end: StatusResponse?, _ configuration: IMAPConfiguration) -> Set<Capability>? {
        guard profile.tellsAllAtLogin, configuration.compression != .automatic,
            case .capability(let offered) = end?.code
        else { return nil }
        return offered
    }

    /// CAPABILITY and ID, where they are still to be sent; from now on they are not.
    func takeIntroduction() -> [Command] {
        guard owesIntroduction else { return [] }
        owesIntroduction = false
        return capabilities.contains(.id) ? [.capability, .id(Self.identity)] : [.capability]
    }

    /// CAPABILITY after the login, with ID behind it.
    private func askAgain() async throws(IMAPClientError) -> ConnectionStateMachine.Action {
        let statuses: [StatusResponse]
        do {
            statuses = try await timed { () throws(IMAPClientError) in
                try await exchange([.capability, .id(Self.identity)]).statuses
            }
        } catch {
            throw await fail(error)
        }
        var action = ConnectionStateMachine.Action.finish
        for status in statuses where action != .finish || machine.state == .refreshing {
            action = try await step { machine throws(ConnectionStateError) in
                try machine.receiveTagged(status)
            }
        }
        return action
    }

    private func tell(_ command: Command) async throws(IMAPClientError) -> ConnectionStateMachine.Action {
        let status: StatusResponse
        do {
            status = try await timed { () throws(IMAPClientError) in try await exchange(command).status }
        } catch {
            throw await fail(error)
        }
        return try await step { machine throws(ConnectionStateError) in try machine.receiveTagged(status) }
    }

    /// What came after the server's OK and before TLS is nobody's word: refuse it. CVE-2020-14954.
    private func startTLS(
        _ security: TransportSecurity
    ) async throws(IMAPClientError) -> ConnectionStateMachine.Action {
        guard decoder.isEmpty, case .startTLS(let policy) = security else {
            let error = TransportError(.plaintextAfterStartTLS, endpoint: connection.endpoint)
            throw await fail(.transport(error))
        }
        do {
            try await connection.startTLS(policy)
        } catch {
            throw await fail(.transport(error))
        }
        decoder = ResponseDecoder()
        decoder.keepsFrames = trace != nil
        restartAnswerTime()
        return try await step { machine throws(ConnectionStateError) in try machine.receiveHandshake() }
    }

    /// Lets the machine take an event; its refusal ends the client.
    private func step(
        _ event: (inout ConnectionStateMachine) throws(ConnectionStateError) -> ConnectionStateMachine.Action
    ) async throws(IMAPClientError) -> ConnectionStateMachine.Action {
        do {
            return try event(&machine)
        } catch {
            throw await fail(IMAPClientError(error))
        }
    }
}
