public import Models

/// Where an account's mail comes from: an IMAP server or a Maildir, in the few words that sync needs.
///
/// The engine owns this interface; an adapter on either side translates the RFC's words into ours.
public protocol MailSource: Sendable {
    /// Every mailbox that can hold messages.
    func mailboxes() async throws -> [Mailbox]

    /// The state of one mailbox as the source has it now.
    func open(_ mailbox: Mailbox) async throws -> SourceMailbox

    /// Place, flags and size of the messages whose UID is at least `from` (everything when 1), ascending.
    /// A Maildir has no UIDs: it lists everything, by name.
    func listing(of mailbox: Mailbox, from: UInt32) async throws -> [ListedMessage]

    /// Reads the messages, in any order, calling back for each; a message that is gone or cannot be read
    /// is left out.
    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws
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

    public init(
        uidValidity: UInt32, uidNext: UInt32? = nil, highestModSeq: UInt64? = nil, exists: Int,
        signature: String? = nil
    ) {
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
        self.exists = exists
        self.signature = signature
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
