public import SASL

/// The life of one connection: greeting, TLS, login, mailboxes, logout.
///
/// A pure value. The client actor reports what the server said and performs the ``Action`` it gets back.
/// It never lets a password out before the connection is safe: STARTTLS is required where it is configured,
/// what the server said before TLS is forgotten, and PREAUTH without TLS counts as an attack.
///
/// See RFC 9051 §3 (states), §6.2.1 (STARTTLS), §11.1, and RFC 8314 §3.
public struct ConnectionStateMachine: Sendable {
    /// How the bytes are protected.
    public enum Protection: Equatable, Sendable {
        /// TLS from the first byte.
        case tls
        /// Plaintext until STARTTLS; no login before that.
        case startTLS
        /// Plaintext that never leaves this machine.
        case loopback
    }

    public enum State: Equatable, Sendable {
        /// Connected, nothing heard. Valid transitions: `.requestingTLS`, `.asking`, `.authenticating`,
        /// `.refreshing`, `.logout`.
        case greeting
        /// STARTTLS was sent. Valid transitions: `.handshaking`, `.logout`.
        case requestingTLS
        /// The server agreed to TLS. Valid transitions: `.asking`, `.logout`.
        case handshaking
        /// CAPABILITY was sent before login. Valid transitions: `.authenticating`, `.logout`.
        case asking
        /// A ``LoginStateMachine`` runs. Valid transitions: `.refreshing`, `.authenticated`, `.logout`.
        case authenticating
        /// CAPABILITY was sent after login. Valid transitions: `.identifying`, `.authenticated`, `.logout`.
        case refreshing
        /// ID was sent. Valid transitions: `.authenticated`, `.logout`.
        case identifying
        /// Logged in, no mailbox. Valid transitions: `.selected`, `.logout`.
        case authenticated
        /// A mailbox is open. Valid transitions: `.authenticated`, `.selected`, `.logout`.
        case selected(mailbox: [UInt8], readOnly: Bool)
        /// Over, or about to be. Final.
        case logout
    }

    /// The client's next action.
    public enum Action: Equatable, Sendable {
        case sendStartTLS
        /// Check that nothing is buffered, then shake hands.
        case startTLS
        case sendCapability
        /// Run a ``LoginStateMachine``, then report ``ConnectionStateMachine/receiveLogin()``.
        case logIn
        case sendID
        case finish
    }

    public let protection: Protection
    public private(set) var state = State.greeting
    public private(set) var capabilities: Set<Capability> = []

    public init(protection: Protection) { self.protection = protection }
}

// MARK: - From greeting to login

extension ConnectionStateMachine {
    /// The first response of the server.
    public mutating func receiveGreeting(_ greeting: StatusResponse) throws(ConnectionStateError) -> Action {
        guard state == .greeting else { throw .unexpected("a second greeting") }
        switch (greeting.status, protection) {
        case (.ok, .startTLS):
            // Does not depend on the capability: an attacker could strip it from the list.
            state = .requestingTLS
            return .sendStartTLS
        case (.ok, .tls), (.ok, .loopback):
            guard let offered = capabilitiesToTrust(in: greeting) else {
                state = .asking
                return .sendCapability
            }
            capabilities = offered
            state = .authenticating
            return .logIn
        case (.preauth, .startTLS):
            state = .logout
            throw .preauthBeforeTLS
        case (.preauth, .tls), (.preauth, .loopback):
            state = .refreshing
            return .sendCapability
        case (.bye, _):
            state = .logout
            throw .bye(greeting.text)
        case (.no, _), (.bad, _):
            state = .logout
            throw .unexpected("\(greeting.status.rawValue) as a greeting")
        }
    }

    /// What the greeting says of the server, where that is enough to log in: then it is not asked again, which is a
    /// turn less. A list without any login is a short one (iCloud), and one that offers STARTTLS under TLS was made
    /// for another port. RFC 3501 §7.1.
    private func capabilitiesToTrust(in greeting: StatusResponse) -> Set<Capability>? {
        guard case .capability(let offered) = greeting.code, !offered.authenticationMechanisms.isEmpty,
            !offered.contains(.loginDisabled), protection != .tls || !offered.contains(.startTLS)
        else { return nil }
        return offered
    }

    /// The handshake after STARTTLS succeeded.
    public mutating func receiveHandshake() throws(ConnectionStateError) -> Action {
        guard state == .handshaking else { throw .unexpected("a handshake") }
        capabilities = []
        state = .asking
        return .sendCapability
    }

    /// An untagged CAPABILITY. What the server says before a required TLS is ignored.
    public mutating func receiveCapabilities(_ offered: Set<Capability>) {
        switch state {
        case .greeting, .requestingTLS, .handshaking, .logout: break
        case .asking, .authenticating, .refreshing, .identifying, .authenticated, .selected:
            capabilities = offered
        }
    }

    /// The end of the command that was sent while the session is being opened.
    public mutating func receiveTagged(_ response: StatusResponse) throws(ConnectionStateError) -> Action {
        switch state {
        case .requestingTLS:
            guard response.isOK else { throw fail(.startTLSRefused(response.text)) }
            state = .handshaking
            return .startTLS
        case .asking:
            guard response.isOK else { throw fail(.unexpected("\(response.status.rawValue) to CAPABILITY")) }
            state = .authenticating
            return .logIn
        case .refreshing:
            state = capabilities.contains(.id) ? .identifying : .authenticated
            return state == .identifying ? .sendID : .finish
        case .identifying:
            // A server that refuses our name is not a reason to leave.
            state = .authenticated
            return .finish
        case .greeting, .handshaking, .authenticating, .authenticated, .selected, .logout:
            throw .unexpected("the end of a command that was not sent")
        }
    }

    /// The login succeeded. The server may have more capabilities now: request them again.
    /// `known` are the capabilities that the end of the login listed, where the list can be relied on: then they are not
    /// requested again.
    public mutating func receiveLogin(
        capabilities known: Set<Capability>? = nil
    ) throws(ConnectionStateError) -> Action {
        guard state == .authenticating else { throw .unexpected("a login") }
        if let known {
            capabilities = known
            state = .authenticated
            return .finish
        }
        state = .refreshing
        return .sendCapability
    }

    /// Who else could read a login's bytes.
    public var channel: SASLChannel {
        switch (protection, state) {
        case (.startTLS, .greeting), (.startTLS, .requestingTLS), (.startTLS, .handshaking): .open
        case (.tls, _), (.startTLS, _): .encrypted
        case (.loopback, _): .thisMachine
        }
    }

    private mutating func fail(_ error: ConnectionStateError) -> ConnectionStateError {
        state = .logout
        return error
    }
}

// MARK: - From login to logout

extension ConnectionStateMachine {
    /// Whether commands on mailboxes may be sent.
    public func requireAuthenticated() throws(ConnectionStateError) {
        switch state {
        case .authenticated, .selected: break
        case .greeting, .requestingTLS, .handshaking, .asking, .authenticating, .refreshing, .identifying:
            throw .notLoggedIn
        case .logout: throw .loggedOut
        }
    }

    /// Whether commands on messages may be sent.
    public func requireSelected() throws(ConnectionStateError) {
        try requireAuthenticated()
        guard case .selected = state else { throw .noMailboxSelected }
    }

    /// SELECT or EXAMINE leaves. The mailbox that was open is closed by it, whatever comes of the new one.
    public mutating func startSelect() throws(ConnectionStateError) {
        try requireAuthenticated()
        state = .authenticated
    }

    /// SELECT or EXAMINE succeeded.
    public mutating func endSelect(mailbox: [UInt8], readOnly: Bool) {
        guard state == .authenticated else { return }
        state = .selected(mailbox: mailbox, readOnly: readOnly)
    }

    /// LOGOUT leaves, or the connection is lost.
    public mutating func startLogout() { state = .logout }

    /// An unsolicited BYE: the first one ends the session. Safe to call in any state.
    public mutating func receiveBye(_ text: String) throws(ConnectionStateError) {
        guard state != .logout else { return }
        throw fail(.bye(text))
    }
}

/// The server, or the caller, broke the order of a connection.
public enum ConnectionStateError: Error, Equatable, Sendable, CustomStringConvertible {
    case preauthBeforeTLS
    case startTLSRefused(String)
    case noLoginMechanism(offered: [String])
    case loginRefused(code: ResponseCode?, text: String)
    /// The login cannot be made, or the server's part in it was wrong.
    case login(SASLError)
    case bye(String)
    case unexpected(String)
    case notLoggedIn
    case noMailboxSelected
    case loggedOut

    public var description: String {
        switch self {
        case .preauthBeforeTLS:
            "the server claims that we are logged in before TLS began; an attacker may be changing the traffic"
        case .startTLSRefused(let text):
            "the server refused STARTTLS, which this account requires: \(text)"
        case .noLoginMechanism(let offered):
            "the server offers no login that we can use; it offers \(offered.joined(separator: " "))"
        case .loginRefused(_, let text):
            "the server refused the login: \(text)"
        case .login(let error):
            error.description
        case .bye(let text):
            "the server ended the session: \(text)"
        case .unexpected(let what):
            "the server sent \(what)"
        case .notLoggedIn:
            "the connection is not logged in yet"
        case .noMailboxSelected:
            "no mailbox is selected"
        case .loggedOut:
            "the connection is already closed"
        }
    }
}
