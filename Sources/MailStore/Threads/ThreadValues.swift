// What the store keeps of messages and threads so that threads can be shown.

public import Models

/// What a message says that decides whether its subject may join it to others.
public struct SubjectMarks: OptionSet, Hashable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The subject is that of a reply or a forward.
    public static let reply = SubjectMarks(rawValue: 1)
    /// It has neither `References` nor `In-Reply-To`.
    public static let plain = SubjectMarks(rawValue: 2)
    /// It was sent to many.
    public static let bulk = SubjectMarks(rawValue: 4)
}

/// The facts about a message that may join it to others by subject, and a snippet of its text.
public struct SubjectFacts: Hashable, Sendable {
    /// The base subject in eight bytes; 0: there is none.
    public var key: Int64
    public var marks: SubjectMarks
    /// The beginning of what its writer wrote, on one line.
    public var snippet: String

    public init(key: Int64, marks: SubjectMarks, snippet: String) {
        self.key = key
        self.marks = marks
        self.snippet = snippet
    }
}

/// A message that was stored before subjects and snippets were read.
public struct UnreadSubject: Hashable, Sendable {
    public var id: EmailID
    public var headerBlock: [UInt8]
    /// The beginning of its text.
    public var text: String
}

/// A thread with a subject that others have, too.
public struct SubjectThread: Hashable, Sendable {
    public var thread: ThreadID
    /// Of its first message.
    public var key: Int64
    public var marks: SubjectMarks
    /// When its messages with this subject were sent, the earliest first.
    public var dates: [Timestamp]
}

/// A thread of the list of conversations, with its messages.
public struct StoredThread: Hashable, Sendable {
    public struct Message: Hashable, Sendable {
        public var id: EmailID
        public var messageID: MessageID?
        /// The thread of its identifiers.
        public var thread: ThreadID
        public var subject: String
        public var marks: SubjectMarks
        public var from: [EmailAddress]
        /// When it was sent, or else received.
        public var date: Timestamp
        public var attachments: [Attachment]
        /// nil: it is not read yet; ``text`` has the beginning of the text.
        public var snippet: String?
        public var text: String?
        public var isUnread: Bool
        public var isFlagged: Bool
        /// Of the mailboxes that hold it.
        public var roles: Set<MailboxRole>
        /// Names of the mailboxes that hold it, for people.
        public var mailboxes: [String]
        /// Open tasks of it, and whether each waits.
        public var todos: [TodoID: Bool]

        public var isInInbox: Bool { roles.contains(.inbox) }
        /// Whether the mailbox of sent mail has it.
        public var isOwn: Bool { roles.contains(.sent) }
    }

    public var account: AccountID
    public var thread: ThreadID
    /// In the order in which they were sent; each is in a mailbox.
    public var messages: [Message]
}
