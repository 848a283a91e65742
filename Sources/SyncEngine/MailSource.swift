public import MailStore
public import Models
public import SyncPlanner

/// Where an account's mail comes from: an IMAP server or a Maildir, in the few words that sync needs.
///
/// The engine owns this interface; an adapter on either side translates the RFC's words into ours.
public protocol MailSource: Sendable {
    /// Every mailbox that can hold messages.
    func mailboxes() async throws -> [Mailbox]

    /// The same with what can be told of each without opening it.
    func survey() async throws -> AccountSurvey

    /// The state of one mailbox as the source has it now; with what changed `since`, where it tells that.
    func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox

    /// Opens many mailboxes, each with what is known of it, and reads their new messages, in as few turns as the
    /// source can. The result has an entry for each wish; nil: open that mailbox by itself.
    func resynchronize(
        _ wishes: [ResyncWish], limit: Int, deliver: @Sendable (Int, RawMessage) async throws -> Void
    ) async throws -> [SourceMailbox?]

    /// The marks that changed after `modSeq`, of the messages below that UID; asked only of a source that has
    /// HIGHESTMODSEQ.
    func changes(of mailbox: Mailbox, since modSeq: UInt64, below uid: UInt32) async throws -> SourceChanges

    /// Every UID of the mailbox; nil where a listing is all there is. Decides when another answer is doubted.
    func uids(of mailbox: Mailbox) async throws -> UIDListing?

    /// The messages whose UID is at least `from` (everything when 1), ascending, with size and time where
    /// `detail` asks for that. A Maildir has no UIDs: it lists everything, by name.
    func listing(
        of mailbox: Mailbox, from: UInt32, detail: ListingDetail
    ) async throws -> MessageListing

    /// Reads the messages, in any order, calling back for each; a message that is gone or cannot be read
    /// is left out.
    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws
}

/// A source that tells nothing by itself: everything is listed and compared.
extension MailSource {
    public func survey() async throws -> AccountSurvey {
        AccountSurvey(entries: try await mailboxes().map { AccountSurvey.Entry(mailbox: $0) })
    }

    public func open(_ mailbox: Mailbox) async throws -> SourceMailbox { try await open(mailbox, since: nil) }

    public func resynchronize(
        _ wishes: [ResyncWish], limit: Int, deliver: @Sendable (Int, RawMessage) async throws -> Void
    ) async throws -> [SourceMailbox?] {
        wishes.map { _ in nil }
    }

    public func changes(
        of mailbox: Mailbox, since modSeq: UInt64, below uid: UInt32
    ) async throws -> SourceChanges {
        SourceChanges(isComplete: false)
    }

    public func uids(of mailbox: Mailbox) async throws -> UIDListing? { nil }
}

/// The mailboxes of an account, and what is known of them before any is opened.
public struct AccountSurvey: Sendable {
    public struct Entry: Sendable {
        public var mailbox: Mailbox
        /// nil: it must be opened to know.
        public var numbers: SourceMailbox?

        public init(mailbox: Mailbox, numbers: SourceMailbox? = nil) {
            self.mailbox = mailbox
            self.numbers = numbers
        }
    }

    public var entries: [Entry]
    public var tracking: ChangeTracking

    public init(entries: [Entry], tracking: ChangeTracking = .none) {
        self.entries = entries
        self.tracking = tracking
    }
}

/// The state of a mailbox that we know: what changed after it is wanted.
public struct KnownMailbox: Hashable, Sendable {
    public var uidValidity: UInt32
    public var modSeq: UInt64
    /// All messages that we know of have smaller UIDs.
    public var below: UInt32

    public init(uidValidity: UInt32, modSeq: UInt64, below: UInt32) {
        self.uidValidity = uidValidity
        self.modSeq = modSeq
        self.below = below
    }
}

/// One mailbox of many that are followed at once.
public struct ResyncWish: Hashable, Sendable {
    /// How much of each new message.
    public enum New: Hashable, Sendable {
        case none
        /// The header alone: it tells whether the message is known from another mailbox.
        case headers
        case messages
    }

    public var mailbox: Mailbox
    public var known: KnownMailbox
    public var new: New

    public init(mailbox: Mailbox, known: KnownMailbox, new: New) {
        self.mailbox = mailbox
        self.known = known
        self.new = new
    }
}

/// Marks that changed, and messages that went, as the source tells it. A stranger's word.
public struct SourceChanges: Equatable, Sendable {
    public var marks: [FlagUpdate]
    /// In any order; also of UIDs that never were.
    public var vanished: [ClosedRange<UInt32>]
    /// False when a part of the answer could not be read.
    public var isComplete: Bool

    public init(
        marks: [FlagUpdate] = [], vanished: [ClosedRange<UInt32>] = [], isComplete: Bool = true
    ) {
        self.marks = marks
        self.vanished = vanished
        self.isComplete = isComplete
    }
}

public struct UIDListing: Equatable, Sendable {
    public var uids: [UInt32]
    public var isComplete: Bool

    public init(uids: [UInt32], isComplete: Bool = true) {
        self.uids = uids
        self.isComplete = isComplete
    }
}

public enum ListingDetail: Hashable, Sendable {
    /// Marks only: all that a comparison needs, in a third of the octets.
    case marks
    case everything
}

public struct MessageListing: Equatable, Sendable {
    public var messages: [ListedMessage]
    /// False when a part of the answer could not be read: what it does not name may still be there.
    public var isComplete: Bool

    public init(_ messages: [ListedMessage], isComplete: Bool = true) {
        self.messages = messages
        self.isComplete = isComplete
    }
}

/// What a source says about a mailbox before anything is fetched.
public struct SourceMailbox: Equatable, Sendable {
    public var uidValidity: UInt32
    /// nil where a server does not tell.
    public var uidNext: UInt32?
    public var highestModSeq: UInt64?
    public var exists: Int
    /// A Maildir's own mark of "nothing changed"; nil when it cannot be trusted.
    public var signature: String?
    /// What changed since the state that the mailbox was opened with; nil where the source does not tell.
    public var changes: SourceChanges?

    public init(
        uidValidity: UInt32, uidNext: UInt32? = nil, highestModSeq: UInt64? = nil, exists: Int,
        signature: String? = nil, changes: SourceChanges? = nil
    ) {
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
        self.exists = exists
        self.signature = signature
        self.changes = changes
    }
}

/// One message as a listing shows it.
public struct ListedMessage: Equatable, Sendable {
    /// 0 in a Maildir.
    public var uid: UInt32
    /// The unique part of a Maildir file name; nil over IMAP.
    public var remoteName: String?
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// Bytes; nil where the listing does not tell. Servers estimate.
    public var size: Int?
    public var received: Timestamp?

    public init(
        uid: UInt32, remoteName: String? = nil, flags: Set<Flag> = [], keywords: Set<Keyword> = [],
        size: Int? = nil, received: Timestamp? = nil
    ) {
        self.uid = uid
        self.remoteName = remoteName
        self.flags = flags
        self.keywords = keywords
        self.size = size
        self.received = received
    }
}

/// The bytes of one message, whole or up to the limit.
public struct RawMessage: Sendable {
    public var listed: ListedMessage
    public var bytes: [UInt8]
    /// Whether the message is longer than what was read.
    public var isTruncated: Bool

    public init(listed: ListedMessage, bytes: [UInt8], isTruncated: Bool) {
        self.listed = listed
        self.bytes = bytes
        self.isTruncated = isTruncated
    }
}
