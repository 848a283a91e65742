// The stored values of messages and threads that are needed to show threads.

public import Models

/// Properties of a message that decide whether its subject may join it to others.
public struct SubjectMarks: OptionSet, Hashable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The subject is that of a reply or a forward.
    public static let reply = SubjectMarks(rawValue: 1)
    /// It has neither `References` nor `In-Reply-To`.
    public static let plain = SubjectMarks(rawValue: 2)
    /// It was sent to many recipients.
    public static let bulk = SubjectMarks(rawValue: 4)
}

/// The facts about a message that may join it to others by subject, and a snippet of its text.
public struct SubjectFacts: Hashable, Sendable {
    /// The base subject as an eight-byte hash; 0: the subject is empty.
    public var key: Int64
    public var marks: SubjectMarks
    /// The beginning of the text that its writer wrote, on one line.
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

/// A thread whose subject other threads have, too.
public struct SubjectThread: Hashable, Sendable {
    public var thread: ThreadID
    /// The key of its first message.
    public var key: Int64
    public var marks: SubjectMarks
    /// When its messages with this subject were sent, the earliest first.
    public var dates: [Timestamp]
}

/// A thread in the list of conversations, with its messages.
public struct StoredThread: Hashable, Sendable {
    public struct Message: Hashable, Sendable {
        public var id: EmailID
        public var messageID: MessageID?
        /// The reply thread.
        public var thread: ThreadID
        public var subject: String
        public var marks: SubjectMarks
        public var from: [EmailAddress]
        /// When it was sent; if unknown, when it was received.
        public var date: Timestamp
        public var attachments: [Attachment]
        /// nil: not computed yet; ``text`` has the beginning of the text.
        public var snippet: String?
        public var text: String?
        public var isUnread: Bool
        public var isFlagged: Bool
        /// Of the mailboxes that contain it.
        public var roles: Set<MailboxRole>
        /// Display names of the mailboxes that contain it.
        public var mailboxes: [String]
        /// Its open tasks, and whether each one waits.
        public var todos: [TodoID: Bool]

        public var isInInbox: Bool { roles.contains(.inbox) }
        /// Whether it is in the mailbox of sent mail.
        public var isOwn: Bool { roles.contains(.sent) }
    }

    public var account: AccountID
    public var thread: ThreadID
    /// Sorted by the time of sending; each is in a mailbox.
    public var messages: [Message]
}
