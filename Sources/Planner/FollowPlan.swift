public import Models

extension Planner {
    /// One place of a message of a thread.
    public struct Placement: Hashable, Sendable {
        public var message: EmailID
        public var key: MessageKey
        public var mailbox: Mailbox
        public var flags: Set<Flag>

        public init(message: EmailID, key: MessageKey, mailbox: Mailbox, flags: Set<Flag> = []) {
            self.message = message
            self.key = key
            self.mailbox = mailbox
            self.flags = flags
        }
    }
}

/// The mail behind a task, as the store knows it now.
public struct LinkedMail: Hashable, Sendable {
    public var message: EmailID
    public var account: AccountID
    public var thread: ThreadID
    /// Every place of every message of the thread.
    public var placements: [Planner.Placement]
    /// Until when the message waits; nil when it does not.
    public var deferral: Timestamp?
    /// Open tasks of the thread, this one or others. While another is open, finishing one archives nothing.
    public var openTodos: [TodoID]

    public init(
        message: EmailID, account: AccountID, thread: ThreadID, placements: [Planner.Placement],
        deferral: Timestamp? = nil, openTodos: [TodoID] = []
    ) {
        self.message = message
        self.account = account
        self.thread = thread
        self.placements = placements
        self.deferral = deferral
        self.openTodos = openTodos
    }
}

/// The surroundings of a decision about edited task files.
public struct FollowContext: Sendable {
    public var now: Timestamp
    /// IANA name; where a task names none of its own.
    public var timeZone: String
    /// The mailboxes of the accounts, to tell inbox, archive and deferred.
    public var accounts: [AccountID: StepContext]
    /// A name for the version of each changed file (its digest), so that the same change made again later
    /// is another wish.
    public var changeTokens: [TodoID: String]

    public init(
        now: Timestamp, timeZone: String, accounts: [AccountID: StepContext],
        changeTokens: [TodoID: String] = [:]
    ) {
        self.now = now
        self.timeZone = timeZone
        self.accounts = accounts
        self.changeTokens = changeTokens
    }
}

/// What edited task files mean for mail. Nothing in it sends or trashes.
public struct FollowPlan: Hashable, Sendable {
    public var actions: [FollowAction]
    public var notices: [FollowNotice]

    public init(actions: [FollowAction] = [], notices: [FollowNotice] = []) {
        self.actions = actions
        self.notices = notices
    }

    public var isEmpty: Bool { actions.isEmpty && notices.isEmpty }
}

public struct FollowAction: Hashable, Sendable {
    public enum Effect: Hashable, Sendable {
        /// The task is done: its mail leaves the inbox, or stops waiting.
        case archive
        /// The task is open again, or nothing is to be waited for: its mail comes back.
        case backToInbox
        /// The task starts on another day: its mail waits until then.
        case deferUntil(Timestamp)
    }

    public var todo: TodoID
    public var summary: String
    public var account: AccountID
    public var thread: ThreadID
    public var message: EmailID
    public var effect: Effect
    /// What moves (`archive`, `backToInbox`) or goes on waiting (`deferUntil`).
    public var placements: [Planner.Placement]
    /// The person's verb, for the journal: `task done`.
    public var verb: String
    public var changeToken: String
}

/// A change of a task that leaves mail alone, and that a person should know of.
public struct FollowNotice: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case deletedOpen
        case cancelled
        case someday
        /// Done, but the thread has another open task.
        case otherTaskOpen
    }

    public var kind: Kind
    public var todo: TodoID
    /// Text from a file; anybody's.
    public var summary: String

    public init(_ kind: Kind, _ todo: Todo) {
        self.kind = kind
        self.todo = todo.id
        summary = todo.summary
    }

    public var text: String {
        switch kind {
        case .deletedOpen: "task “\(summary)” was deleted; its mail stays"
        case .cancelled: "task “\(summary)” was cancelled; its mail stays"
        case .someday: "task “\(summary)” moved to someday; its mail stays"
        case .otherTaskOpen:
            "task “\(summary)” is done; its mail stays, because the thread has another open task"
        }
    }
}
