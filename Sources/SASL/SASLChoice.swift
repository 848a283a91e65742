/// Who else could read a login.
public enum SASLChannel: Hashable, Sendable {
    /// TLS with a verified certificate.
    case encrypted
    /// Plaintext that stays on this machine.
    case thisMachine
    /// Plaintext over a network.
    case open
}

/// The mechanism of a login. It depends on the account's credentials, the server's offer and the protection of the
/// connection.
///
/// The first one that the server offers is used:
///
/// | the account has | encrypted, or this machine | open |
/// |---|---|---|
/// | a password | SCRAM-SHA-256, PLAIN, SCRAM-SHA-1, LOGIN | refused |
/// | a password or user with non-ASCII characters | PLAIN, LOGIN, SCRAM-SHA-256, SCRAM-SHA-1 | refused |
/// | a token | OAUTHBEARER, XOAUTH2 | refused |
/// | `mechanism:` | that one | refused |
///
/// If a server cannot do what it offers (SCRAM without a suitable form of the password), one other mechanism is tried:
/// after SCRAM PLAIN or else LOGIN; after OAUTHBEARER XOAUTH2. There is no other try if the user chose the mechanism.
struct SASLChoice: Equatable, Sendable {
    var mechanism: SASLMechanism
    var fallback: SASLMechanism?

    static func make(
        _ credentials: SASLCredentials, offered: [String], channel: SASLChannel
    ) throws(SASLError) -> SASLChoice {
        try credentials.check()
        guard channel != .open else { throw .notProtected }
        let names = Set(offered.map { $0.uppercased() })
        let usable = order(for: credentials).filter { names.contains($0.rawValue) }
        guard let first = usable.first else {
            let sorted = names.sorted()
            if let wanted = credentials.mechanism { throw .notOffered(wanted, offered: sorted) }
            throw .noMechanism(forToken: credentials.hasToken, offered: sorted)
        }
        return SASLChoice(
            mechanism: first, fallback: fallbacks(of: first).first { usable.contains($0) })
    }

    private static func order(for credentials: SASLCredentials) -> [SASLMechanism] {
        if let wanted = credentials.mechanism { return [wanted] }
        if credentials.hasToken { return [.oauthBearer, .xoauth2] }
        guard credentials.isPrepared else { return [.plain, .login, .scramSHA256, .scramSHA1] }
        return [.scramSHA256, .plain, .scramSHA1, .login]
    }

    private static func fallbacks(of mechanism: SASLMechanism) -> [SASLMechanism] {
        switch mechanism {
        case .scramSHA256, .scramSHA1: [.plain, .login]
        case .oauthBearer: [.xoauth2]
        case .plain, .login, .xoauth2: []
        }
    }
}
