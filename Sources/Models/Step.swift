/// One change in the action journal.
///
/// A step can be repeated safely (flags, a move by key), or opus can find out later whether it happened (an appended
/// message, by its token). It is `issued` on disk before its first byte is sent.
public struct Step: Hashable, Sendable {
    /// How far a step is. ``transitions`` lists every change of state.
    public enum State: String, Hashable, Codable, CaseIterable, Sendable {
        /// Shown to the user, who has not agreed yet: none of it happens before that. After a crash, a mail to be sent
        /// returns to this state.
        case planned
        /// The user agreed; it waits for its turn or its time (``Step/dueAt``).
        case ready
        /// Recorded on disk, with a full sync, before the first byte is sent.
        case issued
        /// The answer was lost, or the process ended while the step was issued: it may have happened.
        case unknown
        /// opus is checking with the account whether the step happened.
        case reconciling
        /// Proven by evidence. Final.
        case confirmed
        /// The server or the file system refused it, with a reason. Only the user can make it `ready` again.
        case rejected
        /// opus cannot tell whether it happened. It shows the step and never repeats it on its own.
        case needsDecision
        /// Cancelled before anything of it happened. Final.
        case cancelled

        /// The state machine of the journal: the states that may follow each state. A step may always stay in its
        /// state.
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

        /// Whether it can still happen, by itself or after the user agrees.
        public var isOpen: Bool {
            switch self {
            case .planned, .ready, .issued, .unknown, .reconciling: true
            case .confirmed, .rejected, .needsDecision, .cancelled: false
            }
        }
    }

    /// What a step changes. Within an item, steps that create come first and steps that destroy last. Cases with large
    /// values are indirect, because moves and marks come in thousands.
    public enum Kind: Hashable, Codable, Sendable {
        /// Write a new task file.
        indirect case createTodo(Todo)
        /// Change the named properties of a task file that exists.
        indirect case updateTodo(TodoID, TodoPatch)
        /// Remove a task file, if its SHA-256 (hex) is still this digest.
        case removeTodo(TodoID, digest: String)
        /// Restore a task file at a path below the task folder, if the file there now has this digest; nil: if no file
        /// is there.
        case restoreTodo(TodoID, path: String, content: [UInt8], digest: String?)
        /// Put a message into a mailbox (a draft, or the copy in Sent). `token` is its Message-ID.
        case append(to: Mailbox, message: [UInt8], flags: Set<Flag>, token: MessageID)
        /// Submit a message. `token` is its Message-ID. After the final dot, opus never sends it again on its own.
        case submit(reversePath: String, forwardPaths: [String], message: [UInt8], token: MessageID)
        /// Add and remove flags and keywords.
        case store(
            MessageKey, addFlags: Set<Flag>, removeFlags: Set<Flag>, addKeywords: Set<Keyword>,
            removeKeywords: Set<Keyword>)
        /// Move a message to another mailbox, which is created if it is missing.
        case move(MessageKey, to: Mailbox)
        /// Take a draft that was sent, replaced or discarded out of its mailbox: move it to the trash or, if the
        /// account has none, delete it by UID EXPUNGE (RFC 4315 §2.1). Only known bytes are removed. `versions` are the
        /// known versions of the draft; those that the journal appended under the token count too.
        case remove(MessageKey, token: MessageID, versions: DraftVersions?)
        /// Defer a message until another time; nil: it is no longer deferred. `before`: until when it was deferred.
        case wait(until: DeferredUntil?, before: DeferredUntil?)
        /// Save a file of the step's message below the attachments folder; it never replaces another file.
        case saveFile(section: String, folder: String, name: String)
        /// Remove a saved file, at a path below the attachments folder, if its SHA-256 (hex) is still this digest.
        case removeFile(path: String, digest: String)
        /// Add an address to one of the workspace's lists of senders, or remove it.
        case list(SenderList, entry: String, isListed: Bool)
        /// Make a mailbox and subscribe to it. Undoing the step keeps the mailbox: opus never deletes one.
        case createMailbox(Mailbox)
        /// Split or join threads as the user decided. Only the store changes.
        case editThreads(ThreadChange)
    }

    /// The row number in the journal; nil: the step is not queued yet.
    public var id: Int64?
    /// Unique, so that planning the same change again does not queue it twice. SHA-256, in hex.
    public var idempotencyKey: String
    public var message: EmailID?
    public var cause: Cause
    public var kind: Kind
    public var state: State
    /// How often the step was issued, since the user last chose `retry`.
    public var attempts: Int
    /// The earliest time: the end of the hold of a mail, or of the pause between two attempts.
    public var dueAt: Timestamp?
    /// When it was last issued; nil: never.
    public var issuedAt: Timestamp?
    /// When it was first issued, since the user last chose `retry`.
    public var triedSince: Timestamp?
    /// The row of the step that this one undoes.
    public var undoes: Int64?
    /// The change: the state before it and after it.
    public var outcome: StepOutcome
    /// What the server or the system said when it rejected the step or failed for now. For people: ``reason``.
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
    /// The longest hold and the longest pause between two attempts, in seconds: one day.
    public static let longestWait: Int64 = 86_400

    /// Whether its time has come. A due time beyond the longest wait comes from a wrong clock, so such a step is due.
    public func isDue(at now: Timestamp) -> Bool {
        guard let dueAt else { return true }
        return Self.isDue(dueAt, at: now)
    }

    public static func isDue(_ dueAt: Timestamp, at now: Timestamp) -> Bool {
        dueAt <= now || dueAt > now + longestWait
    }
}

/// What a step changed: its proof, the starting point of a retry, and what `opus undo` restores.
///
/// A field that is nil is not known, or not part of such a step.
public struct StepOutcome: Hashable, Codable, Sendable {
    /// The flags before a `store`, as the server showed them right before the change.
    public var flagsBefore: Set<Flag>?
    public var keywordsBefore: Set<Keyword>?
    /// Where the message is after a `move` or an `append`; the UID is 0 in a Maildir, which has no UIDs.
    public var place: MessageKey?
    /// In a Maildir, the unique part of the file name.
    public var remoteName: String?
    /// For a move by COPY: the copy, which is proven to exist. The original is still to be removed.
    public var copied: MessageKey?
    /// The path of the task file below the task folder, or of the saved file below the attachments folder.
    public var path: String?
    /// SHA-256 (hex) of that file after the step, or of the appended draft in its comparable form.
    public var digest: String?
    /// The path and the bytes of the file before the step; nil: there was no file.
    public var pathBefore: String?
    public var contentBefore: [UInt8]?
    /// The UIDNEXT of the destination right before the step was issued: messages with lower UIDs were there before.
    public var destinationUIDNext: UInt32?
    /// The UIDVALIDITY of the destination at that time; nil: unknown.
    public var destinationUIDValidity: UInt32?
    /// The server's answers for single recipients.
    public var recipients: [String: String]?

    public init() {}

    /// Combines both outcomes; a value of `later` wins.
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
        merged.destinationUIDValidity = later.destinationUIDValidity ?? destinationUIDValidity
        merged.recipients = later.recipients ?? recipients
        return merged
    }
}

/// Changes to single properties of a task file; nil: the property stays.
public struct TodoPatch: Hashable, Codable, Sendable {
    /// A property that a patch can remove.
    public enum Clearable: String, Hashable, Codable, Sendable, CaseIterable {
        case due
        case start
        case parent
    }

    /// `.completed` also sets COMPLETED and 100 %; any other status removes both. RFC 5545 §3.8.1.11.
    public var status: TodoStatus?
    public var completed: Timestamp?
    public var list: GTDList?
    public var start: TodoDate?
    public var due: TodoDate?
    public var summary: String?
    /// The link to the mail stays their last line.
    public var notes: String?
    /// 0 removes it.
    public var priority: Int?
    /// The whole list; empty removes it.
    public var categories: [String]?
    /// Empty removes it.
    public var contact: String?
    public var parent: TodoID?
    /// The whole list; empty removes it.
    public var dependsOn: [TodoID]?
    public var clears: Set<Clearable>?
    /// One occurrence of a repeating task is done, and the task continues with the next one.
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

    /// Whether it changes nothing.
    public var isEmpty: Bool { self == TodoPatch() }

    /// Whether it changes nothing but the notes.
    public var changesOnlyNotes: Bool {
        var notesOnly = TodoPatch()
        notesOnly.notes = notes
        return self == notesOnly
    }
}
