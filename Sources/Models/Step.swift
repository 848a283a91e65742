/// One effect in the action journal.
///
/// A step is idempotent by construction (flags ±, a move by key) or can be searched for afterwards
/// (an appended message by its token). It is `issued` on disk before its first byte leaves.
public struct Step: Hashable, Sendable {
    /// The state of a step between the request and its proof. ``transitions`` is the whole machine.
    public enum State: String, Hashable, Codable, CaseIterable, Sendable {
        /// Shown, not yet agreed to: none of it happens before the user agrees. What is to be sent comes back to it
        /// after a crash.
        case planned
        /// Agreed to; it waits for its turn, or for its time (``Step/dueAt``).
        case ready
        /// On disk, with a full sync, before the first byte leaves.
        case issued
        /// The answer was lost, or the process ended while it was issued: it may or may not have happened.
        case unknown
        /// opus is checking with the account what became of it.
        case reconciling
        /// Proven by evidence. Final.
        case confirmed
        /// The server or the file system said no, with a reason. Only a person's word makes it `ready` again.
        case rejected
        /// opus cannot tell whether it happened; shown, never repeated on its own.
        case needsDecision
        /// Cancelled before anything of it happened. Final.
        case cancelled

        /// The journal's state machine: from each state, those that may follow. Staying is always allowed.
        public static let transitions: [State: Set<State>] = [
            .planned: [.ready, .cancelled],
            .ready: [.planned, .issued, .confirmed, .rejected, .needsDecision, .cancelled],
            .issued: [.confirmed, .rejected, .ready, .unknown, .reconciling, .needsDecision],
            .unknown: [.reconciling],
            .reconciling: [.confirmed, .ready, .issued, .rejected, .unknown, .needsDecision],
            .confirmed: [],
            .rejected: [.ready, .cancelled],
            .needsDecision: [.ready, .confirmed, .cancelled],
            .cancelled: [],
        ]

        public func canBecome(_ next: State) -> Bool {
            self == next || Self.transitions[self]?.contains(next) == true
        }

        /// Something may still happen by itself, or once a person agrees.
        public var isOpen: Bool {
            switch self {
            case .planned, .ready, .issued, .unknown, .reconciling: true
            case .confirmed, .rejected, .needsDecision, .cancelled: false
            }
        }
    }

    /// What is to happen. The order inside an item is: create first, destroy last. Large values are kept apart, because
    /// moves and marks come in thousands.
    public enum Kind: Hashable, Codable, Sendable {
        /// Write a new task file.
        indirect case createTodo(Todo)
        /// Change the named properties of a task file that exists.
        indirect case updateTodo(TodoID, TodoPatch)
        /// Remove a task file, if its bytes are still those with this digest (SHA-256, hex).
        case removeTodo(TodoID, digest: String)
        /// Put the bytes of a task file back, at a path below the task folder, if what is there now has this digest; nil:
        /// if nothing is there.
        case restoreTodo(TodoID, path: String, content: [UInt8], digest: String?)
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
        /// Take a draft that was sent, replaced or discarded out of its mailbox: to the trash, and where the account
        /// has none, by UID EXPUNGE (RFC 4315 §2.1). Only bytes that are known go. `versions` are those that the draft
        /// had; what the journal says it appended under the token counts as well.
        case remove(MessageKey, token: MessageID, versions: DraftVersions?)
        /// A deferred message waits until another time, or no more (nil); `before` is until when it did.
        case wait(until: DeferredUntil?, before: DeferredUntil?)
        /// Write a file of the step's message below the attachments folder; never over another file.
        case saveFile(section: String, folder: String, name: String)
        /// Remove a saved file, at a path below the attachments folder, if its bytes are still those with this digest.
        case removeFile(path: String, digest: String)
        /// Put an address into one of the workspace's lists of senders, or take it out.
        case list(SenderList, entry: String, isListed: Bool)
        /// Make a mailbox, and subscribe to it. It stays when the step is undone: opus deletes no mailbox.
        case createMailbox(Mailbox)
        /// Split or join threads, as the user decided. Only the store changes.
        case editThreads(ThreadChange)
    }

    /// Row number in the journal; nil before it was queued.
    public var id: Int64?
    /// Unique: the same wish is queued once, however often a plan is made. SHA-256, hex.
    public var idempotencyKey: String
    public var message: EmailID?
    public var cause: Cause
    public var kind: Kind
    public var state: State
    /// How often it was issued, since the last time that a person said `retry`.
    public var attempts: Int
    /// Not before then: the hold of a mail that can still be cancelled, or the wait between two attempts.
    public var dueAt: Timestamp?
    /// When it was last issued, by the clock of the run; nil: never.
    public var issuedAt: Timestamp?
    /// When it was first issued, since the last time that a person said `retry`.
    public var triedSince: Timestamp?
    /// The row that this one undoes.
    public var undoes: Int64?
    /// The change: the state before it and after it.
    public var outcome: StepOutcome
    /// The words of the server or the system when it was rejected or failed for now. For people: ``reason``.
    public var error: String?
    public var hold: Hold?
    public var proof: Proof?

    public init(idempotencyKey: String, message: EmailID?, cause: Cause, kind: Kind) {
        self.idempotencyKey = idempotencyKey
        self.message = message
        self.cause = cause
        self.kind = kind
        state = .ready
        attempts = 0
        outcome = StepOutcome()
    }
}

extension Step {
    /// No hold and no wait between two attempts is longer than a day. Seconds.
    public static let longestWait: Int64 = 86_400

    /// Whether its time has come. A due time further away than any wait was made by a clock that was wrong: the step is
    /// due.
    public func isDue(at now: Timestamp) -> Bool {
        guard let dueAt else { return true }
        return Self.isDue(dueAt, at: now)
    }

    public static func isDue(_ dueAt: Timestamp, at now: Timestamp) -> Bool {
        dueAt <= now || dueAt > now + longestWait
    }
}

/// What a step changed: what proves it, what a retry starts from, and what `opus undo` puts back.
///
/// Empty until something is known. A field that is nil says nothing.
public struct StepOutcome: Hashable, Codable, Sendable {
    /// The marks before a `store`, as the source showed them right before the change.
    public var flagsBefore: Set<Flag>?
    public var keywordsBefore: Set<Keyword>?
    /// The place of the message after a `move` or an `append`; UID 0 where the account has none (Maildir).
    public var place: MessageKey?
    /// The unique part of the file name in a Maildir.
    public var remoteName: String?
    /// The first half of a move by COPY is proven: the copy, whose original is still to be removed.
    public var copied: MessageKey?
    /// The path of the task file below the task folder, or of the saved file below the attachments folder.
    public var path: String?
    /// SHA-256 of that file after the step, or of the draft that was appended, in its comparable form; hex.
    public var digest: String?
    /// The file's path and bytes before the step; nil: there was none.
    public var pathBefore: String?
    public var contentBefore: [UInt8]?
    /// The UIDNEXT of the destination right before the step was issued: messages below it were there before.
    public var destinationUIDNext: UInt32?
    /// The server's words for each recipient, where it said something of its own.
    public var recipients: [String: String]?

    public init() {}

    /// The combined knowledge: `later` wins where it has a value.
    public func merging(_ later: StepOutcome) -> StepOutcome {
        var merged = self
        merged.flagsBefore = later.flagsBefore ?? flagsBefore
        merged.keywordsBefore = later.keywordsBefore ?? keywordsBefore
        merged.place = later.place ?? place
        merged.remoteName = later.remoteName ?? remoteName
        merged.copied = later.copied ?? copied
        merged.path = later.path ?? path
        merged.digest = later.digest ?? digest
        merged.pathBefore = later.pathBefore ?? pathBefore
        merged.contentBefore = later.contentBefore ?? contentBefore
        merged.destinationUIDNext = later.destinationUIDNext ?? destinationUIDNext
        merged.recipients = later.recipients ?? recipients
        return merged
    }
}

/// Changes to single properties of a task file; nil leaves a property as it is.
public struct TodoPatch: Hashable, Codable, Sendable {
    /// A property that a patch takes away.
    public enum Clearable: String, Hashable, Codable, Sendable, CaseIterable {
        case due
        case start
        case parent
    }

    /// Setting `.completed` also sets COMPLETED and 100 %; leaving it removes both. RFC 5545 §3.8.1.11.
    public var status: TodoStatus?
    public var completed: Timestamp?
    public var list: GTDList?
    public var start: TodoDate?
    public var due: TodoDate?
    public var summary: String?
    /// The link to the mail stays their last line.
    public var notes: String?
    /// 0 takes it away.
    public var priority: Int?
    /// All of them; empty takes them away.
    public var categories: [String]?
    /// Empty takes it away.
    public var contact: String?
    public var parent: TodoID?
    /// All of them; empty takes them away.
    public var dependsOn: [TodoID]?
    public var clears: Set<Clearable>?
    /// One occurrence of a repeating task is done: the task continues with the next one.
    public var roll: TodoRoll?

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

    /// Says nothing at all.
    public var isEmpty: Bool { self == TodoPatch() }
}
