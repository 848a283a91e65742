/// How an account logs in by OAuth 2.0 (RFC 6749): the client, the provider's addresses, and where the tokens are kept.
public struct OAuthSettings: Hashable, Sendable {
    /// Where the tokens are kept between two runs.
    public enum Store: Hashable, Sendable {
        /// A file of mode 0600 in the store's folder.
        case file
        /// The desktop's keyring, through `secret-tool`.
        case secretService
        /// A command that prints the refresh token, and one that takes a new one on standard input.
        case commands(load: [String], store: [String])
        /// A file that systemd hands to the service: `$CREDENTIALS_DIRECTORY/NAME`. It cannot be written.
        case credential(String)
    }

    /// nil: opus registers itself with the issuer when the user logs in.
    public var clientID: String?
    /// The provider whose metadata has the addresses, and with which opus registers itself. RFC 8414, RFC 7591.
    public var issuer: String?
    /// Program and arguments that print the client's secret; most clients of users have none.
    public var clientSecretCommand: [String]?
    public var authorizeURL: String?
    /// nil: the issuer names it.
    public var tokenURL: String?
    /// RFC 8628; nil: the provider has no device login.
    public var deviceURL: String?
    public var scopes: [String]
    /// The redirect address that is registered where a loopback address cannot be: `https://localhost`. The user pastes
    /// the address that the browser ends at.
    public var pasteRedirect: String
    /// More parameters of the authorization request, such as `prompt: consent`.
    public var parameters: [String: String]
    /// How many seconds a login lasts, if the provider does not say; nil: unknown.
    public var refreshLife: Int64?
    public var store: Store
    /// An absolute path: certificates to trust instead of the system's.
    public var caFile: String?
    public var place: SourcePlace
}
