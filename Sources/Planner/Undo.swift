public import Models
import Rules

/// Undoes a run: each step that changed something has an inverse, or a reason why it has none.
///
/// An inverse starts from where things are now, not from where the run left them: opus searches for the message, marks
/// that others set since stay, and a task file that was edited since is not touched.
public enum Undo {
    /// The current state.
    public struct Facts: Sendable {
        public var context: StepContext
        public var mailboxes: [MailboxName: Mailbox] = [:]
        /// Every place of every message of the run.
        public var places: [EmailID: [MessagePlace]] = [:]
        /// The file of each task of the run: its SHA-256 in hex. A task that is not in it has none.
        public var todos: [TodoID: String] = [:]
        /// SHA-256 in hex of each saved file of the run, by its path. One that is not in it is not there.
        public var files: [String: String] = [:]
        /// The steps of the whole journal that saved each of these files.
        public var savers: [String: [FileSaver]] = [:]
        /// The messages that the run put into a mailbox, by their tokens.
        public var appended: [MessageID: EmailID] = [:]
        /// Mailboxes in which a message is an order: nothing goes back there.
        public var commandMailboxes: Set<MailboxName> = []
        /// Where a message was before the order, by its place in the command mailbox.
        public var homes: [MessageKey: MailboxName] = [:]
        /// Until when the message of a move waited before it, by row.
        public var waits: [Int64: DeferredUntil] = [:]
        /// What the Drafts mailbox holds of each draft that the run put there, where the account was checked.
        public var drafts: [MessageID: DraftState] = [:]
        /// SHA-256 in hex of each draft that the run put into a mailbox, in its comparable form.
        public var digests: [MessageID: String] = [:]
        /// The steps that put the drafts there that the run removed, by row of the removal.
        public var removed: [Int64: Step] = [:]
        /// Steps that this run undid, by row.
        public var originals: [Int64: Step] = [:]
        /// Steps of the run that are already undone, by row.
        public var undone: [Int64: RunID] = [:]
        /// An edited task is cancelled instead of left alone.
        public var isForced = false
        /// The account was just synced, so that `places` shows the result of a move whose answer was lost.
        public var isFresh = false
        /// Tasks whose file says just what an interrupted step was to write.
        public var written: Set<TodoID> = []

        public init(context: StepContext) { self.context = context }
    }

    /// What became of a draft that a run put into the Drafts mailbox.
    public enum DraftState: Hashable, Sendable {
        /// It is there, byte for byte.
        case untouched
        /// Another version is there: the user continued to write it.
        case edited
        case gone
    }

    public enum Answer: Hashable, Sendable {
        /// To be queued; its kind is the inverse.
        case inverse(Step)
        /// To be queued as well, so that the journal knows; but what was made stays, and why.
        case release(Step, String)
        /// It has not happened yet, and will not.
        case cancel
        /// Nothing is left to undo, and why.
        case nothing(String)
        /// It stays, and why.
        case cannot(String)
    }

    public struct Item: Hashable, Sendable {
        public var step: Step
        public var answer: Answer
        /// Until when its message waits again; nil: it goes nowhere to wait.
        public var until: DeferredUntil?
    }

    /// The answers for a run's steps, newest first. Steps that never happened, and those that are already undone,
    /// have none.
    public static func items(for steps: [Step], now facts: Facts) -> [Item] {
        let left = steps.reversed().filter { step in step.id.map { facts.undone[$0] == nil } ?? true }
        var inversion = Inversion(facts: facts, together: Set(left.compactMap(\.id)))
        var answers: [Int: Answer] = [:]
        // Moves first: they tell the place of a message whose marks are put back.
        for isMove in [true, false] {
            for (index, step) in left.enumerated() where step.kind.isMove == isMove {
                answers[index] = inversion.answer(step)
            }
        }
        return left.enumerated().compactMap { index, step in
            answers[index].map { answer in
                Item(step: step, answer: answer, until: facts.until(answer, of: step))
            }
        }
    }

    /// The answer for one step by itself; nil: it never happened.
    public static func inverse(of step: Step, now facts: Facts) -> Answer? {
        var inversion = Inversion(facts: facts)
        return inversion.answer(step)
    }

    /// Everything that goes into the journal: the inverses, and what they mean for messages that wait.
    ///
    /// A message that leaves the deferred mailbox no longer waits.
    public static func work(_ items: [Item], _ context: StepContext) -> QueuedWork {
        var work = QueuedWork()
        for item in items {
            let step: Step
            switch item.answer {
            case .inverse(let inverse), .release(let inverse, _): step = inverse
            case .cancel, .nothing, .cannot: continue
            }
            work.steps.append(step)
            guard case .move(let key, let destination) = step.kind, let message = step.message else {
                continue
            }
            let waiting = context.mailbox(for: .deferred).name
            if destination.name == waiting {
                work.deferrals.append(.init(message: message, until: item.until))
            } else if key.mailbox == waiting {
                work.deferrals.append(.init(message: message, until: nil))
            }
        }
        return work
    }
}

extension Undo.Facts {
    /// A message that goes back to the deferred mailbox waits as long as before; if that time is over or not known, until the
    /// next morning.
    fileprivate func until(_ answer: Undo.Answer, of step: Step) -> DeferredUntil? {
        guard case .inverse(let inverse) = answer, case .move(_, let destination) = inverse.kind,
            destination.name == context.mailbox(for: .deferred).name
        else { return nil }
        guard let before = step.id.flatMap({ waits[$0] }), !before.isOver(at: context.now) else {
            return .time(context.nextMorning)
        }
        return before
    }
}

extension Step.Kind {
    fileprivate var isMove: Bool {
        if case .move = self { return true }
        return false
    }
}

extension StepContext {
    fileprivate var nextMorning: Timestamp {
        let zone = Zone(timeZone) ?? .utc
        return ReturnTime.instant(.date(zone.local(now).date.adding(days: 1)), timeZone: timeZone)
    }
}
