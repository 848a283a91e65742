/// What a client answers to prove who it is, as bytes before base 64.
///
/// Names and passwords travel as the UTF-8 they are: servers of today compare bytes, and a password
/// prepared with SASLprep is one that some of them would refuse.
public enum SASLMechanism {
    /// The initial response of `PLAIN`: no authorization identity, the user, the password. RFC 4616 §2.
    ///
    /// NUL is the separator, so a name or password that holds one is refused.
    public static func plain(user: String, password: Secret) throws(SASLError) -> [UInt8] {
        let (name, secret) = try checked(user: user, password: password)
        return [0] + name + [0] + secret
    }

    /// The two answers of `LOGIN`, in the order in which every server asks.
    ///
    /// The mechanism was never standardised and the text of its challenges varies: count them instead of
    /// reading them.
    public static func login(
        user: String, password: Secret
    ) throws(SASLError) -> (user: [UInt8], password: [UInt8]) {
        try checked(user: user, password: password)
    }

    /// The response as it goes on the wire. An empty initial response is `=`. RFC 4422 §4, RFC 4954 §4.
    public static func base64(_ response: [UInt8]) -> String {
        response.isEmpty ? "=" : Base64.encode(response)
    }

    private static func checked(
        user: String, password: Secret
    ) throws(SASLError) -> (user: [UInt8], password: [UInt8]) {
        let name = Array(user.utf8)
        let secret = Array(password.reveal().utf8)
        if name.isEmpty { throw .emptyUser }
        if secret.isEmpty { throw .emptyPassword }
        if name.contains(0) { throw .nulInUser }
        if secret.contains(0) { throw .nulInPassword }
        return (name, secret)
    }
}

/// A login that no mechanism can carry.
public enum SASLError: Error, Equatable, Sendable, CustomStringConvertible {
    case emptyUser
    case emptyPassword
    case nulInUser
    case nulInPassword

    public var description: String {
        switch self {
        case .emptyUser: "the user name is empty; set user: for this account"
        case .emptyPassword: "the password is empty; check what the password command prints"
        case .nulInUser: "the user name holds a NUL character, which a login cannot carry"
        case .nulInPassword: "the password holds a NUL character, which a login cannot carry"
        }
    }
}
