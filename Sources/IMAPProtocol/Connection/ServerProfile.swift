/// Known properties of a server, beyond its capabilities: which answers to trust, and how many commands it can take.
///
/// A pure value, chosen by what the server says about itself. A capability is a claim of the server; a profile is
/// experience, listed in `docs/Quirks.md`. A low pipeline depth without a line there is only a precaution. Unknown
/// servers get ``standard``.
public struct ServerProfile: Equatable, Sendable {
    /// The known servers; the table below has a row for each.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case gmail
        case outlook
        case icloud
        case yahoo
        case exchange
        case proton
        case zimbra
        /// QQ, 163 and 126, which behave alike.
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

    /// Which side puts the copy of a sent message into the Sent mailbox.
    public enum SentCopy: Equatable, Sendable {
        /// The client, by APPEND.
        case client
        /// The submission server. An APPEND would make a second copy.
        case server
        /// It depends on the account: check once, then remember.
        case probe
    }

    public var kind: Kind
    /// The most connections of one account at once.
    public var maximumConnections = 5
    /// The most commands sent without waiting for their ends. Of the commands that change messages, only moves are
    /// sent in this way.
    public var pipelineDepth = 4
    /// The longest command line in octets, without its line end.
    public var commandLineLimit = Command.longestLine
    /// The most messages in one COPY, MOVE or STORE.
    public var messagesPerMutation = Int.max
    /// Whether QRESYNC works if it is offered.
    public var usesQResync = true
    public var usesCondstore = true
    /// Whether LIST with RETURN or selection options works if it is offered.
    public var usesExtendedList = true
    /// Whether `UID SEARCH RETURN (…)` works if it is offered.
    public var usesExtendedSearch = true
    /// Whether IDLE works if it is offered.
    public var usesIdle = true
    /// Whether the OK of a login lists all capabilities. They are requested again anyway, but without waiting for the
    /// answer.
    public var listsCapabilitiesAtLogin = false
    /// Whether a successful ENABLE produces `* ENABLED`. Otherwise the OK alone is enough.
    public var saysEnabled = true
    /// Whether RFC822.SIZE is exact. Otherwise it is an estimate, and no check uses it.
    public var sizeIsExact = true
    /// Whether a UID keeps its message. Otherwise the client reads the header before each change.
    public var uidsAreStable = true
    /// Whether the client may use `\Deleted`. Gmail may expunge such messages at once.
    public var usesDeletedFlag = true
    /// Whether UID EXPUNGE works if UIDPLUS is offered.
    public var usesUIDExpunge = true
    /// Whether the server reports new messages without another SELECT.
    public var showsNewMessages = true
    /// Whether the client must send ID before it opens a mailbox.
    public var requiresID = false
    public var sentCopy = SentCopy.client
    /// The octets that a client may fetch in a day before the server blocks the account; nil: no known limit.
    public var dailyDownloadLimit: UInt64?
    /// The minutes after which the server ends a connection; nil: no known limit.
    public var sessionMinutes: Int?

    public init(kind: Kind) { self.kind = kind }

    public static let standard = ServerProfile(.unknown)
}

// MARK: - The table

extension ServerProfile {
    /// The row of this server.
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

// MARK: - Detection

extension ServerProfile {
    /// Recognises a server by what it says about itself. The order of precedence is ID, capabilities, host name,
    /// greeting.
    ///
    /// - Parameters:
    ///   - greeting: The text of the first response.
    ///   - capabilities: All capabilities offered before and after the login.
    ///   - id: The server's answer to ID.
    ///   - host: The name used for the connection.
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
