public import Models
public import SASL

/// One account of `opus.yaml`. It contains no password, only the way to get one.
public struct Account: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
        /// An absolute path.
        case maildir(String)
        case imap(ServerSettings)

        /// The key in opus.yaml.
        public var kind: String {
            switch self {
            case .maildir: "maildir"
            case .imap: "imap"
            }
        }

        /// The folder, or the server and its port.
        public var place: String {
            switch self {
            case .maildir(let path): path
            case .imap(let server): "\(server.host):\(server.port)"
            }
        }
    }

    public var id: AccountID
    public var address: EmailAddress
    public var source: Source
    /// nil: the account cannot send; new mail becomes a draft.
    public var smtp: ServerSettings?
    /// A program that sends mail, instead of a server.
    public var sendmail: Sendmail?
    public var login: Login?
    /// The mailbox names that the configuration assigns to these roles.
    public var folders: [MailboxRole: String]
    public var sync: SyncSettings
    /// The signature below each mail, without the dashes and without an empty line at the end.
    public var signature: String?
    /// The additional addresses from which it sends, and settings for its own address.
    public var identities: [Identity] = []
    /// The names of the user's servers in `Authentication-Results`, in lower case. RFC 8601 §2.5.
    public var authenticationServers: Set<String> = []
    /// An absolute path to certificate authorities that are trusted for S/MIME, in addition to the system's.
    public var smimeCAFile: String?
    /// What opus may do with the account, and where that is configured; the default is everything.
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

/// The address of a server, and how the connection is protected.
public struct ServerSettings: Hashable, Sendable {
    public enum Security: String, Hashable, CaseIterable, Sendable {
        /// TLS from the first byte. RFC 8314 §3.
        case tls
        case startTLS = "starttls"
        /// Only for servers on this machine.
        case none
    }

    public var host: String
    public var port: Int
    public var security: Security
    /// An absolute path to certificates that are trusted instead of the system's.
    public var caFile: String?
    /// SHA-256 of the only trusted certificate, as 64 lower-case hexadecimal digits.
    public var pin: String?
    /// Whether the account's login is used for this server. A relay without a login can be configured; a
    /// server on this machine that offers no login is used without one.
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

    /// Whether the name always refers to this machine.
    static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name == "::1" || name == "[::1]" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// A program that reads a message on standard input and sends it, like sendmail.
public struct Sendmail: Hashable, Sendable {
    /// Program and arguments, run without a shell. The sender and the recipients are appended.
    public var command: [String]
    public var place: SourcePlace

    public init(command: [String], place: SourcePlace) {
        self.command = command
        self.place = place
    }
}

/// The user name, and the command that prints the password or token.
public struct Login: Hashable, Sendable {
    /// The kind of secret that a command prints.
    public enum Proof: String, Hashable, Sendable {
        case password
        /// A valid OAuth 2.0 access token: the command renews it if necessary.
        case token
    }

    public var user: String
    public var proof: Proof
    /// Program and arguments, run without a shell.
    public var command: [String]
    /// The only mechanism to use; nil: the best one that the server offers.
    public var mechanism: SASLMechanism?
    /// nil: a command prints the password or token.
    public var oauth: OAuthSettings?
    /// The folder in which the command runs: the workspace.
    public var folder: String
    /// The position of the command in the file.
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
    /// Whether mail can be sent from it.
    public var canSend: Bool { smtp != nil || sendmail != nil }
}

extension Sendmail {
    /// The executable file; nil: there is none.
    public var program: String? {
        guard let name = command.first else { return nil }
        guard name.contains("/") else { return Disk.program(name) }
        return Disk.isProgram(name) ? name : nil
    }
}
