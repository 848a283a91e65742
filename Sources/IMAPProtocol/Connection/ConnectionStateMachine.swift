public import SASL

/// The states of one connection: greeting, TLS, login, mailboxes, logout. RFC 9051 §3, §6.2.1 and §11.1, RFC 8314 §3.
///
/// A pure value: the client actor reports what the server sent and performs the ``Action`` that it returns. It never
/// sends a password before the connection is safe: if STARTTLS is configured, it is required, everything that the
/// server sent before TLS is ignored, and PREAUTH without TLS is treated as an attack.
public struct ConnectionStateMachine: Sendable {
    /// How the connection is protected.
    public enum Protection: Equatable, Sendable {
        /// TLS from the first byte. RFC 8314 §3.
        case tls
        /// Plaintext until STARTTLS. There is no login before that. RFC 9051 §6.2.1.
        case startTLS
        /// Plaintext that stays on this machine.
        case loopback
    }

    public enum State: Equatable, Sendable {
        /// Connected; the server has sent nothing. Valid transitions: `.requestingTLS`, `.asking`, `.authenticating`,
        /// `.refreshing`, `.logout`.
        case greeting
        /// The client sent STARTTLS. Valid transitions: `.handshaking`, `.logout`.
        case requestingTLS
        /// The server accepted STARTTLS. Valid transitions: `.asking`, `.logout`.
        case handshaking
        /// The client sent CAPABILITY before the login. Valid transitions: `.authenticating`, `.logout`.
        case asking
        /// A ``LoginStateMachine`` runs. Valid transitions: `.refreshing`, `.authenticated`, `.logout`.
        case authenticating
        /// The client sent CAPABILITY after the login. Valid transitions: `.identifying`, `.authenticated`, `.logout`.
        case refreshing
        /// The client sent ID. Valid transitions: `.authenticated`, `.logout`.
        case identifying
        /// Logged in; no mailbox is open. Valid transitions: `.selected`, `.logout`.
        case authenticated
        /// A mailbox is open. Valid transitions: `.authenticated`, `.selected`, `.logout`.
        case selected(mailbox: [UInt8], readOnly: Bool)
        /// Ended, or about to end. Final.
        case logout
    }

    /// The client's next action.
    public enum Action: Equatable, Sendable {
        case sendStartTLS
        /// Check that the buffer is empty, then start the TLS handshake.
        case startTLS
        case sendCapability
        /// Run a ``LoginStateMachine``, then call ``ConnectionStateMachine/receiveLogin()``.
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
    /// The first response of the server. RFC 9051 §7.1.
    public mutating func receiveGreeting(_ greeting: StatusResponse) throws(ConnectionStateError) -> Action {
        guard state == .greeting else { throw .unexpected("a second greeting") }
        switch (greeting.status, protection) {
        case (.ok, .startTLS):
            // Does not depend on the capability, because an attacker could remove it from the list.
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

    /// The capabilities in the greeting, if they are enough to log in; this saves a CAPABILITY command. A list without
    /// a login method is incomplete (iCloud), and a list that offers STARTTLS under TLS belongs to another port. RFC
    /// 3501 §7.1.
    private func capabilitiesToTrust(in greeting: StatusResponse) -> Set<Capability>? {
        guard case .capability(let offered) = greeting.code, !offered.authenticationMechanisms.isEmpty,
            !offered.contains(.loginDisabled), protection != .tls || !offered.contains(.startTLS)
        else { return nil }
        return offered
    }

    /// The TLS handshake after STARTTLS succeeded.
    public mutating func receiveHandshake() throws(ConnectionStateError) -> Action {
        guard state == .handshaking else { throw .unexpected("a handshake") }
        capabilities = []
        state = .asking
        return .sendCapability
    }

    /// An untagged CAPABILITY. It is ignored before a required TLS handshake.
    public mutating func receiveCapabilities(_ offered: Set<Capability>) {
        switch state {
        case .greeting, .requestingTLS, .handshaking, .logout: break
        case .asking, .authenticating, .refreshing, .identifying, .authenticated, .selected:
            capabilities = offered
        }
    }

    /// The end of a command that opens the session.
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
            // A refused ID is not an error.
            state = .authenticated
            return .finish
        case .greeting, .handshaking, .authenticating, .authenticated, .selected, .logout:
            throw .unexpected("the end of a command that was not sent")
        }
    }

    /// The login succeeded. The server may offer more capabilities now, so they are requested again, unless `known` has
    /// them: the capabilities at the end of the login, if the server lists all of them there.
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

    /// Who else could read the login.
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
    /// Checks that commands on mailboxes are allowed now.
    public func requireAuthenticated() throws(ConnectionStateError) {
        switch state {
        case .authenticated, .selected: break
        case .greeting, .requestingTLS, .handshaking, .asking, .authenticating, .refreshing, .identifying:
            throw .notLoggedIn
        case .logout: throw .loggedOut
        }
    }

    /// Checks that commands on messages are allowed now.
    public func requireSelected() throws(ConnectionStateError) {
        try requireAuthenticated()
        guard case .selected = state else { throw .noMailboxSelected }
    }

    /// The client sends SELECT or EXAMINE. This closes the open mailbox, even if the command fails. RFC 9051 §6.3.2.
    public mutating func startSelect() throws(ConnectionStateError) {
        try requireAuthenticated()
        state = .authenticated
    }

    /// SELECT or EXAMINE succeeded.
    public mutating func endSelect(mailbox: [UInt8], readOnly: Bool) {
        guard state == .authenticated else { return }
        state = .selected(mailbox: mailbox, readOnly: readOnly)
    }

    /// The client sends LOGOUT, or the connection is lost.
    public mutating func startLogout() { state = .logout }

    /// An unrequested BYE. The first one ends the session. May be called in any state.
    public mutating func receiveBye(_ text: String) throws(ConnectionStateError) {
        guard state != .logout else { return }
        throw fail(.bye(text))
    }
}

/// The server or the caller violated the order of a connection.
public enum ConnectionStateError: Error, Equatable, Sendable, CustomStringConvertible {
    case preauthBeforeTLS
    case startTLSRefused(String)
    case noLoginMechanism(offered: [String])
    case loginRefused(code: ResponseCode?, text: String)
    /// The login is not possible, or the server violated its mechanism.
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
            "the server offers no login that opus can use; it offers \(offered.joined(separator: " "))"
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
