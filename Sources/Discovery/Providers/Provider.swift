/// A mail provider as the shipped table knows it: its servers, the login that works, and what blocks people.
public struct Provider: Hashable, Codable, Sendable {
    /// What a user needs for the login.
    public enum LoginKind: String, Hashable, Codable, Sendable {
        case password
        case appPassword = "app-password"
        case oauth
        /// A program on this machine, with a password of its own.
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
    /// Ends of the names of mail exchangers, in lower case; for domains of the provider's customers.
    public var mx: [String]
    public var imap: Server
    public var smtp: Server
    /// The best first.
    public var login: [LoginKind]
    /// The one next step of the user.
    public var step: String
    /// The page where that step is done.
    public var page: String
    /// What stops people, a sentence each.
    public var blocks: [String]
    /// The month up to which the facts of the row were read in public sources; `source` is the page of the provider about them.
    public var asOf: String
    public var source: String
    /// The public source with which the servers of the row were compared, and the day; nil: not compared.
    public var servers: Checked?

    public struct Checked: Hashable, Codable, Sendable {
        public var read: String
        public var source: String
    }
}

/// How a connection to a server is protected; there is no choice without encryption.
public enum ServerSecurity: String, Hashable, Codable, Sendable {
    case tls
    case startTLS = "starttls"
}
