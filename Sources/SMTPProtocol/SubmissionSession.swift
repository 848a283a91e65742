public import SASL

/// A session from its greeting to the moment when mail may be submitted: greet, protect, log in.
///
/// A pure value. The client reports each reply and performs the ``Action`` it gets back. What the server
/// said before TLS is forgotten, and no secret leaves before the connection is protected.
///
/// See RFC 6409, RFC 3207 (STARTTLS) and RFC 4954 (AUTH).
public struct SubmissionSession: Sendable {
    /// How the bytes are protected when the session starts.
    public enum Protection: Equatable, Sendable {
        /// TLS stands already.
        case tls
        /// TLS is required and must be asked for. A server that does not offer it is left.
        case startTLS
        /// In the clear, and the server is on this machine: a login is allowed.
        case plaintextOnThisMachine
        /// In the clear over a network: no login, whatever the server offers.
        case plaintext
    }

    public struct Login: Sendable {
        public let user: String
        public let password: Secret

        public init(user: String, password: Secret) {
            self.user = user
            self.password = password
        }
    }

    enum State: Equatable {
        /// The server speaks first. Valid transitions: `.ehlo`, `.failed`.
        case greeting
        /// `EHLO` was sent. Valid transitions: `.startTLS`, `.authPlain…`, `.authLogin…`, `.ready`, `.failed`.
        case ehlo(isProtected: Bool)
        /// `STARTTLS` was sent. Valid transitions: `.upgrading`, `.failed`.
        case startTLS
        /// The handshake runs. Valid transitions: `.ehlo`.
        case upgrading
        /// `AUTH PLAIN` was sent with its response. Valid transitions: `.ready`, `.failed`.
        case authPlain
        /// `AUTH PLAIN` was sent alone: the response is too long for its line. Valid transitions: `.authPlain`.
        case authPlainChallenge
        /// `AUTH LOGIN` was sent. Valid transitions: `.authLoginPassword`, `.failed`.
        case authLoginUser
        /// The user's name was sent. Valid transitions: `.authLogin`, `.failed`.
        case authLoginPassword
        /// The password was sent. Valid transitions: `.ready`, `.failed`.
        case authLogin
        /// Logged in. Final.
        case ready
        /// Final: close the connection.
        case failed
    }

    public enum Action: Equatable, Sendable {
        /// Send it and report the reply.
        case send(Command)
        /// Do the handshake, then report ``receiveTLS()``. Not one byte may be left over from before.
        case startTLS
        /// Mail may be submitted, within what the server offers.
        case ready(EHLOResponse)
        /// Close the connection.
        case fail(SubmissionFailure)
    }

    /// A command line has 512 octets at most with its CRLF. RFC 5321 §4.5.3.1.4, RFC 4954 §4.
    private static let maximumLine = 512

    private let heloName: String
    private let login: Login?
    private let protection: Protection
    private(set) var state = State.greeting
    private var server: EHLOResponse?

    /// No login means that the server is asked for none.
    public init(
        heloName: String, login: Login?, protection: Protection
    ) throws(SubmissionFailure) {
        guard SMTPAddress.isHostName(heloName) else { throw .invalidHeloName(heloName) }
        if login != nil, protection == .plaintext { throw .loginNeedsEncryption }
        self.heloName = heloName
        self.login = login
        self.protection = protection
    }

    /// The server answered, or greeted.
    public mutating func receive(_ reply: Reply) -> Action {
        switch state {
        case .greeting:
            guard reply.code == 220 else { return fail(.greetingRefused(reply)) }
            return sendEHLO(isProtected: protection != .startTLS)
        case .ehlo(let isProtected):
            guard reply.code == 250 else { return fail(.greetingRefused(reply)) }
            return receiveEHLO(EHLOResponse(reply), isProtected: isProtected)
        case .startTLS:
            guard reply.code == 220 else { return fail(.startTLSRefused(reply)) }
            state = .upgrading
            return .startTLS
        case .authPlainChallenge, .authLoginUser, .authLoginPassword:
            guard reply.code == 334 else { return fail(Self.loginFailure(reply)) }
            return answerChallenge()
        case .authPlain, .authLogin:
            guard reply.code == 235, let server else { return fail(Self.loginFailure(reply)) }
            state = .ready
            return .ready(server)
        case .upgrading, .ready, .failed:
            return fail(.unexpectedReply(reply, to: "nothing"))
        }
    }

    /// TLS stands. Everything that was said before is void. RFC 3207 §4.2.
    public mutating func receiveTLS() -> Action {
        guard state == .upgrading else { return fail(.wrongState("TLS came up unasked")) }
        server = nil
        return sendEHLO(isProtected: true)
    }

    private mutating func sendEHLO(isProtected: Bool) -> Action {
        state = .ehlo(isProtected: isProtected)
        return .send(Command("EHLO \(heloName)", logged: "EHLO"))
    }

    private mutating func receiveEHLO(_ response: EHLOResponse, isProtected: Bool) -> Action {
        guard isProtected else {
            guard response.offers(.startTLS) else { return fail(.noTLSOffered) }
            state = .startTLS
            return .send(Command("STARTTLS", logged: "STARTTLS"))
        }
        server = response
        guard let login else {
            state = .ready
            return .ready(response)
        }
        return startLogin(login, offered: response.authMechanisms)
    }

    private mutating func fail(_ failure: SubmissionFailure) -> Action {
        state = .failed
        return .fail(failure)
    }
}

// MARK: - Login

extension SubmissionSession {
    private mutating func startLogin(_ login: Login, offered: [String]) -> Action {
        if offered.contains("PLAIN") { return startPlain(login) }
        if offered.contains("LOGIN") {
            state = .authLoginUser
            return .send(Command("AUTH LOGIN", logged: "AUTH LOGIN"))
        }
        return fail(.noLoginMechanism(offered: offered))
    }

    private mutating func startPlain(_ login: Login) -> Action {
        do {
            let response = try SASLMechanism.plain(user: login.user, password: login.password)
            let line = "AUTH PLAIN " + SASLMechanism.base64(response)
            guard line.utf8.count + 2 <= Self.maximumLine else {
                state = .authPlainChallenge
                return .send(Command("AUTH PLAIN", logged: "AUTH PLAIN"))
            }
            state = .authPlain
            return .send(Command(line, logged: "AUTH PLAIN •••"))
        } catch {
            return fail(.invalidLogin(reason: error.description))
        }
    }

    private mutating func answerChallenge() -> Action {
        guard let login else { return fail(.wrongState("a challenge without a login")) }
        do {
            switch state {
            case .authPlainChallenge:
                let response = try SASLMechanism.plain(user: login.user, password: login.password)
                return sendSecret(response, then: .authPlain)
            case .authLoginUser:
                let responses = try SASLMechanism.login(user: login.user, password: login.password)
                return sendSecret(responses.user, then: .authLoginPassword)
            case .authLoginPassword:
                let responses = try SASLMechanism.login(user: login.user, password: login.password)
                return sendSecret(responses.password, then: .authLogin)
            case .greeting, .ehlo, .startTLS, .upgrading, .authPlain, .authLogin, .ready, .failed:
                return fail(.wrongState("a challenge outside of a login"))
            }
        } catch {
            return fail(.invalidLogin(reason: error.description))
        }
    }

    private mutating func sendSecret(_ response: [UInt8], then next: State) -> Action {
        state = next
        return .send(Command(SASLMechanism.base64(response), logged: "•••"))
    }

    /// 4yz is the server's trouble, not the password's. RFC 4954 §6.
    private static func loginFailure(_ reply: Reply) -> SubmissionFailure {
        if reply.isTransient { return .transient(reply) }
        return reply.isPermanent ? .loginRefused(reply) : .unexpectedReply(reply, to: "AUTH")
    }
}
