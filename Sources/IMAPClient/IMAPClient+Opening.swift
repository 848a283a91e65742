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
        let response = try plainResponse(configuration)
        let connection: Connection
        do {
            connection = try await Connection.open(
                configuration.endpoint, security: configuration.security, timeouts: configuration.timeouts,
                logger: logger)
        } catch {
            throw .transport(error)
        }
        let client = IMAPClient(connection: connection, protection: protection, logger: logger)
        try await client.open(configuration, response: response)
        return client
    }

    private static func plainResponse(
        _ configuration: IMAPConfiguration
    ) throws(IMAPClientError) -> Secret {
        do {
            let bytes = try SASLMechanism.plain(user: configuration.user, password: configuration.password)
            return Secret(SASLMechanism.base64(bytes))
        } catch {
            throw .badCredentials(error)
        }
    }

    private func open(_ configuration: IMAPConfiguration, response: Secret) async throws(IMAPClientError) {
        try await takeTurn()
        defer { endTurn() }
        var action = try await receiveGreeting()
        while action != .finish {
            action = try await perform(action, configuration, response)
        }
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
        _ action: ConnectionStateMachine.Action, _ configuration: IMAPConfiguration, _ response: Secret
    ) async throws(IMAPClientError) -> ConnectionStateMachine.Action {
        switch action {
        case .sendStartTLS: return try await tell(.startTLS)
        case .startTLS: return try await startTLS(configuration.security)
        case .sendCapability: return try await tell(.capability)
        case .sendAuthenticatePlain(let atOnce):
            return try await tell(.authenticatePlain(response: response, atOnce: atOnce))
        case .sendLogin:
            return try await tell(.login(user: configuration.user, password: configuration.password))
        case .sendID: return try await tell(.id(Self.identity))
        case .finish: return .finish
        }
    }

    private static let identity = [
        IDField(name: "name", value: "opus"), IDField(name: "version", value: "0.1"),
        IDField(name: "vendor", value: "Magnum Opus"),
    ]

    private func tell(_ command: Command) async throws(IMAPClientError) -> ConnectionStateMachine.Action {
        let status: StatusResponse
        do {
            status = try await exchange(command).status
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
