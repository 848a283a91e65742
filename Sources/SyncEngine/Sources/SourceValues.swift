// What a source reports about its account, its mailboxes and its messages. None of it is trusted.

public import Models
public import SyncPlanner

/// The mailboxes of an account, with the numbers that are known before they are opened.
public struct AccountSurvey: Sendable {
    public struct Entry: Sendable {
        public var mailbox: Mailbox
        /// nil: the mailbox must be opened to get them.
        public var numbers: SourceMailbox?
        /// Whether it only shows messages of other mailboxes: opus never reads it.
        public var isView: Bool

        public init(mailbox: Mailbox, numbers: SourceMailbox? = nil, isView: Bool = false) {
            self.mailbox = mailbox
            self.numbers = numbers
            self.isView = isView
        }
    }

    public var entries: [Entry]
    public var tracking: ChangeTracking
    /// Whether the server gives a message the same id in every mailbox (``ListedMessage/remoteID``): then a
    /// mailbox that shows all messages needs only a listing.
    public var namesMessages: Bool

    public init(entries: [Entry], tracking: ChangeTracking = .none, namesMessages: Bool = false) {
        self.entries = entries
        self.tracking = tracking
        self.namesMessages = namesMessages
    }
}

/// The known state of a mailbox, whose later changes are requested.
public struct KnownMailbox: Hashable, Sendable {
    public var uidValidity: UInt32
    public var modSeq: UInt64
    /// The UIDs of all known messages are smaller.
    public var below: UInt32

    public init(uidValidity: UInt32, modSeq: UInt64, below: UInt32) {
        self.uidValidity = uidValidity
        self.modSeq = modSeq
        self.below = below
    }
}

/// A request for one of several mailboxes.
public struct ResyncWish: Hashable, Sendable {
    /// How much to read of each new message.
    public enum New: Hashable, Sendable {
        case none
        /// Only the header, which shows whether the message is known from another mailbox.
        case headers
        case messages
    }

    public var mailbox: Mailbox
    public var known: KnownMailbox
    public var new: New
    /// UIDNEXT before the mailbox was opened: the requested messages have smaller UIDs.
    public var uidNext: UInt32

    public init(mailbox: Mailbox, known: KnownMailbox, new: New, uidNext: UInt32) {
        self.mailbox = mailbox
        self.known = known
        self.new = new
        self.uidNext = uidNext
    }
}

/// Changed marks and removed messages, as the source reports them. Not trusted.
public struct SourceChanges: Equatable, Sendable {
    public var marks: [MessageMarks]
    /// In any order; may include UIDs that never existed.
    public var vanished: [ClosedRange<UInt32>]
    /// False if a part of the response could not be read.
    public var isComplete: Bool

    public init(
        marks: [MessageMarks] = [], vanished: [ClosedRange<UInt32>] = [], isComplete: Bool = true
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
    /// Only marks: enough for a comparison, in a third of the octets.
    case marks
    case everything
}

public struct MessageListing: Equatable, Sendable {
    public var messages: [ListedMessage]
    /// False if a part of the response could not be read: messages that are not listed may still exist.
    public var isComplete: Bool
    /// UIDs in the list of all UIDs whose messages the server did not list, ascending.
    public var unlisted: [UInt32] = []

    public init(_ messages: [ListedMessage], isComplete: Bool = true) {
        self.messages = messages
        self.isComplete = isComplete
    }
}

/// Some messages of a mailbox, listed only when needed, so that memory holds one part.
public struct ListingPart: Sendable {
    public var count: Int
    let list: @Sendable () throws -> MessageListing

    public init(count: Int, list: @escaping @Sendable () throws -> MessageListing) {
        self.count = count
        self.list = list
    }
}

/// The numbers of a mailbox from the source, before anything is fetched.
public struct SourceMailbox: Equatable, Sendable, MailboxNumbered {
    public var numbers: MailboxNumbers
    public var exists: Int
    /// A Maildir's own note for the next sync; nil when it cannot be trusted.
    public var signature: String?
    /// Nothing changed since the note with which it was opened.
    public var isAsNoted: Bool
    /// The changes since the state with which the mailbox was opened; nil if the source does not report them.
    public var changes: SourceChanges?

    public init(
        uidValidity: UInt32, uidNext: UInt32? = nil, highestModSeq: UInt64? = nil, exists: Int,
        signature: String? = nil, isAsNoted: Bool = false, changes: SourceChanges? = nil
    ) {
        numbers = MailboxNumbers(uidValidity: uidValidity, uidNext: uidNext, highestModSeq: highestModSeq)
        self.exists = exists
        self.signature = signature
        self.isAsNoted = isAsNoted
        self.changes = changes
    }
}

/// One message in a listing.
public struct ListedMessage: Equatable, Sendable {
    /// 0 in a Maildir.
    public var uid: UInt32
    /// The unique part of a Maildir file name; nil over IMAP.
    public var remoteName: String?
    /// The server's own id of the content, the same in every mailbox: see ``NewMessage/remoteID``.
    public var remoteID: String?
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// In bytes; nil if the listing does not include it. May be an estimate by the server.
    public var size: Int?
    public var received: Timestamp?

    public init(
        uid: UInt32, remoteName: String? = nil, remoteID: String? = nil, flags: Set<Flag> = [],
        keywords: Set<Keyword> = [], size: Int? = nil, received: Timestamp? = nil
    ) {
        self.uid = uid
        self.remoteName = remoteName
        self.remoteID = remoteID
        self.flags = flags
        self.keywords = keywords
        self.size = size
        self.received = received
    }
}

/// The bytes of one message: all, up to the limit, or without the parts that are not text.
public struct RawMessage: Sendable {
    public var listed: ListedMessage
    public var bytes: [UInt8]
    /// Whether a readable part is missing.
    public var isTruncated: Bool
    /// Estimated decoded sizes of the parts that were left out, by section.
    public var omitted: [String: Int]
    /// Whether parts may be missing that opus knows nothing of, because these bytes are only the beginning of the message.
    public var isBeginning: Bool

    public init(
        listed: ListedMessage, bytes: [UInt8], isTruncated: Bool, omitted: [String: Int] = [:],
        isBeginning: Bool = false
    ) {
        self.listed = listed
        self.bytes = bytes
        self.isTruncated = isTruncated
        self.omitted = omitted
        self.isBeginning = isBeginning
    }
}
