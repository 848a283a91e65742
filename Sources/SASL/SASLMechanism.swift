/// An authentication mechanism, with the name that servers offer. RFC 4422 §3.1.
public enum SASLMechanism: String, CaseIterable, Hashable, Sendable {
    /// The password is not sent; both sides prove that they know it. RFC 7677.
    case scramSHA256 = "SCRAM-SHA-256"
    /// RFC 5802.
    case scramSHA1 = "SCRAM-SHA-1"
    /// RFC 4616.
    case plain = "PLAIN"
    /// Not standardised; for servers without other mechanisms.
    case login = "LOGIN"
    /// RFC 7628.
    case oauthBearer = "OAUTHBEARER"
    /// The predecessor of OAUTHBEARER.
    case xoauth2 = "XOAUTH2"

    /// Whether it uses an OAuth access token; the others use a password.
    public var usesToken: Bool {
        switch self {
        case .oauthBearer, .xoauth2: true
        case .scramSHA256, .scramSHA1, .plain, .login: false
        }
    }

    /// Whether the server must prove that it knows the password.
    var isSCRAM: Bool { self == .scramSHA256 || self == .scramSHA1 }
}

/// The user name, and the password or token.
public struct SASLCredentials: Sendable {
    public enum Proof: Sendable {
        case password(Secret)
        /// An OAuth 2.0 access token. RFC 6750.
        case token(Secret)
    }

    public var user: String
    public var proof: Proof
    /// The only mechanism to use; nil: the best one offered.
    public var mechanism: SASLMechanism?

    public init(user: String, proof: Proof, mechanism: SASLMechanism? = nil) {
        self.user = user
        self.proof = proof
        self.mechanism = mechanism
    }

    public init(user: String, password: Secret) { self.init(user: user, proof: .password(password)) }

    var hasToken: Bool {
        switch proof {
        case .token: true
        case .password: false
        }
    }

    public var secret: Secret {
        switch proof {
        case .token(let secret), .password(let secret): secret
        }
    }

    /// Checks the credentials before anything is sent. NUL separates fields in PLAIN, and control characters in the
    /// message of a token.
    public func check() throws(SASLError) {
        let text = secret.reveal().utf8
        if user.isEmpty { throw .emptyUser }
        if user.utf8.contains(0) { throw .nulInUser }
        if let mechanism, mechanism.usesToken != hasToken { throw .needsOther(mechanism) }
        if hasToken {
            guard !text.isEmpty, text.allSatisfy({ (0x21...0x7E).contains($0) }), text.count <= 65_536,
                user.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else { throw .malformedToken }
        } else {
            if text.isEmpty { throw .emptyPassword }
            if text.contains(0) { throw .nulInPassword }
        }
    }

    /// Whether SASLprep would not change user and password, which is certain only for printable ASCII. RFC 4013 §2.
    var isPrepared: Bool {
        [user, secret.reveal()].allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
    }
}
