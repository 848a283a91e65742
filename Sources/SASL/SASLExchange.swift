/// The client's half of one authentication: each challenge in, its response out, both as they are sent.
///
/// A pure value; nothing but the server's words changes it. Responses are ``Secret``, in base 64.
struct SASLExchange: Sendable {
    private enum Half: Sendable {
        /// What is still to be said, whatever the challenges are: their text was never standardised.
        case answers([Secret])
        case scram(SCRAM)
        /// Everything was said; a challenge is the server's reason for its refusal.
        case bearer(Secret, status: String?)
    }

    let mechanism: SASLMechanism
    /// What the client says first; nil where the server does.
    let initialResponse: Secret?
    private var half: Half

    init(
        _ mechanism: SASLMechanism, _ credentials: SASLCredentials, server: SASLServer, nonce: String
    ) {
        self.mechanism = mechanism
        let (user, secret) = (credentials.user, credentials.secret)
        switch mechanism {
        case .plain:
            // No authorization identity: the server takes the one that the user has. RFC 4616 §2.
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

    /// The response to a challenge that came after ``initialResponse``.
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

    /// The server let us in.
    func finish() throws(SASLError) {
        switch half {
        case .answers(let rest):
            // It cannot know who we are yet.
            guard rest.isEmpty else { throw .serverNotVerified }
        case .scram(let scram): try scram.finish()
        case .bearer(_, let status):
            guard status == nil else { throw .serverNotVerified }
        }
    }

    /// Whether a server that refuses now has not looked at the password: it cannot do what it offered.
    var isUnheard: Bool {
        guard case .scram(let scram) = half else { return false }
        return !scram.wasAsked
    }

    /// What an OAuth server gave as its reason.
    var status: String? {
        guard case .bearer(_, let status) = half, let status, !status.isEmpty else { return nil }
        return status
    }

    private static func encoded(_ text: String) -> Secret { Secret(Base64.encode(Array(text.utf8))) }
}
