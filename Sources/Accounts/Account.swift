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
    /// The program that sends, in place of a server.
    public var sendmail: Sendmail?
    public var login: Login?
    /// What the user calls the mailboxes of these roles.
    public var folders: [MailboxRole: String]
    public var sync: SyncSettings
    /// The text below each mail; without the dashes and without an empty line at the end.
    public var signature: String?
    /// The other addresses that it writes from, and settings of its own one.
    public var identities: [Identity] = []
    /// The names under which servers of the user's write `Authentication-Results`, in lower case. RFC 8601 §2.5.
    public var authenticationServers: Set<String> = []
    /// An absolute path: authorities to believe about the certificates of people, besides the system's.
    public var smimeCAFile: String?
    /// What it lets opus do, and where that is written; nil: nowhere, so everything.
    public var permissions = Permissions.full
    public var permissionsPlace: SourcePlace?
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
    /// Whether the account's login is used here. A relay that needs none may be configured so; on this machine a server
    /// that offers no login is used without one.
    public var usesLogin = true

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

/// A program that takes a message on standard input and sends it, as sendmail does.
public struct Sendmail: Hashable, Sendable {
    /// Program and arguments, run as they are: no shell reads them. Sender and recipients are added at the end.
    public var command: [String]
    public var place: SourcePlace

    public init(command: [String], place: SourcePlace) {
        self.command = command
        self.place = place
    }
}

/// Who logs in, and which command prints the password or token.
public struct Login: Hashable, Sendable {
    /// The kinds of secret that a command prints.
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
    /// nil: a command prints the password or token.
    public var oauth: OAuthSettings?
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

extension Account {
    /// Whether anything can be sent from it.
    public var canSend: Bool { smtp != nil || sendmail != nil }
}

extension Sendmail {
    /// The file to run; nil where there is none that may be run.
    public var program: String? {
        guard let name = command.first else { return nil }
        guard name.contains("/") else { return Disk.program(name) }
        return Disk.isProgram(name) ? name : nil
    }
}
