/// What a rule (or a person) wants done with a message: rendered, resolved, not yet queued.
public enum Action: Hashable, Sendable, Codable {
    case keep
    case archive
    case trash
    case junk
    case move(to: Mailbox)
    /// Out of the inbox until then.
    case deferUntil(Timestamp)
    case label(Keyword)
    case unlabel(Keyword)
    case flag
    case unflag
    case mark(read: Bool)
    case task(TodoDraft)
    case delegate(Delegation)
    /// Tells the sender that nobody is there.
    case vacation(AutoReply)
    case letter(Letter)
    case waiting(Waiting)
    /// A line for the person, in the report of the run.
    case notify(String)
    /// Proposes to leave the list; nothing is sent without the person's word.
    case unsubscribe
    case saveFiles(SavedFiles)

    /// A disposition decides where the message ends up; there is one a message. Everything else adds up.
    public var isDisposition: Bool {
        switch self {
        case .keep, .archive, .trash, .junk, .move, .deferUntil: true
        case .label, .unlabel, .flag, .unflag, .mark, .task, .delegate, .vacation, .letter, .waiting, .notify,
            .unsubscribe, .saveFiles:
            false
        }
    }
}

/// A task to be made, before it has its identity.
public struct TodoDraft: Hashable, Codable, Sendable {
    public var summary: String
    public var notes: String
    public var list: GTDList
    public var contexts: [String]
    public var due: TodoDate?
    public var start: TodoDate?
    public var priority: Int
    public var alarmSecondsBefore: Int?
    /// Whom a task on the list `waiting` waits for.
    public var waitingOn: EmailAddress?

    public init(summary: String, list: GTDList = .next) {
        self.summary = summary
        self.list = list
        notes = ""
        contexts = []
        priority = 0
    }
}

/// A message handed to somebody else, and the wait for their answer.
public struct Delegation: Hashable, Codable, Sendable {
    public enum Sending: String, Hashable, Codable, Sendable {
        /// Kept in Drafts for a person to send.
        case draft
        /// Submitted by us: only where the rule says `send: now` and the workspace `allow-send: true`.
        case now
    }

    public var to: EmailAddress
    /// Our words above the quoted message.
    public var note: String
    public var followUp: TodoDate?
    public var sending: Sending

    public init(to: EmailAddress, note: String = "", followUp: TodoDate? = nil, sending: Sending = .draft) {
        self.to = to
        self.note = note
        self.followUp = followUp
        self.sending = sending
    }
}
