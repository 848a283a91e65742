/// One login on one connection: the mechanism, its answers, and at most one other try.
///
/// The protocols differ only in the words round it: they send ``mechanism`` and ``initialResponse``, pass on
/// each challenge, and report how it ended.
public struct SASLLogin: Sendable {
    /// How a protocol reads a refusal.
    public enum Refusal: Hashable, Sendable {
        /// The credentials are wrong, or the server does not say what is wrong.
        case credentials
        /// The server cannot do this mechanism, or not now.
        case mechanism
    }

    public private(set) var mechanism: SASLMechanism
    private var exchange: SASLExchange
    private var fallback: SASLMechanism?
    private let credentials: SASLCredentials
    private let server: SASLServer

    /// The names that are offered may be in any case and order; the nonce is fresh for each login, see
    /// ``SASLNonce``.
    public init(
        _ credentials: SASLCredentials, offered: [String], channel: SASLChannel, server: SASLServer,
        nonce: String
    ) throws(SASLError) {
        let choice = try SASLChoice.make(credentials, offered: offered, channel: channel)
        mechanism = choice.mechanism
        fallback = choice.fallback
        exchange = SASLExchange(choice.mechanism, credentials, server: server, nonce: nonce)
        self.credentials = credentials
        self.server = server
    }

    /// In base 64; nil where the server speaks first.
    public var initialResponse: Secret? { exchange.initialResponse }

    /// The response to a challenge, both in base 64. The challenge that only asks for ``initialResponse`` does
    /// not come here.
    public mutating func answer(_ challenge: String) throws(SASLError) -> Secret {
        try exchange.answer(challenge)
    }

    /// The server says that we are in. Thrown when it did not prove what the mechanism lets it prove.
    public func finish() throws(SASLError) { try exchange.finish() }

    /// The server refused; true when another mechanism is to be tried, from its beginning.
    ///
    /// That is never another guess at the password: the server has not looked at it, or says that it could not.
    public mutating func tryOther(after refusal: Refusal) -> Bool {
        guard let next = fallback, refusal == .mechanism || exchange.isUnheard else { return false }
        fallback = nil
        mechanism = next
        // No mechanism that we fall back to has a nonce.
        exchange = SASLExchange(next, credentials, server: server, nonce: "")
        return true
    }

    /// The server's words for a person: with the status of an OAuth server, and without the secret, which
    /// some servers repeat.
    public func reason(_ words: String) -> String {
        var text = credentials.secret.hidden(in: words)
        if let initialResponse { text = initialResponse.hidden(in: text) }
        if fallback != nil, mechanism == .scramSHA256 || mechanism == .scramSHA1 {
            // Some servers offer SCRAM and do not have every user's password in its form.
            text += "; if the password is right, the server may not have it for \(mechanism.rawValue): try "
            text += "login: { mechanism: \(fallback?.rawValue.lowercased() ?? "plain") }"
        }
        guard let status = exchange.status else { return text }
        return text.isEmpty ? status : "\(text) (\(status))"
    }
}
