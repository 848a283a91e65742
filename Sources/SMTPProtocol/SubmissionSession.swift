public import SASL

/// A session from the greeting to the login: EHLO, STARTTLS, AUTH. RFC 6409, RFC 3207 (STARTTLS), RFC 4954 (AUTH).
///
/// A pure value: the client reports each reply and performs the ``Action`` that it returns. Everything that the server
/// sent before TLS is ignored, and no secret is sent before the connection is protected.
public struct SubmissionSession: Sendable {
    /// How the connection is protected at the start.
    public enum Protection: Equatable, Sendable {
        /// TLS is already established.
        case tls
        /// TLS is required and must be requested. If the server does not offer it, the session fails.
        case startTLS
        /// Plaintext to a server on this machine: a login is allowed.
        case plaintextOnThisMachine
        /// Plaintext over a network: no login, whatever the server offers.
        case plaintext
    }

    enum State: Equatable {
        /// The server speaks first. Valid transitions: `.ehlo`, `.failed`.
        case greeting
        /// The client sent `EHLO`. Valid transitions: `.startTLS`, `.authWaiting`, `.authenticating`, `.ready`,
        /// `.failed`.
        case ehlo(isProtected: Bool)
        /// The client sent `STARTTLS`. Valid transitions: `.upgrading`, `.failed`.
        case startTLS
        /// The TLS handshake is in progress. Valid transitions: `.ehlo`.
        case upgrading
        /// The client sent `AUTH` without its response, which is too long for the line. Valid transitions:
        /// `.authenticating`.
        case authWaiting
        /// Challenges and responses. Valid transitions: `.authWaiting` (another mechanism), `.ready`, `.failed`.
        case authenticating
        /// Logged in. Final.
        case ready
        /// Final: close the connection.
        case failed
    }

    public enum Action: Equatable, Sendable {
        /// Send the command and report the reply.
        case send(Command)
        /// Perform the TLS handshake, then call ``receiveTLS()``. The buffer must be empty before it.
        case startTLS
        /// Messages can be sent, within the server's offer.
        case ready(EHLOResponse)
        /// Close the connection.
        case fail(SubmissionFailure)
    }

    /// The longest command line in octets, with its CRLF. RFC 5321 §4.5.3.1.4, RFC 4954 §4.
    private static let maximumLine = 512

    private let heloName: String
    private let credentials: SASLCredentials?
    private let host: SASLServer
    private let nonce: String
    private let protection: Protection
    private var login: SASLLogin?
    private(set) var state = State.greeting
    private var server: EHLOResponse?

    /// Without credentials there is no login. The nonce must be new; see ``SASLNonce``.
    public init(
        heloName: String, credentials: SASLCredentials?, protection: Protection, host: SASLServer,
        nonce: String
    ) throws(SubmissionFailure) {
        guard SMTPAddress.isHostName(heloName) else { throw .invalidHeloName(heloName) }
        if credentials != nil, protection == .plaintext { throw .loginNeedsEncryption }
        self.heloName = heloName
        self.credentials = credentials
        self.protection = protection
        self.host = host
        self.nonce = nonce
    }

    /// A reply of the server, or its greeting.
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
        case .authWaiting, .authenticating:
            return receiveAuth(reply)
        case .upgrading, .ready, .failed:
            return fail(.unexpectedReply(reply, to: "nothing"))
        }
    }

    /// TLS is established. Everything before it is void. RFC 3207 §4.2.
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
        // A mail program on this machine that offers no login identifies its users in another way.
        let offersNone = response.authMechanisms.isEmpty && protection == .plaintextOnThisMachine
        guard let credentials, !offersNone else {
            state = .ready
            return .ready(response)
        }
        return chooseLogin(credentials, offered: response.authMechanisms)
    }

    private mutating func fail(_ failure: SubmissionFailure) -> Action {
        state = .failed
        return .fail(failure)
    }
}

// MARK: - Login

extension SubmissionSession {
    private mutating func chooseLogin(_ credentials: SASLCredentials, offered: [String]) -> Action {
        let channel: SASLChannel =
            switch protection {
            case .tls, .startTLS: .encrypted
            case .plaintextOnThisMachine: .thisMachine
            case .plaintext: .open
            }
        do {
            let login = try SASLLogin(
                credentials, offered: offered, channel: channel, server: host, nonce: nonce)
            return start(login)
        } catch .noMechanism(forToken: false, _) {
            return fail(.noLoginMechanism(offered: offered))
        } catch {
            return fail(.invalidLogin(reason: error.description))
        }
    }

    private mutating func start(_ login: SASLLogin) -> Action {
        self.login = login
        state = .authenticating
        let command = "AUTH \(login.mechanism.rawValue)"
        guard let response = login.initialResponse else { return .send(Command(command, logged: command)) }
        let line = "\(command) \(response.reveal())"
        guard line.utf8.count + 2 <= Self.maximumLine else {
            state = .authWaiting
            return .send(Command(command, logged: command))
        }
        return .send(Command(line, logged: "\(command) •••"))
    }

    private mutating func receiveAuth(_ reply: Reply) -> Action {
        guard var login, let server else { return fail(.wrongState("a reply without a login")) }
        switch (reply.code, state) {
        case (334, .authWaiting):
            guard let response = login.initialResponse else { return fail(.wrongState("no response")) }
            state = .authenticating
            return .send(Command(response.reveal(), logged: "•••"))
        case (334, .authenticating):
            do {
                let response = try login.answer(reply.lines.first ?? "")
                self.login = login
                return .send(Command(response.reveal(), logged: "•••"))
            } catch {
                return fail(.invalidLogin(reason: error.description))
            }
        case (235, .authenticating):
            do {
                try login.finish()
            } catch {
                return fail(.invalidLogin(reason: error.description))
            }
            state = .ready
            return .ready(server)
        case _:
            guard login.tryOther(after: Self.kind(of: reply)) else {
                return fail(Self.loginFailure(reply, login))
            }
            return start(login)
        }
    }

    /// Trouble of the server, a mechanism that it does not know, or one that it does not have for this user;
    /// none of them is a word about the password. RFC 4954 §4, §6.
    private static func kind(of reply: Reply) -> SASLLogin.Refusal {
        reply.isTransient || [500, 502, 504, 534].contains(reply.code) ? .mechanism : .credentials
    }

    /// 4yz is the server's trouble, not the password's. RFC 4954 §6.
    private static func loginFailure(_ reply: Reply, _ login: SASLLogin) -> SubmissionFailure {
        let clean = Reply(code: reply.code, lines: [login.reason(reply.text)])
        if reply.isTransient { return .transient(clean) }
        return reply.isPermanent ? .loginRefused(clean) : .unexpectedReply(clean, to: "AUTH")
    }
}
