// One batch of a sync, which the store writes completely or not at all.
//
// The new ``MailboxSyncState`` is written last and in the same transaction, so after a crash the state is
// never ahead of the messages.

public import Models

/// How far a mailbox is synchronised.
public struct MailboxSyncState: Hashable, Sendable {
    public var uidValidity: UInt32
    /// In a Maildir: the next number that the store assigns.
    public var uidNext: UInt32
    public var highestModSeq: UInt64?
    /// The number of messages that the source had.
    public var exists: Int
    /// The signature of a Maildir folder when it was read.
    public var signature: String?
    /// nil: the first sync, or the first one after a new UIDVALIDITY, is not complete.
    public var syncedAt: Timestamp?
    /// When everything was last compared; nil: a full comparison is due.
    public var comparedAt: Timestamp?
    /// Messages received before this time were not fetched; nil: all were fetched.
    public var windowSince: Timestamp?

    public init(
        uidValidity: UInt32, uidNext: UInt32, highestModSeq: UInt64? = nil, exists: Int = 0,
        signature: String? = nil, syncedAt: Timestamp? = nil, comparedAt: Timestamp? = nil,
        windowSince: Timestamp? = nil
    ) {
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
        self.exists = exists
        self.signature = signature
        self.syncedAt = syncedAt
        self.comparedAt = comparedAt
        self.windowSince = windowSince
    }
}

/// The number of messages and the last UID that the store holds of a mailbox.
public struct MailboxExtent: Hashable, Sendable {
    public var count: Int
    /// 0 for an empty mailbox.
    public var lastUID: UInt32

    public init(count: Int, lastUID: UInt32) {
        self.count = count
        self.lastUID = lastUID
    }
}

/// A message in a mailbox, with the marks it has there.
public struct Placement: Hashable, Sendable {
    public var message: EmailID
    public var uid: UInt32
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// A Maildir file's unique name.
    public var remoteName: String?
    /// See ``NewMessage/remoteID``. When written, the message gets this id; nil leaves it unchanged. Not
    /// filled in when read.
    public var remoteID: String?

    public init(
        message: EmailID, uid: UInt32, flags: Set<Flag> = [], keywords: Set<Keyword> = [],
        remoteName: String? = nil, remoteID: String? = nil
    ) {
        self.message = message
        self.uid = uid
        self.flags = flags
        self.keywords = keywords
        self.remoteName = remoteName
        self.remoteID = remoteID
    }
}

/// A message that is new in the account, and its first place.
public struct NewMessage: Hashable, Sendable {
    /// 0: the store assigns the next UID of the mailbox (Maildir).
    public var uid: UInt32
    public var id: EmailID
    /// Hash of header and body: identifies the content within its account.
    public var fingerprint: String
    /// Hash of the comparable form of the header block.
    public var headerDigest = ""
    public var body: BodyDigest?
    public var subject: String
    public var from: [EmailAddress]
    public var sender: [EmailAddress]
    public var replyTo: [EmailAddress]
    public var to: [EmailAddress]
    public var cc: [EmailAddress]
    public var bcc: [EmailAddress]
    public var messageID: MessageID?
    public var sent: Timestamp?
    public var received: Timestamp
    public var size: Int
    /// As received, unparsed.
    public var headerBlock: [UInt8]
    /// The readable body; the caller limits its length.
    public var text: String
    public var attachments: [Attachment]
    /// Whether only a part of the message was read.
    public var isTruncated: Bool
    /// See ``MessageFacts/exceededLimits``.
    public var exceededLimits: [String]
    /// nil: no signature covers the whole message, or the signature was not checked.
    public var signature: SignatureVerdict?
    /// From its calendar part.
    public var event: EventFacts?
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    public var remoteName: String?
    /// The account's own id of the content, the same in every mailbox: `E` and an EMAILID (RFC 8474 §5.1), or
    /// `G` and an X-GM-MSGID in decimal digits. nil: the account has none.
    public var remoteID: String?
    public var thread: ThreadID
    /// The facts by which its subject may join it to other threads; nil: to be computed later.
    public var subjectFacts: SubjectFacts?
    /// Its own id and all ids that it refers to. All of them belong to `thread` from now on.
    public var references: [MessageID]
    /// See ``prepare()``.
    var prepared: PreparedContent?

    public init(
        uid: UInt32, id: EmailID, fingerprint: String, thread: ThreadID, received: Timestamp, size: Int = 0
    ) {
        self.uid = uid
        self.id = id
        self.fingerprint = fingerprint
        self.thread = thread
        self.received = received
        self.size = size
        subject = ""
        from = []
        sender = []
        replyTo = []
        to = []
        cc = []
        bcc = []
        headerBlock = []
        text = ""
        attachments = []
        isTruncated = false
        exceededLimits = []
        flags = []
        keywords = []
        references = []
    }
}

/// Two threads that turned out to be one.
public struct ThreadMerge: Hashable, Sendable {
    public var from: ThreadID
    public var into: ThreadID

    public init(from: ThreadID, into: ThreadID) {
        self.from = from
        self.into = into
    }
}

/// The findings of one sync step in one mailbox.
public struct SyncBatch: Sendable {
    public var account: AccountID
    public var mailbox: MailboxName
    public var uidValidity: UInt32
    public var added: [NewMessage]
    /// Known messages in a new place. `uid` 0: the store assigns the next one.
    public var placed: [Placement]
    public var flagChanges: [MessageMarks]
    /// Bodies of messages that were stored before opus compared bodies.
    public var learned: [EmailID: BodyDigest] = [:]
    public var removed: [UInt32]
    public var threadMerges: [ThreadMerge]
    /// UIDVALIDITY changed: every placement of the mailbox is removed first. Messages stay.
    public var resetPlacements: Bool
    /// Written last. nil: more batches follow.
    public var state: MailboxSyncState?

    public init(account: AccountID, mailbox: MailboxName, uidValidity: UInt32) {
        self.account = account
        self.mailbox = mailbox
        self.uidValidity = uidValidity
        added = []
        placed = []
        flagChanges = []
        removed = []
        threadMerges = []
        resetPlacements = false
    }
}

/// The changes that a batch made.
public struct SyncOutcome: Hashable, Sendable {
    public var added: Int
    /// Known messages that got a new place.
    public var placed: Int
    public var flagsChanged: Int
    public var removed: Int

    public init(added: Int = 0, placed: Int = 0, flagsChanged: Int = 0, removed: Int = 0) {
        self.added = added
        self.placed = placed
        self.flagsChanged = flagsChanged
        self.removed = removed
    }

    public static func + (a: Self, b: Self) -> Self {
        Self(
            added: a.added + b.added, placed: a.placed + b.placed,
            flagsChanged: a.flagsChanged + b.flagsChanged, removed: a.removed + b.removed)
    }
}
