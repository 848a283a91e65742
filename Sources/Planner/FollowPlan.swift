public import Models

/// The mail of a task, as it is in the store now.
public struct LinkedMail: Hashable, Sendable {
    public var message: EmailID
    public var account: AccountID
    public var thread: ThreadID
    /// Every place of every message of the conversation.
    public var placements: [MessagePlace]
    /// Messages of the conversation that do not belong to the task and stay where they are; see ``Company``.
    public var others: Set<EmailID>
    /// The due dates of deferred messages in the thread.
    public var deferrals: [EmailID: DeferredUntil]
    /// Open tasks of the thread, including this one. While another task is open, completing one archives
    /// nothing.
    public var openTodos: [TodoID]
    /// Messages whose last move was caused by a task, with their destinations.
    public var putAway: [EmailID: MailboxName]

    public init(
        message: EmailID, account: AccountID, thread: ThreadID, placements: [MessagePlace],
        deferrals: [EmailID: DeferredUntil] = [:], openTodos: [TodoID] = [],
        putAway: [EmailID: MailboxName] = [:], others: Set<EmailID> = []
    ) {
        self.message = message
        self.account = account
        self.thread = thread
        self.placements = placements
        self.deferrals = deferrals
        self.openTodos = openTodos
        self.putAway = putAway
        self.others = others
    }
}

/// The inputs of a decision about edited task files.
public struct FollowContext: Sendable {
    public var now: Timestamp
    /// IANA name; used if a task has no time zone.
    public var timeZone: String
    /// The mailboxes of the accounts, to recognise inbox, archive and deferred mailbox.
    public var accounts: [AccountID: StepContext]
    /// Identifies the version of each changed file (its digest), so that the same change made again later is
    /// a new request.
    public var changeTokens: [TodoID: String]
    /// Each changed task as of the last sync.
    public var before: [TodoID: Todo]
    public var whenDone = FinishedMail.archive
    public var whenCancelled = FinishedMail.archive

    public init(
        now: Timestamp, timeZone: String, accounts: [AccountID: StepContext],
        changeTokens: [TodoID: String] = [:], before: [TodoID: Todo] = [:]
    ) {
        self.now = now
        self.timeZone = timeZone
        self.accounts = accounts
        self.changeTokens = changeTokens
        self.before = before
    }
}

/// The changes of mail that follow from edited task files. They never include sending.
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
        /// The task is completed: its mail leaves the inbox, or is no longer deferred.
        case archive
        /// The same, but to the trash, if configured in the workspace; only after the user confirmed it.
        case trash
        /// The task is open again, or its start date was removed: its mail returns to the inbox.
        case backToInbox
        /// The start of the task was changed, or the task was moved to someday: its mail is deferred
        /// accordingly.
        case deferUntil(DeferredUntil)
        case mark(add: Set<Keyword>, remove: Set<Keyword>)

        public var isMove: Bool {
            if case .mark = self { return false }
            return true
        }
    }

    public var todo: TodoID
    public var summary: String
    public var account: AccountID
    public var thread: ThreadID
    public var message: EmailID
    public var effect: Effect
    /// The places of the messages to move, defer or mark.
    public var placements: [MessagePlace]
    /// The previous due dates of deferred messages in the thread.
    public var deferrals: [EmailID: DeferredUntil]
    public var verb: TaskChange
    public var changeToken: String

    /// Whether the user must confirm the action first.
    public var needsWord: Bool { effect == .trash }
}

/// A change of a task that does not affect mail, but that the user should see.
public struct FollowNotice: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case deletedOpen
        /// Completed, but the workspace is configured to leave its mail in place.
        case kept
        /// Completed, but the thread has another open task.
        case otherTaskOpen
        case waitsForNobody
        case scheduledWithoutStart
        /// Another program removed them; the labels of the mail stay.
        case categoriesGone
        /// A new category has letters that a label cannot have. RFC 9051 §2.3.2.
        case noLabel
        /// The mail server cannot move messages.
        case cannotMove
        /// The settings of the account do not allow it.
        case notAllowed
    }

    public var kind: Kind
    public var todo: TodoID
    /// Text from the file. It is not trusted.
    public var summary: String

    public init(_ kind: Kind, _ todo: Todo) {
        self.kind = kind
        self.todo = todo.id
        summary = todo.summary
    }

    init(_ kind: Kind, todo: TodoID, summary: String) {
        self.kind = kind
        self.todo = todo
        self.summary = summary
    }

    public var text: String {
        switch kind {
        case .deletedOpen: "task “\(summary)” was deleted; its mail stays"
        case .kept: "task “\(summary)” is finished; its mail stays"
        case .otherTaskOpen:
            "the mail of task “\(summary)” stays, because the thread has another open task"
        case .waitsForNobody:
            "task “\(summary)” waits, but has no contact; set one with opus task edit --contact"
        case .scheduledWithoutStart:
            "task “\(summary)” is scheduled without a start; its mail stays until it has one"
        case .cannotMove:
            "the mail of task “\(summary)” stays where it is, because its server cannot move messages"
        case .notAllowed:
            "the mail of task “\(summary)” stays where it is, because allow: in opus.yaml does not let opus move it"
        case .categoriesGone:
            "task “\(summary)” lost all its categories at once, probably by a fault of another program; labels stay"
        case .noLabel:
            "task “\(summary)” has a category that cannot be a label of its mail: a label has no blanks and only ASCII letters"
        }
    }
}
