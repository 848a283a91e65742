import IMAPProtocol
import Logging
import SASL
import Transport

/// The login itself: ``LoginStateMachine`` says what to send, the effects are here.
extension IMAPClient {
    /// What else a server may say while it checks a login.
    private static let untaggedLimit = 1_000

    private enum Answer {
        case continuation(String)
        case tagged(StatusResponse)
    }

    /// Logs in with the best mechanism that the server offers; a refusal ends the client.
    ///
    /// - Returns: the OK at its end.
    func logIn(_ configuration: IMAPConfiguration) async throws(IMAPClientError) -> StatusResponse? {
        var login: LoginStateMachine
        do {
            login = try LoginStateMachine(
                configuration.credentials, capabilities: machine.capabilities, channel: machine.channel,
                server: SASLServer(host: configuration.endpoint.host, port: configuration.endpoint.port),
                nonce: SASLNonce.make())
        } catch {
            throw await fail(IMAPClientError(error))
        }
        var action = login.start()
        var tag = CommandTag(rawValue: "")
        var end: StatusResponse?
        while true {
            switch action {
            case .finish:
                return end
            case .login:
                let secret = configuration.credentials.secret
                let status = try await outcome(
                    of: .login(user: configuration.credentials.user, password: secret))
                end = status
                action = try await report(.tagged(status), to: &login)
                continue
            case .authenticate(let mechanism, let response):
                tag = try await sendAuthenticate(mechanism, response)
            case .respond(let response):
                try await send(ContinuationLine.response(response).bytes)
            }
            let answer = try await answer(to: tag)
            if case .tagged(let status) = answer { end = status }
            action = try await report(answer, to: &login)
        }
    }

    private func outcome(of command: Command) async throws(IMAPClientError) -> StatusResponse {
        do {
            return try await exchange(command).status
        } catch {
            throw await fail(error)
        }
    }

    private func sendAuthenticate(
        _ mechanism: String, _ response: Secret?
    ) async throws(IMAPClientError) -> CommandTag {
        let command: EncodedCommand
        do {
            command = try encode(.authenticate(mechanism: mechanism, initialResponse: response))
        } catch {
            throw await fail(error)
        }
        logger.trace("command", metadata: ["tag": "\(command.tag)", "name": "AUTHENTICATE \(mechanism)"])
        for case .send(let bytes) in command.pieces { try await send(bytes) }
        return command.tag
    }

    /// Reads up to the next challenge, or the end of the command.
    private func answer(to tag: CommandTag) async throws(IMAPClientError) -> Answer {
        for _ in 0..<Self.untaggedLimit {
            switch try await nextResponse() {
            case .continuation(let text):
                return .continuation(text)
            case .tagged(tag, let status):
                logger.trace("ended", metadata: ["tag": "\(tag)", "status": "\(status.status.rawValue)"])
                return .tagged(status)
            case .tagged(let other, _):
                throw await fail(.protocol("the end of command \(other), which is not running"))
            case .status, .capability, .enabled, .list, .mailboxStatus, .search, .esearch, .flags, .exists,
                .recent, .expunge, .vanished, .fetch, .id, .namespace, .other, .unparsable:
                continue
            }
        }
        throw await fail(.protocol("\(Self.untaggedLimit) responses in the middle of a login"))
    }

    private func report(
        _ answer: Answer, to login: inout LoginStateMachine
    ) async throws(IMAPClientError) -> LoginStateMachine.Action {
        do {
            switch answer {
            case .continuation(let text): return try login.receiveContinuation(text)
            case .tagged(let status): return try login.receiveTagged(status)
            }
        } catch {
            throw await fail(IMAPClientError(error))
        }
    }
}
