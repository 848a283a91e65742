/// Why a login is impossible or failed. No case contains a secret.
public enum SASLError: Error, Equatable, Sendable, CustomStringConvertible {
    // Errors of the credentials.
    case emptyUser
    case emptyPassword
    case nulInUser
    case nulInPassword
    case malformedToken
    /// The mechanism needs a token and there is a password, or the other way round.
    case needsOther(SASLMechanism)

    // Errors of the server's offer.
    /// The connection is plaintext over a network.
    case notProtected
    case noMechanism(forToken: Bool, offered: [String])
    case notOffered(SASLMechanism, offered: [String])

    // Errors of the server's answers.
    case unexpectedChallenge(SASLMechanism)
    case malformedChallenge(SASLMechanism)
    /// The server's nonce does not begin with the client's: the connection may be under attack.
    case foreignNonce
    case badIterations(Int, allowed: ClosedRange<Int>)
    /// The server did not prove that it knows the password.
    case serverNotVerified

    public var description: String {
        switch self {
        case .emptyUser: "the user name is empty; set user: for this account"
        case .emptyPassword: "the password is empty; check what the password command prints"
        case .nulInUser: "the user name holds a NUL character, which a login cannot carry"
        case .nulInPassword: "the password holds a NUL character, which a login cannot carry"
        case .malformedToken:
            "the token is empty or holds characters that no token has; check what the token command prints"
        case .needsOther(let mechanism):
            mechanism.usesToken
                ? "\(mechanism.rawValue) needs a token, and the account has a password; use token-command"
                : "\(mechanism.rawValue) needs a password, and the account has a token; use password-command"
        case .notProtected: "opus logs in without encryption only to a server on this machine"
        case .noMechanism(let forToken, let offered):
            "the server offers no login by \(forToken ? "token" : "password") that opus can use; it offers "
                + Self.list(offered)
        case .notOffered(let mechanism, let offered):
            "the server does not offer \(mechanism.rawValue), which mechanism: requires; it offers "
                + Self.list(offered)
        case .unexpectedChallenge(let mechanism):
            "the server asked again, although the login by \(mechanism.rawValue) was complete"
        case .malformedChallenge(let mechanism):
            "the server's question in a login by \(mechanism.rawValue) cannot be read"
        case .foreignNonce:
            "the server answered a different login; the connection may be under attack"
        case .badIterations(let count, let allowed):
            "the server requests \(count) hash rounds for the password; opus accepts \(allowed.lowerBound) to "
                + "\(allowed.upperBound); mechanism: plain uses none"
        case .serverNotVerified:
            "the server did not prove that it knows the password; another server may be posing as it"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.joined(separator: " ")
    }
}
