/// What LIST is asked for, in the words of RFC 5258: which mailboxes, and what to tell of each.
///
/// Only where the server offers LIST-EXTENDED; SPECIAL-USE and STATUS need their own capabilities too.
/// If INBOX does not come back, the server means something else by it: ask again with ``Command/ListKind/plain``.
public struct ListRequest: Equatable, Sendable {
    /// Which mailboxes. RFC 5258 §3.1.
    public enum Selection: String, Hashable, Sendable {
        case subscribed = "SUBSCRIBED"
        case remote = "REMOTE"
        /// Also the mailboxes above one that was selected. Never alone.
        case recursiveMatch = "RECURSIVEMATCH"
        case specialUse = "SPECIAL-USE"
    }

    /// What to tell. RFC 5258 §3.2, RFC 6154 §2.
    public enum Return: String, Hashable, Sendable {
        case subscribed = "SUBSCRIBED"
        case children = "CHILDREN"
        case specialUse = "SPECIAL-USE"
    }

    public var reference: [UInt8]
    /// With `*` and `%`, which are never escaped.
    public var patterns: [[UInt8]]
    public var selection: [Selection]
    public var returns: [Return]
    /// A STATUS for each mailbox that is listed; none when empty. RFC 5819 §2.
    public var status: [StatusItem]

    public init(
        reference: [UInt8] = [], patterns: [[UInt8]] = [[0x2A]], selection: [Selection] = [],
        returns: [Return] = [], status: [StatusItem] = []
    ) {
        self.reference = reference
        self.patterns = patterns
        self.selection = selection
        self.returns = returns
        self.status = status
    }
}

/// What STATUS can be asked for; each beyond the first five needs its capability. RFC 9051 §6.3.11.
public enum StatusItem: String, Hashable, CaseIterable, Sendable {
    case messages = "MESSAGES"
    case recent = "RECENT"
    case uidNext = "UIDNEXT"
    case uidValidity = "UIDVALIDITY"
    case unseen = "UNSEEN"
    /// IMAP4rev2.
    case deleted = "DELETED"
    /// CONDSTORE.
    case highestModSeq = "HIGHESTMODSEQ"
    /// STATUS=SIZE. RFC 8438.
    case size = "SIZE"
    /// OBJECTID. RFC 8474 §4.3.
    case mailboxID = "MAILBOXID"
    /// APPENDLIMIT. RFC 7889 §3.
    case appendLimit = "APPENDLIMIT"

    /// What this server can be asked for at once.
    public static func all(_ capabilities: Set<Capability>) -> [StatusItem] {
        allCases.filter { item in
            switch item {
            case .messages, .uidNext, .uidValidity, .unseen: true
            // Nobody needs it, and IMAP4rev2 has it no more.
            case .recent: false
            case .deleted: capabilities.contains(.imap4rev2)
            case .highestModSeq: capabilities.contains(.condstore) || capabilities.contains(.qresync)
            case .size: capabilities.contains(.statusSize) || capabilities.contains(.imap4rev2)
            case .mailboxID: capabilities.contains(.objectID)
            case .appendLimit: capabilities.contains(.appendLimit)
            }
        }
    }
}

/// SELECT or EXAMINE with what the mailbox was like when we saw it last.
public struct SelectRequest: Equatable, Sendable {
    /// What to ask beyond the mailbox itself.
    public enum Option: Equatable, Sendable {
        case none
        case condstore
        /// Alone: `(CONDSTORE QRESYNC (…))` is BAD at Purelymail. QRESYNC must have been enabled.
        case qresync(KnownState)
    }

    /// RFC 7162 §3.2.5. The list of sequence numbers is left out on purpose: Zimbra refuses numbers above EXISTS.
    public struct KnownState: Equatable, Sendable {
        public var uidValidity: UInt32
        public var modSeq: UInt64
        /// Empty lets the server take all up to the last UID.
        public var knownUIDs: UIDSet

        public init(uidValidity: UInt32, modSeq: UInt64, knownUIDs: UIDSet = UIDSet()) {
            self.uidValidity = uidValidity
            self.modSeq = modSeq
            self.knownUIDs = knownUIDs
        }
    }

    public var mailbox: [UInt8]
    public var readOnly: Bool
    public var option: Option

    public init(_ mailbox: [UInt8], readOnly: Bool = false, option: Option = .none) {
        self.mailbox = mailbox
        self.readOnly = readOnly
        self.option = option
    }
}

/// Which events of which mailboxes a server shall tell without being asked. RFC 5465 §3.
public struct NotifyRequest: Equatable, Sendable {
    /// RFC 5465 §6.
    public enum Mailboxes: Equatable, Sendable {
        case selected
        /// As `.selected`, but EXPUNGE only when nothing else runs.
        case selectedDelayed
        case inboxes
        case personal
        case subscribed
        case subtree([[UInt8]])
        case mailboxes([[UInt8]])
    }

    /// RFC 5465 §5.
    public enum Event: String, Hashable, Sendable {
        case messageNew = "MessageNew"
        case messageExpunge = "MessageExpunge"
        case flagChange = "FlagChange"
        case mailboxName = "MailboxName"
        case subscriptionChange = "SubscriptionChange"
    }

    public struct Group: Equatable, Sendable {
        public var mailboxes: Mailboxes
        /// Empty asks for silence: `NONE`.
        public var events: [Event]

        public init(_ mailboxes: Mailboxes, _ events: [Event]) {
            self.mailboxes = mailboxes
            self.events = events
        }
    }

    /// All that can happen to messages, in the open mailbox and in every other one of the account. Flags are never
    /// told without arrivals and removals. RFC 5465 §5.
    public static let everything = NotifyRequest(
        status: true,
        groups: [
            Group(.selected, [.messageNew, .messageExpunge, .flagChange]),
            Group(.personal, [.messageNew, .messageExpunge, .flagChange, .mailboxName]),
        ])

    /// Whether the server shall tell the present numbers of all mailboxes first.
    public var status: Bool
    /// Empty switches all events off.
    public var groups: [Group]

    public init(status: Bool = false, groups: [Group]) {
        self.status = status
        self.groups = groups
    }
}
