public import Models

/// A mail that a person is writing.
public struct StoredDraft: Hashable, Sendable {
    /// Row number; nil before the draft is first saved.
    public var id: Int64?
    public var account: AccountID
    /// Made once. The draft is identified by this Message-ID and will be sent with it.
    public var messageID: MessageID
    /// Counts the versions, starting at 1.
    public var revision: Int
    public var savedAt: Timestamp
    /// The message, including Bcc recipients.
    public var content: [UInt8]
    /// Text that the user typed since and that cannot be parsed as a message.
    public var typed: String?
    /// The message that it answers.
    public var answers: EmailID?
    /// Its version in the Drafts mailbox.
    public var pushed: Pushed?
    /// The versions of the draft that opus may remove.
    public var versions = DraftVersions()
    /// The step that sends it, and the state of that step.
    public var submission: Sending?

    public struct Pushed: Hashable, Sendable {
        public var revision: Int
        /// nil: the store has not seen it yet. The next sync adds it.
        public var message: EmailID?
        /// 0 in a Maildir that has not been synced since.
        public var uid: UInt32
        /// Its Message-ID; nil if it has none, or if an older version wrote this record.
        public var token: MessageID?

        public init(revision: Int, message: EmailID?, uid: UInt32, token: MessageID?) {
            self.revision = revision
            self.message = message
            self.token = token
            self.uid = uid
        }
    }

    public struct Sending: Hashable, Sendable {
        public var step: Int64
        public var state: Step.State
    }

    public init(account: AccountID, messageID: MessageID, savedAt: Timestamp, content: [UInt8]) {
        self.account = account
        self.messageID = messageID
        self.savedAt = savedAt
        self.content = content
        revision = 1
    }

    /// Whether the text is the same, wherever the version in the Drafts mailbox is.
    public func isSameVersion(as other: StoredDraft) -> Bool {
        revision == other.revision && typed == other.typed && content == other.content
    }

    /// Whether the Drafts mailbox has the current version.
    public var isPushed: Bool { pushed?.revision == revision && typed == nil }
}
