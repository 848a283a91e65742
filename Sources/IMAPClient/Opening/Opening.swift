import IMAPProtocol
public import Logging
import SASL
import Transport

extension IMAPConnection {
    /// Connects and logs in: greeting, STARTTLS if configured, CAPABILITY, login, CAPABILITY again, ID.
    ///
    /// `opened` is called after the greeting, before the login.
    public static func connect(
        _ configuration: IMAPConfiguration, logger: Logger, opened: @Sendable () -> Void = {}
    ) async throws(IMAPClientError) -> IMAPConnection {
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
                among: configuration.connections, logger: logger)
        } catch {
            throw .transport(error)
        }
        opened()
        let client = IMAPConnection(
            connection: connection, protection: protection, wantsUTF8: configuration.acceptsUTF8,
            permissions: configuration.permissions, logger: logger)
        try await client.open(configuration)
        return client
    }

    private func open(_ configuration: IMAPConfiguration) async throws(IMAPClientError) {
        try await takeTurn(.none)
        defer { endTurn() }
        try await Opening(configuration: configuration).run(on: self)
    }
}

/// Performs the steps from greeting to login; ``ConnectionStateMachine`` decides them.
private struct Opening {
    typealias Action = ConnectionStateMachine.Action

    let configuration: IMAPConfiguration

    func run(on client: isolated IMAPConnection) async throws(IMAPClientError) {
        client.trace?.hide(configuration.credentials.secret)
        var action = try await receiveGreeting(on: client)
        while action != .finish {
            action = try await perform(action, on: client)
        }
        try await compress(on: client)
        client.logger.debug("logged in", metadata: ["server": "\(client.connection.endpoint)"])
    }

    private func receiveGreeting(on client: isolated IMAPConnection) async throws(IMAPClientError) -> Action {
        guard case .untagged(.status(let greeting)) = try await client.nextResponse() else {
            throw await client.fail(.protocol("something that is not an IMAP greeting"))
        }
        return try await step(on: client) { machine throws(ConnectionStateError) in
            try machine.receiveGreeting(greeting)
        }
    }

    /// Performs one action of the opening.
    private func perform(
        _ action: Action, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> Action {
        switch action {
        case .sendStartTLS: return try await send(.startTLS, on: client)
        case .startTLS: return try await startTLS(on: client)
        case .sendCapability:
            // The server offered ID before the login, so both answers come in one round trip.
            let isAgain = client.machine.state == .refreshing && client.capabilities.contains(.id)
            return isAgain ? try await askAgain(on: client) : try await send(.capability, on: client)
        case .logIn:
            let end = try await Login(configuration: configuration).run(on: client)
            let known = capabilitiesAtLogin(end, by: client.profile)
            client.owesIntroduction = known != nil
            return try await step(on: client) { machine throws(ConnectionStateError) in
                try machine.receiveLogin(capabilities: known)
            }
        case .sendID: return try await send(.id(IMAPConnection.ownIdentity), on: client)
        case .finish: return .finish
        }
    }

    /// Starts compression if it is wanted and offered. If the server refuses, the session continues without it.
    private func compress(on client: isolated IMAPConnection) async throws(IMAPClientError) {
        let isWanted = configuration.compression.isWanted(
            isLoopback: configuration.endpoint.isLoopback, roundTrip: client.roundTrip)
        guard isWanted, client.capabilities.contains(.compressDeflate) else { return }
        guard try await client.exchange(.compressDeflate).status.isOK else { return }
        // It is unclear whether octets that have already arrived are compressed.
        guard client.decoder.isEmpty else {
            throw await client.fail(.protocol("bytes behind the agreement to compress"))
        }
        do {
            try await client.connection.compress()
        } catch {
            throw await client.fail(.transport(error))
        }
    }

    /// The capabilities in the server's OK, if the server is known to list all of them there. This saves a round trip;
    /// automatic compression needs it to measure whether compression helps.
    private func capabilitiesAtLogin(_ end: StatusResponse?, by profile: ServerProfile) -> Set<Capability>? {
        guard profile.listsCapabilitiesAtLogin, configuration.compression != .automatic,
            case .capability(let offered) = end?.code
        else { return nil }
        return offered
    }

    /// CAPABILITY after the login, followed by ID.
    private func askAgain(on client: isolated IMAPConnection) async throws(IMAPClientError) -> Action {
        var action = Action.finish
        for status in try await statuses(of: [.capability, .id(IMAPConnection.ownIdentity)], on: client)
        where action != .finish || client.machine.state == .refreshing {
            action = try await step(on: client) { machine throws(ConnectionStateError) in
                try machine.receiveTagged(status)
            }
        }
        return action
    }

    private func send(_ command: Command, on client: isolated IMAPConnection) async throws(IMAPClientError)
        -> Action
    {
        var action = Action.finish
        for status in try await statuses(of: [command], on: client) {
            action = try await step(on: client) { machine throws(ConnectionStateError) in
                try machine.receiveTagged(status)
            }
        }
        return action
    }

    /// The tagged responses of commands. Records how quickly the server answered.
    private func statuses(
        of commands: [Command], on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> [StatusResponse] {
        let start = ContinuousClock.now
        let statuses: [StatusResponse]
        do {
            statuses = try await client.exchange(commands).statuses
        } catch {
            throw await client.fail(error)
        }
        let time = ContinuousClock.now - start
        client.roundTrip = min(client.roundTrip ?? time, time)
        return statuses
    }

    /// Anyone could have sent data after the server's OK and before TLS, so it ends the session. CVE-2020-14954.
    private func startTLS(on client: isolated IMAPConnection) async throws(IMAPClientError) -> Action {
        guard client.decoder.isEmpty, case .startTLS(let policy) = configuration.security else {
            let error = TransportError(.plaintextAfterStartTLS, endpoint: client.connection.endpoint)
            throw await client.fail(.transport(error))
        }
        do {
            try await client.connection.startTLS(policy)
        } catch {
            throw await client.fail(.transport(error))
        }
        client.restartDecoder()
        return try await step(on: client) { machine throws(ConnectionStateError) in
            try machine.receiveHandshake()
        }
    }

    /// Gives an event to the state machine. If the machine throws, the client ends.
    private func step(
        on client: isolated IMAPConnection,
        _ event: (inout ConnectionStateMachine) throws(ConnectionStateError) -> Action
    ) async throws(IMAPClientError) -> Action {
        do {
            return try event(&client.machine)
        } catch {
            throw await client.fail(IMAPClientError(error))
        }
    }
}
