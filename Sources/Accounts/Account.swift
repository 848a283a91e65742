public import Models
public import SASL

/// One account of `opus.yaml`. It has no secret inside, only the way to get one.
public struct Account: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
        /// An absolute path.
        case maildir(String)
        case imap(ServerSettings)
    }

    public var id: AccountID
    public var address: EmailAddress
    public var source: Source
    /// nil: nothing is sent from this account; what is composed becomes a draft.
    public var smtp: ServerSettings?
    public var login: Login?
    /// What the user calls the mailboxes of these roles.
    public var folders: [MailboxRole: String]
    public var sync: SyncSettings
    /// What stands below its mails; without the dashes, without an empty line at the end.
    public var signature: String?
    /// The names under which servers of the user's write `Authentication-Results`, in lower case. RFC 8601 §2.5.
    public var authenticationServers: Set<String> = []
    /// An absolute path: authorities to believe about the certificates of people, besides the system's.
    public var smimeCAFile: String?
    public var place: SourcePlace

    public init(
        id: AccountID, address: EmailAddress, source: Source, smtp: ServerSettings? = nil,
        login: Login? = nil,
        folders: [MailboxRole: String] = [:], sync: SyncSettings = SyncSettings(), place: SourcePlace
    ) {
        self.id = id
        self.address = address
        self.source = source
        self.smtp = smtp
        self.login = login
        self.folders = folders
        self.sync = sync
        self.place = place
    }
}

/// A line of a file, as the user would type it: `opus.yaml:12`.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
    public var file: String
    public var line: Int

    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    public var description: String { "\(file):\(line)" }
}

/// Where a server is, and how the way there is protected.
public struct ServerSettings: Hashable, Sendable {
    public enum Security: String, Hashable, CaseIterable, Sendable {
        /// TLS from the first byte. RFC 8314 §3.
        case tls
        case startTLS = "starttls"
        /// Only to this machine.
        case none
    }

    public var host: String
    public var port: Int
    public var security: Security
    /// An absolute path: certificates to trust instead of the system's.
    public var caFile: String?
    /// SHA-256 of the only certificate to trust, as 64 lower-case hexadecimal digits.
    public var pin: String?

    public init(
        host: String, port: Int, security: Security = .tls, caFile: String? = nil, pin: String? = nil
    ) {
        self.host = host
        self.port = port
        self.security = security
        self.caFile = caFile
        self.pin = pin
    }

    /// Whether a name stays on this machine.
    static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name == "::1" || name == "[::1]" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// Who logs in, and which command prints the password or token.
public struct Login: Hashable, Sendable {
    /// What the command prints.
    public enum Proof: String, Hashable, Sendable {
        case password
        /// An OAuth 2.0 access token that is good now: the command renews it where it must.
        case token
    }

    public var user: String
    public var proof: Proof
    /// Program and arguments, run as they are: no shell reads them.
    public var command: [String]
    /// The only mechanism to use; nil for the best that the server offers.
    public var mechanism: SASLMechanism?
    /// Where the command runs: the workspace.
    public var folder: String
    /// The line of the command.
    public var place: SourcePlace

    public init(
        user: String, proof: Proof = .password, command: [String], mechanism: SASLMechanism? = nil,
        folder: String, place: SourcePlace
    ) {
        self.user = user
        self.proof = proof
        self.command = command
        self.mechanism = mechanism
        self.folder = folder
        self.place = place
    }
}
