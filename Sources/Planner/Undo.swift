public import Models
import Rules

/// Undoes a run: each step that changed something has an inverse, or a reason why it has none.
///
/// An inverse starts from the current state, not from the state after the run: opus searches for the message,
/// keeps marks that others have set since, and does not touch a task file that was edited since.
public enum Undo {
    /// The current state.
    public struct Facts: Sendable {
        public var context: StepContext
        public var mailboxes: [MailboxName: Mailbox] = [:]
        /// Every place of every message of the run.
        public var places: [EmailID: [MessagePlace]] = [:]
        /// SHA-256 in hex of the file of each task of the run. A task without an entry has no file.
        public var todos: [TodoID: String] = [:]
        /// The list of each of these files.
        public var lists: [TodoID: GTDList] = [:]
        /// What opus noted in the task of a step after it, by row. A step without an entry: another program or command changed
        /// the file, or it has not changed.
        public var noted: [Int64: NotedSince] = [:]
        /// SHA-256 in hex of each saved file of the run, by path. A file without an entry does not exist.
        public var files: [String: String] = [:]
        /// The steps of the whole journal that saved each of these files.
        public var savers: [String: [FileSaver]] = [:]
        /// The messages that the run put into a mailbox, by their tokens.
        public var appended: [MessageID: EmailID] = [:]
        /// Mailboxes in which a message is an order: undo moves nothing into them.
        public var commandMailboxes: Set<MailboxName> = []
        /// The mailbox of a message before the order, by its place in the command mailbox.
        public var homes: [MessageKey: MailboxName] = [:]
        /// Drafts that the run put into the Drafts mailbox and that were sent since.
        public var sent: Set<MessageID> = []
        /// Messages whose date a step changed, and that are no longer in the deferred mailbox.
        public var noLongerDeferred: Set<EmailID> = []
        /// The due date of the message before each move, by row.
        public var waits: [Int64: DeferredUntil] = [:]
        /// The state of each draft that the run put into the Drafts mailbox, if the account was checked.
        public var drafts: [MessageID: DraftState] = [:]
        /// SHA-256 in hex of each draft that the run put into a mailbox, in its canonical form.
        public var digests: [MessageID: String] = [:]
        /// The steps that had appended the drafts that the run removed, by row of the removal.
        public var removed: [Int64: Step] = [:]
        /// The removals of drafts in place of which a later run wrote or sent another version, by row.
        public var replaced: Set<Int64> = []
        /// Steps that this run undid, by row.
        public var originals: [Int64: Step] = [:]
        /// Steps of the run that are already undone, by row.
        public var undone: [Int64: RunID] = [:]
        /// Whether an edited task is cancelled instead of left unchanged.
        public var isForced = false
        /// Whether the account was just synced, so that `places` shows the result of a move whose answer was
        /// lost.
        public var isFresh = false
        /// Tasks whose file has exactly the content that an interrupted step was to write.
        public var written: Set<TodoID> = []

        public init(context: StepContext) { self.context = context }
    }

    /// Only opus has changed the file of a task since a step, because of mail.
    public struct NotedSince: Hashable, Sendable {
        /// The file before the step, with the lines noted since; nil: there was none, or more than the notes has changed.
        public var before: [UInt8]?

        public init(before: [UInt8]? = nil) { self.before = before }
    }

    /// The state of a draft that a run put into the Drafts mailbox.
    public enum DraftState: Hashable, Sendable {
        /// It is still there, byte for byte.
        case untouched
        /// Another version is there: the user has edited it.
        case edited
        case gone
    }

    public enum Answer: Hashable, Sendable {
        /// To be queued: the inverse step.
        case inverse(Step)
        /// To be queued for the record of the journal only: the result of the step stays, with the reason.
        case release(Step, String)
        /// The step has not happened, and is cancelled.
        case cancel
        /// There is nothing to undo, with the reason.
        case nothing(String)
        /// There is nothing to undo, because the draft was sent, and its mail stays sent.
        case sent
        /// The step cannot be undone, with the reason.
        case cannot(String)
    }

    public struct Item: Hashable, Sendable {
        public var step: Step
        public var answer: Answer
        /// The due date to restore; nil: the message is not deferred.
        public var until: DeferredUntil?
    }

    /// The due dates of messages whose moves into or out of the deferred mailbox are cancelled: queuing the move has changed
    /// them.
    public static func deferrals(ofCancelled items: [Item], _ context: StepContext) -> [QueuedWork.Deferral] {
        let waiting = context.mailbox(for: .deferred).name
        return items.compactMap { item in
            guard item.answer == .cancel, case .move(let key, let destination) = item.step.kind,
                let message = item.step.message, key.mailbox == waiting || destination.name == waiting
            else { return nil }
            return .init(message: message, until: item.until)
        }
    }

    /// The answers for the steps of a run, newest first. Steps that never happened or are already undone have
    /// none.
    public static func items(for steps: [Step], now facts: Facts) -> [Item] {
        let left = steps.reversed().filter { step in step.id.map { facts.undone[$0] == nil } ?? true }
        var inversion = Inversion(
            facts: facts, together: Set(left.compactMap(\.id)),
            sent: Dictionary(steps.compactMap(\.sentDraft), uniquingKeysWith: { $0 || $1 }),
            marked: Inversion.marked(left))
        var answers: [Int: Answer] = [:]
        for turn in 0...2 {
            for (index, step) in left.enumerated() where Inversion.turn(of: step) == turn {
                answers[index] = inversion.answer(step)
            }
        }
        return left.enumerated().compactMap { index, step in
            answers[index].map { answer in
                Item(step: step, answer: answer, until: facts.until(answer, of: step))
            }
        }
    }

    /// The answer for one step alone; nil: it never happened.
    public static func inverse(of step: Step, now facts: Facts) -> Answer? {
        var inversion = Inversion(facts: facts)
        return inversion.answer(step)
    }

    /// All journal entries: the inverse steps, and their effect on deferred messages.
    ///
    /// A message that leaves the deferred mailbox is no longer deferred.
    public static func work(_ items: [Item], _ context: StepContext) -> QueuedWork {
        var work = QueuedWork()
        for item in items {
            let step: Step
            switch item.answer {
            case .inverse(let inverse), .release(let inverse, _): step = inverse
            case .cancel, .nothing, .sent, .cannot: continue
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
    /// A message that returns to the deferred mailbox gets its old due date; if that is past or unknown, the
    /// next morning. A message that has not left it keeps its date.
    fileprivate func until(_ answer: Undo.Answer, of step: Step) -> DeferredUntil? {
        if case .cancel = answer { return step.id.flatMap { waits[$0] }.map(stillToCome) }
        guard case .inverse(let inverse) = answer, case .move(_, let destination) = inverse.kind,
            destination.name == context.mailbox(for: .deferred).name
        else { return nil }
        return step.id.flatMap { waits[$0] }.map(stillToCome) ?? .time(context.nextMorning)
    }

    /// The due date itself; if that is past, the next morning.
    func stillToCome(_ before: DeferredUntil) -> DeferredUntil {
        before.isOver(at: context.now) ? .time(context.nextMorning) : before
    }
}

extension Step {
    /// The draft of a mail that was sent (true), or perhaps sent (false).
    fileprivate var sentDraft: (EmailID, Bool)? {
        guard case .submit = kind, let message, state == .confirmed || state == .needsDecision else {
            return nil
        }
        return (message, state == .confirmed)
    }
}

extension Step.Kind {
    var isMove: Bool {
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
