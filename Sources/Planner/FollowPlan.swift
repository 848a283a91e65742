public import Models

/// The mail behind a task, as the store knows it now.
public struct LinkedMail: Hashable, Sendable {
    public var message: EmailID
    public var account: AccountID
    public var thread: ThreadID
    /// Every place of every message of the conversation.
    public var placements: [MessagePlace]
    /// Messages of the conversation that the task is not about stay where they are; see ``Company``.
    public var others: Set<EmailID>
    /// Until when messages of the thread wait; only messages that wait are in it.
    public var deferrals: [EmailID: DeferredUntil]
    /// Open tasks of the thread, this one or others. While another is open, finishing one archives nothing.
    public var openTodos: [TodoID]
    /// Messages whose last move was made because of a task, and where it took them.
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

/// The surroundings of a decision about edited task files.
public struct FollowContext: Sendable {
    public var now: Timestamp
    /// IANA name; where a task names none of its own.
    public var timeZone: String
    /// The mailboxes of the accounts, to tell inbox, archive and deferred.
    public var accounts: [AccountID: StepContext]
    /// A name for the version of each changed file (its digest), so that the same change made again later
    /// is a new request.
    public var changeTokens: [TodoID: String]
    /// Each changed task as we last knew it.
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

/// What edited task files mean for mail. It never sends anything.
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
        /// The same, as set in the workspace; only after the user agreed.
        case trash
        /// The task is open again, or there is nothing to wait for: its mail comes back.
        case backToInbox
        /// The task starts on another day, or is for someday: its mail waits until then.
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
    /// The messages that move, keep waiting, or are marked.
    public var placements: [MessagePlace]
    /// Until when messages of the thread waited before.
    public var deferrals: [EmailID: DeferredUntil]
    public var verb: TaskChange
    public var changeToken: String

    /// Nothing of it happens before the user agrees.
    public var needsWord: Bool { effect == .trash }
}

/// A change of a task that does not affect mail, but that the user should know about.
public struct FollowNotice: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case deletedOpen
        /// Finished, and the workspace says that its mail stays.
        case kept
        /// Done, but the thread has another open task.
        case otherTaskOpen
        case waitsForNobody
        case scheduledWithoutStart
        /// Another program lost them; the labels of the mail stay.
        case categoriesGone
        /// The server of its mail cannot move messages.
        case cannotMove
        /// The settings of its account do not allow it.
        case notAllowed
    }

    public var kind: Kind
    public var todo: TodoID
    /// Text from a file, which anyone may have written.
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
        }
    }
}
