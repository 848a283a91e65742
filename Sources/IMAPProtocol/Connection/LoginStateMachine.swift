public import SASL

/// A login from the server's offer to its success: AUTHENTICATE with its challenges, or LOGIN. RFC 3501 §6.2.2–6.2.3,
/// RFC 4959.
///
/// A pure value: the client performs each ``Action`` and reports the server's answer.
public struct LoginStateMachine: Sendable {
    public enum Action: Sendable {
        /// Send the command, then report each continuation and the tagged response.
        case authenticate(mechanism: String, initialResponse: Secret?)
        /// Send the command LOGIN with user and password, then report the tagged response.
        case login
        case respond(Secret)
        case finish
    }

    private enum State {
        /// The client has sent nothing. Valid transitions: `.waiting`, `.answering`, `.login`.
        case ready
        /// The client sent AUTHENTICATE without the initial response. Valid transitions: `.answering`.
        case waiting(Secret)
        /// Challenges and responses. Valid transitions: `.ready` (another mechanism), `.done`.
        case answering
        /// The client sent the command LOGIN. Valid transitions: `.done`.
        case login
        /// Final.
        case done
    }

    /// The longest initial response sent without waiting for `+`, in octets. Some servers do not accept longer lines.
    private static let longestInitialResponse = 4_000

    private var login: SASLLogin
    private var state = State.ready
    private let sendsAtOnce: Bool
    /// Whether the command LOGIN is possible: the server does not offer AUTH=LOGIN and has not announced LOGINDISABLED.
    private let hasLoginCommand: Bool

    public init(
        _ credentials: SASLCredentials, capabilities: Set<Capability>, channel: SASLChannel,
        server: SASLServer, nonce: String
    ) throws(ConnectionStateError) {
        var offered = capabilities.authenticationMechanisms
        hasLoginCommand = !capabilities.contains(.loginDisabled) && !offered.contains("LOGIN")
        if hasLoginCommand { offered.append("LOGIN") }
        sendsAtOnce = capabilities.withImplied.contains(.saslIR)
        do {
            login = try SASLLogin(
                credentials, offered: offered, channel: channel, server: server, nonce: nonce)
        } catch .noMechanism(forToken: false, _) {
            throw .noLoginMechanism(offered: capabilities.map(\.name).sorted())
        } catch {
            throw .login(error)
        }
    }

    public mutating func start() -> Action {
        if login.mechanism == .login, hasLoginCommand {
            state = .login
            return .login
        }
        let name = login.mechanism.rawValue
        guard let response = login.initialResponse else {
            state = .answering
            return .authenticate(mechanism: name, initialResponse: nil)
        }
        guard sendsAtOnce, response.reveal().utf8.count <= Self.longestInitialResponse else {
            state = .waiting(response)
            return .authenticate(mechanism: name, initialResponse: nil)
        }
        state = .answering
        return .authenticate(mechanism: name, initialResponse: response)
    }

    /// A continuation request and its text.
    public mutating func receiveContinuation(_ text: String) throws(ConnectionStateError) -> Action {
        switch state {
        case .waiting(let response):
            // Some servers send words here; the meaning is that of an empty challenge.
            state = .answering
            return .respond(response)
        case .answering:
            do {
                return .respond(try login.answer(text))
            } catch {
                throw .login(error)
            }
        case .ready, .login, .done:
            throw .unexpected("a continuation request that no command asked for")
        }
    }

    /// The tagged response.
    public mutating func receiveTagged(_ status: StatusResponse) throws(ConnectionStateError) -> Action {
        switch state {
        case .waiting, .answering:
            guard status.isOK else { return try refused(status) }
            guard case .answering = state else { throw .login(.serverNotVerified) }
            do {
                try login.finish()
            } catch {
                throw .login(error)
            }
        case .login:
            guard status.isOK else { return try refused(status) }
        case .ready, .done:
            throw .unexpected("the end of a command that was not sent")
        }
        state = .done
        return .finish
    }

    private mutating func refused(_ status: StatusResponse) throws(ConnectionStateError) -> Action {
        guard login.tryOther(after: Self.kind(of: status)) else {
            state = .done
            throw .loginRefused(code: status.code, text: login.reason(status.text))
        }
        return start()
    }

    /// Servers answer BAD to an unknown mechanism. These response codes say that the server has not checked the
    /// password. RFC 5530 §3.
    private static func kind(of status: StatusResponse) -> SASLLogin.Refusal {
        if status.status == .bad { return .mechanism }
        switch status.code {
        case .unavailable: return .mechanism
        case .other(let name, _): return name == "CANNOT" ? .mechanism : .credentials
        case nil, .capability, .uidValidity, .uidNext, .highestModSeq, .noModSeq, .permanentFlags, .readOnly,
            .readWrite, .copyUID, .appendUID, .tryCreate, .alert, .authenticationFailed, .overQuota,
            .modified, .closed, .nonExistent, .alreadyExists:
            return .credentials
        }
    }
}
