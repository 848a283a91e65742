/// One effect in the action journal.
///
/// A step is idempotent by construction (flags ±, a move by key) or can be searched for afterwards
/// (an appended message by its token). It is `issued` on disk before its first byte leaves.
public struct Step: Hashable, Codable, Sendable {
    /// `planned → issued → confirmed | rejected | unknown`; `unknown` is looked at before it is tried again.
    public enum State: String, Hashable, Codable, CaseIterable, Sendable {
        /// Queued. Valid transitions: `.issued`, `.confirmed` (already so), `.rejected`, `.cancelled`.
        case ready
        /// On disk before the first byte leaves. Valid transitions: `.confirmed`, `.rejected`, `.unknown`.
        case issued
        /// Proven by evidence. Final.
        case confirmed
        /// The server or the file system said no, with a reason. Final.
        case rejected
        /// The answer was lost. Valid transitions: `.confirmed`, `.ready` (not applied), `.needsDecision`.
        case unknown
        /// Cannot be told from here; shown to the user, never repeated by itself.
        case needsDecision
        /// Taken back before it was issued. Final.
        case cancelled

        public var isOpen: Bool { self == .ready || self == .issued || self == .unknown }
    }

    /// What is to happen. The order inside an item is: create first, destroy last.
    public enum Kind: Hashable, Codable, Sendable {
        /// Write a new task file.
        case createTodo(Todo)
        /// Change the named properties of a task file that exists.
        case updateTodo(TodoID, TodoPatch)
        /// Put a message into a mailbox (a draft, or the copy in Sent). `token` is its Message-ID.
        case append(to: Mailbox, message: [UInt8], flags: Set<Flag>, token: MessageID)
        /// Submit a message. `token` is its Message-ID; after the final dot it is never sent again by itself.
        case submit(reversePath: String, forwardPaths: [String], message: [UInt8], token: MessageID)
        /// Add and remove flags and keywords.
        case store(
            MessageKey, addFlags: Set<Flag>, removeFlags: Set<Flag>, addKeywords: Set<Keyword>,
            removeKeywords: Set<Keyword>)
        /// Move a message to another mailbox. `destination` is created where it is missing.
        case move(MessageKey, to: Mailbox)
    }

    /// Row number in the journal; nil before it was queued.
    public var id: Int64?
    /// Unique: the same wish is queued once, however often a plan is made. SHA-256, hex.
    public var idempotencyKey: String
    public var message: EmailID?
    /// The rule, or a person's verb.
    public var rule: String
    public var kind: Kind
    public var state: State
    public var attempts: Int
    /// The server's or the system's words when it was rejected or failed for now.
    public var error: String?
    /// What proved it: `COPYUID 17 5 12`, `already so`, a path.
    public var evidence: String?

    public init(idempotencyKey: String, message: EmailID?, rule: String, kind: Kind) {
        self.idempotencyKey = idempotencyKey
        self.message = message
        self.rule = rule
        self.kind = kind
        state = .ready
        attempts = 0
    }
}

/// Changes to single properties of a task file; nil leaves a property as it is.
public struct TodoPatch: Hashable, Codable, Sendable {
    /// Setting `.completed` also sets COMPLETED and 100 %; leaving it removes both. RFC 5545 §3.8.1.11.
    public var status: TodoStatus?
    public var completed: Timestamp?
    public var list: GTDList?
    public var start: TodoDate?
    public var due: TodoDate?
    public var summary: String?

    public init(
        status: TodoStatus? = nil, completed: Timestamp? = nil, list: GTDList? = nil, start: TodoDate? = nil,
        due: TodoDate? = nil, summary: String? = nil
    ) {
        self.status = status
        self.completed = completed
        self.list = list
        self.start = start
        self.due = due
        self.summary = summary
    }
}
