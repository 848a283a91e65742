/// A mail provider in the table: its servers, the kinds of login, and common obstacles.
public struct Provider: Hashable, Codable, Sendable {
    /// What a user needs for the login.
    public enum LoginKind: String, Hashable, Codable, Sendable {
        case password
        case appPassword = "app-password"
        case oauth
        /// A program on this machine with its own password.
        case bridge
    }

    public struct Server: Hashable, Codable, Sendable {
        public var host: String
        public var port: Int
        public var security: ServerSecurity
    }

    public var id: String
    public var name: String
    /// Domains of addresses, in lower case.
    public var domains: [String]
    /// Ends of the names of mail exchangers, in lower case, for domains of customers.
    public var mx: [String]
    public var imap: Server
    public var smtp: Server
    /// The best first.
    public var login: [LoginKind]
    /// The next step for the user.
    public var step: String
    /// The web page of that step.
    public var page: String
    /// Common obstacles, one sentence each.
    public var blocks: [String]
    /// The month of the last check of this row; `source` is the provider's page about it.
    public var asOf: String
    public var source: String
    /// The public source of the servers in this row, and the day of the comparison; nil: not compared.
    public var servers: Checked?

    public struct Checked: Hashable, Codable, Sendable {
        public var read: String
        public var source: String
    }
}

/// How a connection is protected. There is no choice without encryption.
public enum ServerSecurity: String, Hashable, Codable, Sendable {
    case tls
    case startTLS = "starttls"
}
