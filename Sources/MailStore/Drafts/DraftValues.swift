public import Models

/// A mail that a person is writing.
public struct StoredDraft: Hashable, Sendable {
    /// Row number; nil before it was saved.
    public var id: Int64?
    public var account: AccountID
    /// Made once: the Message-ID that it will be sent under, and what it is known by.
    public var messageID: MessageID
    /// Counts the versions, from 1.
    public var revision: Int
    public var savedAt: Timestamp
    /// The message, hidden recipients and all.
    public var content: [UInt8]
    /// What was typed since and cannot be read as a message.
    public var typed: String?
    /// The message that it answers.
    public var answers: EmailID?
    /// Its version in the Drafts mailbox.
    public var pushed: Pushed?
    /// The versions of it that are ours to remove.
    public var versions = DraftVersions()
    /// The journal's row that sends it, and how far that is.
    public var submission: Sending?

    public struct Pushed: Hashable, Sendable {
        public var revision: Int
        /// nil: the store has not seen it yet; the next sync brings it.
        public var message: EmailID?
        /// 0 in a Maildir that was not synced since.
        public var uid: UInt32
        /// Its Message-ID; nil where it has none, and in what an older version wrote.
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

    /// Whether the Drafts mailbox has what is here.
    public var isPushed: Bool { pushed?.revision == revision && typed == nil }
}
