public import SASL

/// From what a server offers to its word that we are in: AUTHENTICATE with its challenges, or LOGIN.
///
/// A pure value. The client performs each ``Action`` and reports what the server said to it.
/// RFC 3501 §6.2.2–6.2.3, RFC 4959.
public struct LoginStateMachine: Sendable {
    public enum Action: Sendable {
        /// Send the command, then report each continuation and its end.
        case authenticate(mechanism: String, initialResponse: Secret?)
        /// Send the command LOGIN with user and password, then report its end.
        case login
        case respond(Secret)
        case finish
    }

    private enum State {
        /// Nothing was sent. Valid transitions: `.waiting`, `.answering`, `.login`.
        case ready
        /// AUTHENTICATE was sent without the initial response. Valid transitions: `.answering`.
        case waiting(Secret)
        /// Challenges and answers. Valid transitions: `.ready` (another mechanism), `.done`.
        case answering
        /// The command LOGIN was sent. Valid transitions: `.done`.
        case login
        /// Final.
        case done
    }

    /// A longer initial response waits for the server's leave: not every server reads such a line.
    private static let longestInitialResponse = 4_000

    private var login: SASLLogin
    private var state = State.ready
    private let sendsAtOnce: Bool
    /// AUTH=LOGIN is not offered, and the command LOGIN is not forbidden.
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

    /// `+` and what follows it.
    public mutating func receiveContinuation(_ text: String) throws(ConnectionStateError) -> Action {
        switch state {
        case .waiting(let response):
            // Servers put words of their own here; they ask for nothing but this.
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

    /// The end of the command.
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

    /// BAD is what servers say to a mechanism that they do not know; the codes say that nothing was checked.
    /// RFC 5530 §3.
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
