public import NIOCore
public import SASL

/// Every command this client can say. There is no EXPUNGE without UIDs, no CLOSE and no STORE by number.
/// RFC 3501 §6, RFC 9051 §6.
public enum Command: Sendable {
    case capability
    case noop
    case logout
    case startTLS
    /// Only where LOGINDISABLED is not in force, and never in the clear over a network.
    case login(user: String, password: Secret)
    /// Who we are. RFC 2971 §3.1.
    case id([IDField])
    case list(ListKind)
    case create([UInt8])
    case select([UInt8], readOnly: Bool, condstore: Bool)
    case status([UInt8], modSeq: Bool)
    case uidFetch(UIDSet, FetchItems)
    case uidStore(UIDSet, FlagChange)
    case uidMove(UIDSet, to: [UInt8])
    case uidCopy(UIDSet, to: [UInt8])
    case uidExpunge(UIDSet)
    case uidSearch(SearchCriteria, extended: Bool)
    case append(AppendRequest)
    /// Any mechanism. Without an initial response, or where the server has no SASL-IR, the line ends after the
    /// mechanism's name, and the answers go as ``ContinuationLine``s. An empty initial response travels as `=`.
    /// RFC 3501 §6.2.2, RFC 4959.
    case authenticate(mechanism: String, initialResponse: Secret?)
    /// Only what the server offered; believe its `* ENABLED`. RFC 5161.
    case enable([Capability])
    case namespace
    case listExtended(ListRequest)
    case selectWith(SelectRequest)
    case statusOf([UInt8], [StatusItem])
    /// Of the messages that the last `RETURN (SAVE)` kept: `$`. RFC 5182.
    case uidFetchSaved(FetchItems)
    case uidStoreLabels(UIDSet, LabelChange)
    case uidSearchReturning(SearchCriteria, SearchReturn)
    /// Ends with ``ContinuationLine/done``, which must wait for the server's `+`.
    case idle
    /// Leaves the mailbox and expunges nothing. RFC 3691.
    case unselect
    case getQuotaRoot([UInt8])
    case notify(NotifyRequest)
    /// Everything after the tagged OK is compressed, both ways. RFC 4978.
    case compressDeflate

    /// How mailboxes are asked for.
    public enum ListKind: Equatable, Sendable {
        case plain
        /// `LIST "" "*" RETURN (SPECIAL-USE)`. RFC 6154 §2.
        case specialUse
        /// What Gmail had before SPECIAL-USE.
        case xlist
    }

    /// The longest line that any server must take. RFC 7162 §4 says 8,192 octets.
    public static let longestLine = 8_000

    /// The words that begin the command, without its tag: `UID FETCH`.
    public var name: String {
        switch self {
        case .capability: "CAPABILITY"
        case .noop: "NOOP"
        case .logout: "LOGOUT"
        case .startTLS: "STARTTLS"
        case .login: "LOGIN"
        case .id: "ID"
        case .list(.plain), .list(.specialUse): "LIST"
        case .list(.xlist): "XLIST"
        case .create: "CREATE"
        case .select(_, let readOnly, _): readOnly ? "EXAMINE" : "SELECT"
        case .status: "STATUS"
        case .uidFetch: "UID FETCH"
        case .uidStore: "UID STORE"
        case .uidMove: "UID MOVE"
        case .uidCopy: "UID COPY"
        case .uidExpunge: "UID EXPUNGE"
        case .uidSearch: "UID SEARCH"
        case .append: "APPEND"
        case .authenticate: "AUTHENTICATE"
        case .enable: "ENABLE"
        case .namespace: "NAMESPACE"
        case .listExtended: "LIST"
        case .selectWith(let request): request.readOnly ? "EXAMINE" : "SELECT"
        case .statusOf: "STATUS"
        case .uidFetchSaved: "UID FETCH"
        case .uidStoreLabels: "UID STORE"
        case .uidSearchReturning: "UID SEARCH"
        case .idle: "IDLE"
        case .unselect: "UNSELECT"
        case .getQuotaRoot: "GETQUOTAROOT"
        case .notify: "NOTIFY"
        case .compressDeflate: "COMPRESS"
        }
    }
}

/// A message on its way into a mailbox. RFC 3501 §6.3.11.
public struct AppendRequest: Equatable, Sendable {
    public var mailbox: [UInt8]
    public var flags: [String]
    /// Seconds since 1970; nil lets the server take its own time.
    public var internalDate: Int64?
    /// With CRLF line ends.
    public var message: ByteBuffer
    /// The header holds UTF-8: `UTF8 (~{12}…)`. Needs UTF8=ACCEPT, enabled. RFC 6855 §4.
    public var isUTF8: Bool

    public init(
        mailbox: [UInt8], flags: [String] = [], internalDate: Int64? = nil, message: ByteBuffer,
        isUTF8: Bool = false
    ) {
        self.mailbox = mailbox
        self.flags = flags
        self.internalDate = internalDate
        self.message = message
        self.isUTF8 = isUTF8
    }
}

/// Flags to add or to remove; never a full replacement, which would undo what others did meanwhile.
public struct FlagChange: Hashable, Sendable {
    public enum Operation: Hashable, Sendable {
        case add
        case remove
    }

    public var operation: Operation
    /// `\Seen`, `$Forwarded`
    public var flags: [String]
    /// Leaves out messages whose MODSEQ is greater; the server names them in `[MODIFIED]`. Needs CONDSTORE.
    /// RFC 7162 §3.1.3.
    public var unchangedSince: UInt64?

    public init(_ operation: Operation, _ flags: [String], unchangedSince: UInt64? = nil) {
        self.operation = operation
        self.flags = flags
        self.unchangedSince = unchangedSince
    }

    public static func add(_ flags: [String]) -> FlagChange { FlagChange(.add, flags) }
    public static func remove(_ flags: [String]) -> FlagChange { FlagChange(.remove, flags) }
}

/// What to ask of each message. Always `BODY.PEEK`, which does not set `\Seen`. RFC 3501 §6.4.5.
public struct FetchItems: Hashable, Sendable {
    /// How much of the message itself.
    public enum Body: Hashable, Sendable {
        /// All of it; what is longer than `maximum` is read past and reported as omitted.
        case whole(maximum: Int)
        /// So many octets from the start.
        case first(Int)
    }

    public var flags = false
    public var internalDate = false
    public var size = false
    /// Needs CONDSTORE.
    public var modSeq = false
    /// The header block, up to `headerMaximum`; a longer one is read past and reported as omitted.
    public var header = false
    public var headerMaximum = 1_024 * 1_024
    public var body: Body?
    /// Only messages whose MODSEQ is greater. Needs CONDSTORE; never 0. RFC 7162 §3.1.4.
    public var changedSince: UInt64?
    /// With ``changedSince``: also what is gone since then. Needs QRESYNC, enabled. RFC 7162 §3.2.6.
    public var vanished = false
    public var envelope = false
    public var bodyStructure = false
    public var sections: [SectionRequest] = []
    /// EMAILID and THREADID. Need OBJECTID.
    public var objectIDs = false
    /// X-GM-MSGID and X-GM-THRID. Need X-GM-EXT-1.
    public var gmailIDs = false
    public var gmailLabels = false

    public init(
        flags: Bool = false, internalDate: Bool = false, size: Bool = false, modSeq: Bool = false,
        header: Bool = false, body: Body? = nil, changedSince: UInt64? = nil
    ) {
        self.flags = flags
        self.internalDate = internalDate
        self.size = size
        self.modSeq = modSeq
        self.header = header
        self.body = body
        self.changedSince = changedSince
    }

    /// Flags only.
    public static let flags = FetchItems(flags: true)
    /// Everything but the message: flags, time and size.
    public static let listing = FetchItems(flags: true, internalDate: true, size: true)

    /// Whether only beginnings of message data are asked for, so that the beginning of a longer answer will do.
    public var wantsStart: Bool {
        guard !header, sections.allSatisfy({ $0.offset == 0 || $0.kind != .content }) else { return false }
        return switch body {
        case .first: true
        case .whole: false
        case nil: sections.contains { $0.offset == 0 }
        }
    }

    /// The most octets of message data that a fitting answer can carry.
    public var bodyLimit: Int {
        let headerLimit = (header ? headerMaximum : 0) + sections.reduce(0) { $0 + $1.count }
        return switch body {
        case nil: headerLimit
        case .whole(let maximum): headerLimit + max(0, maximum)
        case .first(let count): headerLimit + max(0, count)
        }
    }
}

/// Which messages to look for. RFC 3501 §6.4.4.
public indirect enum SearchCriteria: Hashable, Sendable {
    case all
    /// Messages with that text in that field. Servers compare substrings without case: use the full token.
    case header(name: String, value: String)
    case uids(UIDSet)
    case both(SearchCriteria, SearchCriteria)
    /// What the last `RETURN (SAVE)` kept: `$`. RFC 5182.
    case saved
    case unseen
    case undeleted
    /// Received at that day or later, in the server's own time zone. Seconds since 1970.
    case since(Int64)
    case before(Int64)
    /// MODSEQ of that or greater. Needs CONDSTORE. Yahoo answers BAD. RFC 7162 §3.1.5.
    case modSeq(UInt64)
    /// Needs OBJECTID. RFC 8474 §6.
    case emailID(String)
    /// X-GM-MSGID. Needs X-GM-EXT-1.
    case gmailMessageID(UInt64)
    /// Needs X-GM-EXT-1.
    case gmailRaw(String)
}
