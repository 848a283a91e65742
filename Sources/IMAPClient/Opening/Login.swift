import IMAPProtocol
import Logging
import SASL
import Transport

/// Performs a login: ``LoginStateMachine`` decides what to send.
struct Login {
    /// The most other responses during a login.
    private static let mostResponses = 1_000

    let configuration: IMAPConfiguration

    /// Logs in with the best mechanism that the server offers. A refusal ends the client.
    ///
    /// - Returns: The OK of the login.
    func run(on client: isolated IMAPConnection) async throws(IMAPClientError) -> StatusResponse? {
        var login = try await begin(on: client)
        var action = login.start()
        var tag = CommandTag(rawValue: "")
        var answers = Answers(from: client.decoder.parsedBytes, mostResponses: Self.mostResponses)
        var end: StatusResponse?
        while true {
            let milestone: Milestone
            switch action {
            case .finish:
                return end
            case .login:
                let password = configuration.credentials.secret
                let command = Command.login(user: configuration.credentials.user, password: password)
                milestone = .ended(tag, try await status(of: command, on: client))
            case .authenticate(let mechanism, let response):
                tag = try await authenticate(mechanism, response, on: client)
                milestone = try await client.read(until: [tag], into: &answers)
            case .respond(let response):
                try await client.send(ContinuationLine.response(response).bytes)
                milestone = try await client.read(until: [tag], into: &answers)
            }
            if case .ended(_, let status) = milestone { end = status }
            action = try await report(milestone, to: &login, on: client)
        }
    }

    private func begin(on client: isolated IMAPConnection) async throws(IMAPClientError) -> LoginStateMachine
    {
        do {
            return try LoginStateMachine(
                configuration.credentials, capabilities: client.machine.capabilities,
                channel: client.machine.channel,
                server: SASLServer(host: configuration.endpoint.host, port: configuration.endpoint.port),
                nonce: SASLNonce.make())
        } catch {
            throw await client.fail(IMAPClientError(error))
        }
    }

    private func status(
        of command: Command, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> StatusResponse {
        do {
            return try await client.exchange(command).status
        } catch {
            throw await client.fail(error)
        }
    }

    private func authenticate(
        _ mechanism: String, _ response: Secret?, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> CommandTag {
        let command: EncodedCommand
        do {
            command = try client.encode(.authenticate(mechanism: mechanism, initialResponse: response))
        } catch {
            throw await client.fail(error)
        }
        client.logger.trace(
            "command", metadata: ["tag": "\(command.tag)", "name": "AUTHENTICATE \(mechanism)"])
        for case .send(let bytes) in command.pieces { try await client.send(bytes) }
        return command.tag
    }

    private func report(
        _ milestone: Milestone, to login: inout LoginStateMachine, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> LoginStateMachine.Action {
        do {
            switch milestone {
            case .continuation(let text): return try login.receiveContinuation(text)
            case .ended(_, let status): return try login.receiveTagged(status)
            }
        } catch {
            throw await client.fail(IMAPClientError(error))
        }
    }
}
