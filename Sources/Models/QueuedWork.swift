/// Everything that goes into the journal in one transaction: the steps, and what is noted with them.
public struct QueuedWork: Hashable, Sendable {
    /// A message that waits until then; nil ends its wait.
    public struct Deferral: Hashable, Sendable {
        public var message: EmailID
        public var until: DeferredUntil?

        public init(message: EmailID, until: DeferredUntil?) {
            self.message = message
            self.until = until
        }
    }

    /// The mail behind a task that is made.
    public struct Link: Hashable, Sendable {
        public var todo: TodoID
        public var message: EmailID
        public var thread: ThreadID
        public var rule: String

        public init(todo: TodoID, message: EmailID, thread: ThreadID, rule: String) {
            self.todo = todo
            self.message = message
            self.thread = thread
            self.rule = rule
        }
    }

    /// A sender whom a rule answers.
    public struct AutoReplied: Hashable, Sendable {
        public var rule: String
        /// `EmailAddress.comparable`.
        public var sender: String

        public init(rule: String, sender: String) {
            self.rule = rule
            self.sender = sender
        }
    }

    /// In the order in which they are to happen: create first, destroy last.
    public var steps: [Step]
    /// Matches that may not happen a second time.
    public var remembered: [RememberedMatch]
    public var deferrals: [Deferral]
    public var links: [Link]
    public var autoReplies: [AutoReplied] = []
    /// What is noted on tasks, or was reported of them.
    public var notices: [TaskNotice] = []

    public init(
        steps: [Step] = [], remembered: [RememberedMatch] = [], deferrals: [Deferral] = [], links: [Link] = []
    ) {
        self.steps = steps
        self.remembered = remembered
        self.deferrals = deferrals
        self.links = links
    }

    public var isEmpty: Bool {
        steps.isEmpty && remembered.isEmpty && deferrals.isEmpty && links.isEmpty && notices.isEmpty
    }
}

/// A rule that has acted on a message before. The message's identity is not its UID: it survives moves.
public struct RememberedMatch: Hashable, Codable, Sendable {
    public var rule: String
    public var message: EmailID

    public init(rule: String, message: EmailID) {
        self.rule = rule
        self.message = message
    }
}

/// What opus has noted or reported of a task because of a message, so that it is done once.
public struct TaskNotice: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The message is a reply, and is noted on the task.
        case reply
        /// The task's message is no longer in any mailbox.
        case mailGone = "mail-gone"
    }

    public var kind: Kind
    public var todo: TodoID
    public var message: EmailID

    public init(_ kind: Kind, todo: TodoID, message: EmailID) {
        self.kind = kind
        self.todo = todo
        self.message = message
    }
}
