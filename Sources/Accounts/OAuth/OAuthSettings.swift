/// The OAuth 2.0 login of an account (RFC 6749): the client, the provider's addresses, and where the tokens
/// are stored.
public struct OAuthSettings: Hashable, Sendable {
    /// Where the tokens are stored between runs.
    public enum Store: Hashable, Sendable {
        /// A file of mode 0600 in the store's folder.
        case file
        /// The desktop's keyring, through `secret-tool`.
        case secretService
        /// A command that prints the refresh token, and one that takes a new one on standard input.
        case commands(load: [String], store: [String])
        /// A file that systemd passes to the service: `$CREDENTIALS_DIRECTORY/NAME`. It cannot be written.
        case credential(String)
    }

    /// nil: opus registers with the issuer when the user logs in.
    public var clientID: String?
    /// The provider whose metadata contains the addresses, and with which opus registers. RFC 8414, RFC 7591.
    public var issuer: String?
    /// Program and arguments that print the client secret; most clients of users have none.
    public var clientSecretCommand: [String]?
    public var authorizeURL: String?
    /// nil: it is in the metadata of the issuer.
    public var tokenURL: String?
    /// RFC 8628; nil: the provider does not support device login.
    public var deviceURL: String?
    public var scopes: [String]
    /// The redirect address to register if a loopback address is not possible: `https://localhost`. The user
    /// pastes the address to which the browser was redirected.
    public var pasteRedirect: String
    /// Additional parameters of the authorization request, such as `prompt: consent`.
    public var parameters: [String: String]
    /// The lifetime of a login in seconds, if the provider does not report it; nil: unknown.
    public var refreshLife: Int64?
    public var store: Store
    /// An absolute path to certificates that are trusted instead of the system's.
    public var caFile: String?
    public var place: SourcePlace
}
