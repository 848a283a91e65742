/// Everything that the journal records in one transaction: steps, and the notes that belong to them.
public struct QueuedWork: Hashable, Sendable {
    /// A message that is deferred until then; nil: it no longer is.
    public struct Deferral: Hashable, Sendable {
        public var message: EmailID
        public var until: DeferredUntil?

        public init(message: EmailID, until: DeferredUntil?) {
            self.message = message
            self.until = until
        }
    }

    /// The mail behind a new task.
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

    /// A sender to whom a rule replies.
    public struct AutoReplied: Hashable, Sendable {
        public var rule: String
        /// The address in the form of ``EmailAddress/comparable``.
        public var sender: String

        public init(rule: String, sender: String) {
            self.rule = rule
            self.sender = sender
        }
    }

    /// In the order in which they happen: create first, destroy last.
    public var steps: [Step]
    /// Matches that must happen once only.
    public var remembered: [RememberedMatch]
    public var deferrals: [Deferral]
    public var links: [Link]
    public var autoReplies: [AutoReplied] = []
    /// What opus noted on tasks or reported about them.
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

/// A rule that has acted on a message. It names the message by its identity, not its UID, and so survives moves.
public struct RememberedMatch: Hashable, Codable, Sendable {
    public var rule: String
    public var message: EmailID

    /// The name, beside those of rules, that says that a message came back from a deferral and was not opened since. It
    /// cannot be the id of a rule.
    public static let isBack = "back:"

    public init(rule: String, message: EmailID) {
        self.rule = rule
        self.message = message
    }
}

extension QueuedWork {
    /// The messages that come back at the end of their deferrals.
    public var returns: [RememberedMatch] {
        let moved = Set(
            steps.compactMap { step -> EmailID? in
                guard case .move = step.kind, step.cause == .deferral else { return nil }
                return step.message
            })
        return deferrals.filter { $0.until == nil && moved.contains($0.message) }.map {
            RememberedMatch(rule: RememberedMatch.isBack, message: $0.message)
        }
    }
}

/// What opus has noted on a task or reported about it because of a message, so that it does so once.
public struct TaskNotice: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The message is a reply, which opus noted on the task.
        case reply
        /// The message of the task is no longer in any mailbox.
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
