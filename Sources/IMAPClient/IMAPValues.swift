public import IMAPProtocol
public import NIOCore

/// What SELECT or EXAMINE said of a mailbox. RFC 3501 §6.3.1.
public struct SelectedMailbox: Equatable, Sendable {
    public var name: [UInt8]
    public var exists: Int
    /// 0 when the server did not tell: then no UID may be kept, and none used for a change.
    public var uidValidity: UInt32
    public var uidNext: UInt32?
    /// nil without CONDSTORE, and for a mailbox that keeps none.
    public var highestModSeq: UInt64?
    /// Flags that can be changed for good; nil when the server did not tell, which means all.
    public var permanentFlags: [String]?
    public var allowsNewKeywords: Bool
    public var isReadOnly: Bool
    /// What changed since the state that SELECT was given; nil when it was given none, or has not answered it.
    public var changes: MailboxChanges?

    public init(
        name: [UInt8], exists: Int = 0, uidValidity: UInt32 = 0, uidNext: UInt32? = nil,
        highestModSeq: UInt64? = nil, permanentFlags: [String]? = nil, allowsNewKeywords: Bool = true,
        isReadOnly: Bool = false
    ) {
        self.name = name
        self.exists = exists
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
        self.permanentFlags = permanentFlags
        self.allowsNewKeywords = allowsNewKeywords
        self.isReadOnly = isReadOnly
    }
}

/// How a server tells what changed in a mailbox. RFC 7162.
public enum ChangeReporting: Hashable, Sendable {
    case none
    case condstore
    case qresync
}

/// What a server reported by itself: flags that changed, and messages that went. RFC 7162 §3.2.5.
public struct MailboxChanges: Equatable, Sendable {
    /// In the order of arrival; of a UID that comes twice the last counts.
    public var flags: [FlagEcho] = []
    /// As they came: any order, overlapping, and also UIDs that never were.
    public var vanished: [ClosedRange<UInt32>] = []
    /// False when an answer could not be read: then HIGHESTMODSEQ must not move on.
    public var isComplete = true

    public init() {}
}

/// One mailbox of the account, with its numbers where the server told them.
public struct SurveyedMailbox: Equatable, Sendable {
    public var listing: MailboxListing
    public var status: MailboxStatus?

    public init(listing: MailboxListing, status: MailboxStatus? = nil) {
        self.listing = listing
        self.status = status
    }
}

/// One message as the server showed it.
public struct FetchedMessage: Equatable, Sendable {
    public var uid: UInt32
    /// As they came; empty when ``missing`` holds `.flags`.
    public var flags: [String]
    /// Seconds since 1970.
    public var internalDate: Int64?
    /// Servers estimate: never proof.
    public var size: Int?
    public var header: ByteBuffer?
    /// The whole message, or its start where `.first` was asked for.
    public var body: ByteBuffer?
    public var modSeq: UInt64?
    /// EMAILID: the same for all copies of a message, in every mailbox; nil also where the server told none. It is
    /// a hint, so its absence is never in ``missing``. RFC 8474 §5.1.
    public var emailID: String?
    /// X-GM-MSGID: the same under any label. A hint too.
    public var gmailID: UInt64?
    /// X-GM-LABELS, in the server's bytes: `\Inbox`, or modified UTF-7.
    public var labels: [[UInt8]]?
    public var structure: BodyStructure?
    /// The sections that were asked for and came, each by ``SectionRequest/name``; none longer than its limit.
    public var sections: [String: ByteBuffer] = [:]
    /// What was asked for and did not come: such a message must not be judged by rules.
    public var missing: Set<Item>
    /// The size of message data that was longer than the caller's limit, and so was not kept.
    public var omittedSize: Int?

    public enum Item: Hashable, Sendable {
        case flags
        case internalDate
        case size
        case modSeq
        case header
        case body
        case labels
        case structure
        case sections
    }

    public init(
        uid: UInt32, flags: [String] = [], internalDate: Int64? = nil, size: Int? = nil,
        header: ByteBuffer? = nil, body: ByteBuffer? = nil, modSeq: UInt64? = nil,
        missing: Set<Item> = [], omittedSize: Int? = nil
    ) {
        self.uid = uid
        self.flags = flags
        self.internalDate = internalDate
        self.size = size
        self.header = header
        self.body = body
        self.modSeq = modSeq
        self.missing = missing
        self.omittedSize = omittedSize
    }
}

/// The labels that a message has after a STORE of labels, in the server's bytes: the evidence that it happened.
public struct LabelEcho: Equatable, Sendable {
    public var uid: UInt32
    public var labels: [[UInt8]]

    public init(uid: UInt32, labels: [[UInt8]]) {
        self.uid = uid
        self.labels = labels
    }
}

/// The flags that a message has after a STORE, in the server's words: the evidence that it happened.
///
/// A message without an echo was not changed: some servers answer OK for one that is gone.
public struct FlagEcho: Equatable, Sendable {
    public var uid: UInt32
    public var flags: [String]
    public var modSeq: UInt64?

    public init(uid: UInt32, flags: [String], modSeq: UInt64? = nil) {
        self.uid = uid
        self.flags = flags
        self.modSeq = modSeq
    }
}
