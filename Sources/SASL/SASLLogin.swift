/// One login on one connection: the mechanism, its responses, and at most one try with another mechanism.
///
/// A protocol sends ``mechanism`` and ``initialResponse``, passes on each challenge, and reports the end.
public struct SASLLogin: Sendable {
    /// The meaning of a refusal in the protocol.
    public enum Refusal: Hashable, Sendable {
        /// The credentials are wrong, or the server does not name the cause.
        case credentials
        /// The server does not support this mechanism, or cannot use it now.
        case mechanism
    }

    public private(set) var mechanism: SASLMechanism
    private var exchange: SASLExchange
    private var fallback: SASLMechanism?
    private let credentials: SASLCredentials
    private let server: SASLServer

    /// The offered names may be in any case and order. The nonce must be new for each login; see ``SASLNonce``.
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

    /// In base 64; nil: the server sends first.
    public var initialResponse: Secret? { exchange.initialResponse }

    /// The response to a challenge, both in base 64. Not for a challenge that only requests ``initialResponse``.
    public mutating func answer(_ challenge: String) throws(SASLError) -> Secret {
        try exchange.answer(challenge)
    }

    /// The server reports success. Throws if the mechanism requires a proof of the server and it is missing.
    public func finish() throws(SASLError) { try exchange.finish() }

    /// The server refused the login; true: start again with another mechanism.
    ///
    /// This never tries the password a second time: the server has not checked it, or could not.
    public mutating func tryOther(after refusal: Refusal) -> Bool {
        guard let next = fallback, refusal == .mechanism || exchange.isUnheard else { return false }
        fallback = nil
        mechanism = next
        // Mechanisms for the second try need no nonce.
        exchange = SASLExchange(next, credentials, server: server, nonce: "")
        return true
    }

    /// The server's text for people, with the status of an OAuth server, and without the secret, which some servers
    /// repeat.
    public func reason(_ words: String) -> String {
        var text = credentials.secret.hidden(in: words)
        if let initialResponse { text = initialResponse.hidden(in: text) }
        if fallback != nil, mechanism == .scramSHA256 || mechanism == .scramSHA1 {
            // Some servers offer SCRAM but lack its form of some passwords.
            text += "; if the password is right, the server may not have it for \(mechanism.rawValue): try "
            text += "login: { mechanism: \(fallback?.rawValue.lowercased() ?? "plain") }"
        }
        guard let status = exchange.status else { return text }
        return text.isEmpty ? status : "\(text) (\(status))"
    }
}
