/// Everything a server can say, as far as we use it. RFC 3501 §7.
public enum Response: Equatable, Sendable {
    case tagged(CommandTag, StatusResponse)
    /// Untagged OK, NO, BAD, PREAUTH or BYE.
    case status(StatusResponse)
    /// `+`: the server waits for the rest of a command.
    case continuation(text: String)
    case capability(Set<Capability>)
    case enabled(Set<Capability>)
    case list(ListResponse)
    case mailboxStatus(MailboxStatus)
    case search([UInt32], highestModSeq: UInt64?)
    case esearch(ESearchResponse)
    case flags([String])
    case exists(UInt32)
    case recent(UInt32)
    /// By sequence number: we keep no map of those, so it only says that something went.
    case expunge(UInt32)
    case vanished(UIDSet, earlier: Bool)
    case fetch(FetchResponse)
    case id([IDField])
    case namespace(NamespaceResponse)
    /// A response that came later than the first RFC, or that we have no use for.
    case other(OtherResponse)
    /// A response that does not parse: counted and skipped, it never ends the session.
    case unparsable(Unparsable)
}

/// The name of one command, by which its end is known: `A17`.
public struct CommandTag: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}

/// Why a response was skipped, and where in its text.
public struct Unparsable: Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case expected(String)
        case numberTooLarge
        case nesting(actual: Int, maximum: Int)
        case tooManyItems(actual: Int, maximum: Int)
        case unbalancedParentheses
        /// Message data beyond the limit where no message data can be.
        case misplacedLiteral
    }

    public var reason: Reason
    public var offset: Int
    /// What kind of response was lost, in upper case: after a lost `FETCH`, `VANISHED` or `SEARCH` the mailbox
    /// wants a full comparison. Empty where not even that is known.
    public var keyword: String
    /// Whose FETCH was lost, where the UID came before the fault.
    public var uid: UInt32?
    /// The text round the fault, at most 200 bytes, for a bug report. Text from a stranger, and maybe of a mail.
    public var excerpt: [UInt8]

    public init(
        reason: Reason, offset: Int, keyword: String = "", uid: UInt32? = nil, excerpt: [UInt8] = []
    ) {
        self.reason = reason
        self.offset = offset
        self.keyword = keyword
        self.uid = uid
        self.excerpt = excerpt
    }
}

extension Unparsable.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .expected(let what): "\(what) expected"
        case .numberTooLarge: "a number that is too large"
        case .nesting(let actual, let maximum): "\(actual) parentheses deep; at most \(maximum) are read"
        case .tooManyItems(let actual, let maximum): "\(actual) items or more; at most \(maximum) are read"
        case .unbalancedParentheses: "parentheses that do not balance"
        case .misplacedLiteral: "message data where none can be"
        }
    }
}

/// What LIST, LSUB or XLIST says of one mailbox. RFC 3501 §7.2.2, RFC 5258, RFC 6154.
public struct ListResponse: Equatable, Sendable {
    /// As they came: `\HasNoChildren`.
    public var attributes: [String]
    /// nil where names have no hierarchy.
    public var delimiter: UInt8?
    /// The exact bytes of the name.
    public var name: [UInt8]
    /// What was selected below this mailbox, in upper case: `SUBSCRIBED`. RFC 5258 §3.5.
    public var childInfo: [String] = []
    /// The name before a RENAME, exact bytes. RFC 9051 §6.3.9.7.
    public var oldName: [UInt8]?

    public init(
        attributes: [String] = [], delimiter: UInt8?, name: [UInt8], childInfo: [String] = [],
        oldName: [UInt8]? = nil
    ) {
        self.attributes = attributes
        self.delimiter = delimiter
        self.name = name
        self.childInfo = childInfo
        self.oldName = oldName
    }

    func hasAttribute(_ attribute: String) -> Bool {
        attributes.contains { $0.utf8.uppercasedWord == attribute.utf8.uppercasedWord }
    }

    /// Whether the mailbox can be selected at all.
    public var isSelectable: Bool { !hasAttribute("\\Noselect") && !hasAttribute("\\NonExistent") }
}

/// What STATUS says; a number that the server left out is nil. RFC 3501 §7.2.4.
public struct MailboxStatus: Equatable, Sendable {
    public var name: [UInt8]
    public var messages: UInt32?
    public var uidNext: UInt32?
    public var uidValidity: UInt32?
    public var unseen: UInt32?
    public var highestModSeq: UInt64?
    public var recent: UInt32?
    /// Messages with `\Deleted`. RFC 9051 §6.3.11.
    public var deleted: UInt32?
    /// Octets of all messages. RFC 8438.
    public var size: UInt64?
    /// The same mailbox under any name. RFC 8474 §4.
    public var mailboxID: String?
    /// The longest message that APPEND takes here; nil also where the server says there is no limit. RFC 7889.
    public var appendLimit: UInt64?

    public init(
        name: [UInt8], messages: UInt32? = nil, uidNext: UInt32? = nil, uidValidity: UInt32? = nil,
        unseen: UInt32? = nil, highestModSeq: UInt64? = nil, recent: UInt32? = nil, deleted: UInt32? = nil,
        size: UInt64? = nil, mailboxID: String? = nil, appendLimit: UInt64? = nil
    ) {
        self.name = name
        self.messages = messages
        self.uidNext = uidNext
        self.uidValidity = uidValidity
        self.unseen = unseen
        self.highestModSeq = highestModSeq
        self.recent = recent
        self.deleted = deleted
        self.size = size
        self.mailboxID = mailboxID
        self.appendLimit = appendLimit
    }
}

/// What ESEARCH says. RFC 4731 §3.
public struct ESearchResponse: Equatable, Sendable {
    public var tag: CommandTag?
    public var isUID = false
    /// nil when nothing matched, or ALL was not asked for.
    public var all: UIDSet?
    public var count: UInt32?
    public var highestModSeq: UInt64?
    public var min: UInt32?
    public var max: UInt32?
    /// What `RETURN (PARTIAL 1:500)` brought; an empty set where nothing stands there. RFC 9394.
    public var partial: UIDSet?

    public init() {}
}

/// One field of an ID response. Text from a stranger. RFC 2971 §3.2.
public struct IDField: Equatable, Sendable {
    public var name: String
    public var value: String?

    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
}

/// Where a server keeps whose mailboxes. RFC 2342 §5.
public struct NamespaceResponse: Equatable, Sendable {
    public struct Entry: Equatable, Sendable {
        public var prefix: [UInt8]
        public var delimiter: UInt8?

        public init(prefix: [UInt8], delimiter: UInt8?) {
            self.prefix = prefix
            self.delimiter = delimiter
        }
    }

    public var personal: [Entry]
    public var otherUsers: [Entry]
    public var shared: [Entry]

    public init(personal: [Entry] = [], otherUsers: [Entry] = [], shared: [Entry] = []) {
        self.personal = personal
        self.otherUsers = otherUsers
        self.shared = shared
    }
}
