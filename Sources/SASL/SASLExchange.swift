/// The client's side of one authentication: it takes each challenge and returns the response, both in base 64.
///
/// A pure value that only the server's challenges change. Responses are ``Secret``.
struct SASLExchange: Sendable {
    private enum Half: Sendable {
        /// Fixed responses for any challenges, whose texts are not standardised.
        case answers([Secret])
        case scram(SCRAM)
        /// The client has sent everything; a challenge contains the server's reason for a refusal.
        case bearer(Secret, status: String?)
    }

    let mechanism: SASLMechanism
    /// The first message of the client; nil: the server sends first.
    let initialResponse: Secret?
    private var half: Half

    init(
        _ mechanism: SASLMechanism, _ credentials: SASLCredentials, server: SASLServer, nonce: String
    ) {
        self.mechanism = mechanism
        let (user, secret) = (credentials.user, credentials.secret)
        switch mechanism {
        case .plain:
            // Without an authorization identity, the server uses the user's own. RFC 4616 §2.
            initialResponse = Self.encoded("\0\(user)\0\(secret.reveal())")
            half = .answers([])
        case .login:
            initialResponse = nil
            half = .answers([Self.encoded(user), Self.encoded(secret.reveal())])
        case .scramSHA256, .scramSHA1:
            let scram = SCRAM(mechanism, user: user, password: secret, nonce: nonce)
            initialResponse = Self.encoded(scram.first)
            half = .scram(scram)
        case .oauthBearer, .xoauth2:
            initialResponse = Self.encoded(
                BearerToken.message(mechanism, user: user, token: secret, server: server))
            half = .bearer(secret, status: nil)
        }
    }

    /// The response to a challenge after ``initialResponse``.
    mutating func answer(_ challenge: String) throws(SASLError) -> Secret {
        switch half {
        case .answers(var rest):
            guard !rest.isEmpty else { throw .unexpectedChallenge(mechanism) }
            let answer = rest.removeFirst()
            half = .answers(rest)
            return answer
        case .scram(var scram):
            guard let bytes = Base64.decode(challenge.utf8) else { throw .malformedChallenge(mechanism) }
            let answer = try scram.answer(bytes)
            half = .scram(scram)
            return Self.encoded(answer)
        case .bearer(let token, let status):
            guard status == nil else { throw .unexpectedChallenge(mechanism) }
            half = .bearer(token, status: BearerToken.status(challenge, hiding: token) ?? "")
            return Self.encoded(BearerToken.acknowledgement(mechanism))
        }
    }

    /// The server accepted the login.
    func finish() throws(SASLError) {
        switch half {
        case .answers(let rest):
            // The server cannot have accepted a login whose messages are incomplete.
            guard rest.isEmpty else { throw .serverNotVerified }
        case .scram(let scram): try scram.finish()
        case .bearer(_, let status):
            guard status == nil else { throw .serverNotVerified }
        }
    }

    /// Whether a server that refuses now has not checked the password, because it does not support what it offered.
    var isUnheard: Bool {
        guard case .scram(let scram) = half else { return false }
        return !scram.wasAsked
    }

    /// The reason of an OAuth server.
    var status: String? {
        guard case .bearer(_, let status) = half, let status, !status.isEmpty else { return nil }
        return status
    }

    private static func encoded(_ text: String) -> Secret { Secret(Base64.encode(Array(text.utf8))) }
}
