/// Who else could read the bytes of a login.
public enum SASLChannel: Hashable, Sendable {
    /// Under TLS that was verified.
    case encrypted
    /// In the clear, and they never leave this machine.
    case thisMachine
    /// In the clear over a network.
    case open
}

/// Which mechanism a login uses: what the account has × what the server offers × how the bytes are protected.
///
/// The first that is offered is used:
///
/// | the account has | encrypted, or this machine | open |
/// |---|---|---|
/// | a password | SCRAM-SHA-256, PLAIN, SCRAM-SHA-1, LOGIN | refused |
/// | a password or user beyond ASCII | PLAIN, LOGIN, SCRAM-SHA-256, SCRAM-SHA-1 | refused |
/// | a token | OAUTHBEARER, XOAUTH2 | refused |
/// | `mechanism:` | that one | refused |
///
/// Where a server offers what it cannot do (SCRAM without its own form of the password), one other try is
/// made: after SCRAM with PLAIN, else LOGIN; after OAUTHBEARER with XOAUTH2. A mechanism that the user chose by name
/// has none.
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
