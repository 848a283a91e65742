/// What is known of a server beyond its capabilities: how far to trust it, and how hard to push it.
///
/// A pure value, made of what the server says of itself. A capability says what a server claims, a profile what the
/// field has learnt: `docs/Quirks.md` has the lines. A low pipeline depth without a line there is caution, not
/// knowledge. Unknown servers get ``standard``.
public struct ServerProfile: Equatable, Sendable {
    /// Who the server is; the table below has one row for each.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case gmail
        case outlook
        case icloud
        case yahoo
        case exchange
        case proton
        case zimbra
        /// QQ, 163 and 126: close relatives of each other.
        case qq
        case netease
        case courier
        case cyrus
        case stalwart
        case dovecot
        case domino
        case zoho
        case yandex
        case mailRu
        case hMailServer
        case purelymail
        case davMail
        case unknown
    }

    /// Who puts the copy of a sent message into the Sent mailbox.
    public enum SentCopy: Equatable, Sendable {
        /// We do, by APPEND.
        case client
        /// The submission server does; an APPEND would make a second one.
        case server
        /// It differs from account to account: look once, then remember.
        case probe
    }

    public var kind: Kind
    /// Connections of one account at once.
    public var maximumConnections = 5
    /// Commands on the wire at once; never for commands that change something.
    public var pipelineDepth = 4
    /// The longest command line in octets, without its end.
    public var commandLineLimit = Command.longestLine
    /// Messages in one COPY, MOVE or STORE.
    public var messagesPerMutation = Int.max
    /// Whether QRESYNC can be believed where it is offered.
    public var usesQResync = true
    public var usesCondstore = true
    /// Whether LIST with RETURN or a selection works where it is offered.
    public var usesExtendedList = true
    /// Whether `UID SEARCH RETURN (…)` works where it is offered.
    public var usesExtendedSearch = true
    /// Whether IDLE can be believed where it is offered.
    public var usesIdle = true
    /// Whether the capabilities in the OK of a login are all it has. They are requested again, but without waiting.
    public var listsCapabilitiesAtLogin = false
    /// Whether `* ENABLED` follows an ENABLE that worked; where not, OK alone counts.
    public var saysEnabled = true
    /// Whether RFC822.SIZE is the size; elsewhere it is an estimate and no check.
    public var sizeIsExact = true
    /// Whether a UID still means the same message a moment later; elsewhere the header is read before each change.
    public var uidsAreStable = true
    /// Whether `\Deleted` may be used at all; Gmail may expunge at once whatever carries it.
    public var usesDeletedFlag = true
    /// Whether UID EXPUNGE works where UIDPLUS is offered.
    public var usesUIDExpunge = true
    /// Whether new messages are seen without another SELECT.
    public var showsNewMessages = true
    /// Whether ID must be sent before a mailbox can be opened.
    public var requiresID = false
    public var sentCopy = SentCopy.client
    /// Octets that may be fetched in a day before the server shuts the account off; nil for no known limit.
    public var dailyDownloadLimit: UInt64?
    /// The life of a connection, in minutes, before the server ends it; nil for no known limit.
    public var sessionMinutes: Int?

    public init(kind: Kind) { self.kind = kind }

    public static let standard = ServerProfile(.unknown)
}

// MARK: - The table

extension ServerProfile {
    /// The row of that server.
    public init(_ kind: Kind) {
        self.init(kind: kind)
        switch kind {
        case .gmail: setGmail()
        case .outlook: setOutlook()
        case .exchange: setExchange()
        case .yahoo: setYahoo()
        case .proton: setProton()
        case .icloud: setICloud()
        case .zimbra: pipelineDepth = 2
        case .qq, .netease:
            requiresID = kind == .netease
            pipelineDepth = 2
            maximumConnections = 3
        case .courier:
            showsNewMessages = false
            maximumConnections = 4
        case .domino: pipelineDepth = 1
        case .zoho:
            usesCondstore = false
            maximumConnections = 3
        case .yandex, .mailRu:
            usesIdle = kind != .yandex
            maximumConnections = 3
            sentCopy = .probe
        case .hMailServer, .davMail:
            sizeIsExact = false
            pipelineDepth = 1
        case .cyrus, .stalwart: pipelineDepth = 25
        case .dovecot:
            pipelineDepth = 25
            listsCapabilitiesAtLogin = true
        case .purelymail, .unknown: break
        }
    }

    private mutating func setGmail() {
        maximumConnections = 3
        usesDeletedFlag = false
        sentCopy = .server
        dailyDownloadLimit = 2_500_000_000
        sessionMinutes = 60
    }

    private mutating func setICloud() {
        usesQResync = false
        saysEnabled = false
        sentCopy = .probe
    }

    private mutating func setOutlook() {
        maximumConnections = 4
        pipelineDepth = 4
        sizeIsExact = false
        sentCopy = .server
        sessionMinutes = 60
    }

    private mutating func setExchange() {
        maximumConnections = 4
        pipelineDepth = 2
        sizeIsExact = false
        sentCopy = .probe
    }

    private mutating func setYahoo() {
        maximumConnections = 3
        commandLineLimit = 1_000
        messagesPerMutation = 1
        pipelineDepth = 2
        sentCopy = .probe
    }

    private mutating func setProton() {
        usesExtendedList = false
        usesExtendedSearch = false
        usesUIDExpunge = false
        uidsAreStable = false
        sentCopy = .server
    }
}

// MARK: - Who is it?

extension ServerProfile {
    /// Looks at what the server says of itself, the surest word first: ID, capabilities, host name, greeting.
    ///
    /// - Parameters:
    ///   - greeting: the text of the first response.
    ///   - capabilities: all that were offered, before the login and after it.
    ///   - id: the server's answer to ID.
    ///   - host: the name that was connected to.
    /// - Returns: ``standard`` for an unknown server.
    public static func detect(
        greeting: String, capabilities: Set<Capability> = [], id: [IDField] = [], host: String = ""
    ) -> ServerProfile {
        let said = id.prefix(30).compactMap { $0.value?.utf8.uppercasedWord }.joined(separator: " ")
        let found =
            kind(naming: said, in: idWords) ?? kind(offering: capabilities)
            ?? kind(naming: host.utf8.uppercasedWord, in: hostWords)
            ?? kind(naming: greeting.utf8.uppercasedWord, in: greetingWords)
        if found == .exchange, isHosted(capabilities, id) { return ServerProfile(.outlook) }
        return ServerProfile(found ?? .unknown)
    }

    /// Microsoft's own service carries the same name as a company's server, but offers OAuth and version 15.20.
    private static func isHosted(_ capabilities: Set<Capability>, _ id: [IDField]) -> Bool {
        capabilities.contains(Capability("AUTH=XOAUTH2"))
            || id.contains {
                $0.name.utf8.uppercasedWord == "VERSION" && $0.value?.hasPrefix("15.20") == true
            }
    }

    private static let hostWords: [(String, Kind)] = [
        ("GMAIL.COM", .gmail), ("GOOGLEMAIL.COM", .gmail), ("OFFICE365.COM", .outlook),
        ("OUTLOOK.COM", .outlook), ("MAIL.ME.COM", .icloud), ("YAHOO", .yahoo), ("AOL.COM", .yahoo),
        ("QQ.COM", .qq), ("163.COM", .netease), ("126.COM", .netease), ("ZOHO", .zoho),
        ("YANDEX", .yandex), ("MAIL.RU", .mailRu), ("FASTMAIL.COM", .cyrus), ("PURELYMAIL.COM", .purelymail),
    ]

    private static let idWords: [(String, Kind)] = [
        ("GIMAP", .gmail), ("MICROSOFT.EXCHANGE", .exchange), ("PROTON", .proton), ("GLUON", .proton),
        ("ZIMBRA", .zimbra), ("CYRUS", .cyrus), ("STALWART", .stalwart), ("DOVECOT", .dovecot),
        ("COURIER", .courier), ("COREMAIL", .netease), ("NETEASE", .netease), ("QQMAIL", .qq),
        ("YAHOO", .yahoo), ("ICLOUD", .icloud), ("XM-IMAP", .icloud), ("DOMINO", .domino), ("ZOHO", .zoho),
        ("YANDEX", .yandex), ("MAIL.RU", .mailRu), ("HMAILSERVER", .hMailServer),
        ("PURELYMAIL", .purelymail), ("DAVMAIL", .davMail),
    ]

    private static let greetingWords: [(String, Kind)] = [
        ("GIMAP READY", .gmail), ("OUTLOOK.COM", .outlook), ("PROD.EXCHANGELABS", .outlook),
        ("OFFICE365", .outlook), ("MICROSOFT EXCHANGE", .exchange), ("PROTON", .proton),
        ("ZIMBRA", .zimbra), ("QQMAIL", .qq), ("COREMAIL", .netease), ("COURIER-IMAP", .courier),
        ("COURIER IMAP", .courier), ("CYRUS IMAP", .cyrus), ("STALWART", .stalwart),
        ("DOVECOT", .dovecot), ("DOMINO", .domino), ("ZOHO", .zoho), ("YANDEX", .yandex),
        ("MAIL.RU", .mailRu), ("HMAILSERVER", .hMailServer), ("PURELYMAIL", .purelymail),
        ("DAVMAIL", .davMail), ("IMAPGATE", .yahoo), ("YAHOO", .yahoo), ("ISCREAM", .icloud),
    ]

    private static func kind(naming text: String, in words: [(String, Kind)]) -> Kind? {
        words.first { text.utf8.contains($0.0.utf8) }?.1
    }

    /// Capabilities of one vendor only.
    private static func kind(offering capabilities: Set<Capability>) -> Kind? {
        if capabilities.contains(.gmail) { return .gmail }
        if capabilities.contains(Capability("XYMHIGHESTMODSEQ")) { return .yahoo }
        if capabilities.contains(Capability("AUTH=ATOKEN")) { return .icloud }
        return nil
    }
}

extension Collection where Element == UInt8 {
    /// Whether the octets of a word are somewhere in these.
    fileprivate func contains(_ word: some Collection<UInt8>) -> Bool {
        var rest = self[...]
        while rest.count >= word.count {
            if rest.starts(with: word) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
