import MailStore
import Models

/// The results of a drain while it runs, each written to the journal as soon as it is known.
///
/// The trap: a step that is given up is not open any more, so it holds back nothing in the next drain. What was
/// to follow it is taken back in the same transaction.
struct Ledger {
    let store: MailStore
    private(set) var report = DrainReport()
    private let steps: [Step]
    private let byMessage: [EmailID: [Step]]
    private var held: Set<EmailID> = []
    /// Read when a task could not be written, which is rare.
    private var threads: [EmailID: ThreadID]?
    private var settled: Set<Int64> = []

    /// `steps` are all that are open, in journal order.
    init(store: MailStore, steps: [Step]) {
        self.store = store
        self.steps = steps
        var byMessage: [EmailID: [Step]] = [:]
        for step in steps {
            if let message = step.message { byMessage[message, default: []].append(step) }
        }
        self.byMessage = byMessage
    }

    func isHeld(_ step: Step) -> Bool { step.message.map(held.contains) ?? false }

    func isSettled(_ step: Step) -> Bool { step.id.map(settled.contains) ?? false }

    /// A task that is not on disk keeps its whole conversation where it is.
    mutating func holdThread(of step: Step) throws {
        for message in try conversation(of: step) { held.insert(message) }
    }

    func issue(_ steps: [Step]) throws {
        let ids = steps.compactMap(\.id)
        if !ids.isEmpty { try store.markIssued(ids) }
    }

    mutating func confirm(
        _ step: Step, evidence: String, movedTo: MessageKey? = nil, remoteName: String? = nil,
        marks: Sighting? = nil, outcome: StepOutcome = StepOutcome()
    ) throws {
        guard let id = step.id else { return }
        try record([
            StepResult(
                id: id, state: .confirmed, evidence: evidence, movedTo: movedTo, flags: marks?.flags,
                keywords: marks?.keywords, remoteName: remoteName, outcome: outcome)
        ])
        report.confirmed.append(step.settled(.confirmed, error: nil))
    }

    /// What was refused for good. The rule may ask for it again, except for mail: a refused recipient is a person's to
    /// mend.
    mutating func reject(_ step: Step, because reason: String) throws {
        let followers = try giveUp(step, .rejected, reason)
        report.rejected += [step.settled(.rejected, error: reason)] + followers
    }

    /// Refused for good, in a way that changes nothing for what comes after it: that goes on, and the rule does not ask
    /// again.
    mutating func rejectAlone(_ step: Step, because reason: String) throws {
        guard let id = step.id else { return }
        try record([StepResult(id: id, state: .rejected, error: reason)])
        report.rejected.append(step.settled(.rejected, error: reason))
    }

    /// Nothing happened; tried again with the next run, and given up after ``Drain/attempts``.
    mutating func postpone(_ step: Step, because reason: String, evidence: String? = nil) throws {
        guard step.attempts + 1 < Drain.attempts else { return try reject(step, because: reason) }
        try leave(step, .ready, reason, evidence: evidence)
    }

    mutating func loseTrack(of step: Step, because reason: String) throws {
        try leave(step, .unknown, reason)
    }

    mutating func ask(about step: Step, because reason: String) throws {
        let followers = try giveUp(step, .needsDecision, reason)
        report.undecided.append(step.settled(.needsDecision, error: reason))
        report.rejected += followers
    }

    mutating func interrupted(by reason: String) { report.interruption = reason }

    /// Steps that nobody came to, because an earlier one of their message failed, wait.
    func closed() -> DrainReport {
        var report = report
        report.waiting += steps.filter { step in step.id.map { !settled.contains($0) } ?? false }
        return report
    }

    private mutating func leave(_ step: Step, _ state: Step.State, _ reason: String, evidence: String? = nil)
        throws
    {
        hold(step)
        guard let id = step.id else { return }
        try record([StepResult(id: id, state: state, evidence: evidence, error: reason)])
        report.waiting.append(step.settled(state, error: reason))
    }

    /// One transaction: no kill leaves a follower without what it follows.
    private mutating func giveUp(_ step: Step, _ state: Step.State, _ reason: String) throws -> [Step] {
        hold(step)
        guard let id = step.id else { return [] }
        let forgets = state == .rejected && !step.submits
        let followers = try followers(of: step).map { $0.settled(.cancelled, error: "held back: \(reason)") }
        let cancelled = followers.compactMap { follower in
            follower.id.map {
                StepResult(id: $0, state: .cancelled, error: follower.error, forgetsMatch: forgets)
            }
        }
        try record([StepResult(id: id, state: state, error: reason, forgetsMatch: forgets)] + cancelled)
        return followers
    }

    /// What may not happen any more once a step is given up.
    private mutating func followers(of step: Step) throws -> [Step] {
        var messages = Set(step.message.map { [$0] } ?? [])
        if step.writesTask { messages.formUnion(try conversation(of: step)) }
        return messages.sorted().flatMap { byMessage[$0] ?? [] }.filter { !isSettled($0) && $0.follows(step) }
    }

    /// Messages with open steps in the thread of the step's message.
    private mutating func conversation(of step: Step) throws -> [EmailID] {
        guard let message = step.message else { return [] }
        if threads == nil {
            let facts = try store.facts(.ids(Array(byMessage.keys)))
            threads = Dictionary(facts.map { ($0.id, $0.thread) }, uniquingKeysWith: { first, _ in first })
        }
        guard let thread = threads?[message] else { return [message] }
        return byMessage.keys.filter { threads?[$0] == thread }
    }

    private mutating func hold(_ step: Step) {
        if let message = step.message { held.insert(message) }
    }

    private mutating func record(_ results: [StepResult]) throws {
        try store.resolve(results)
        for result in results { settled.insert(result.id) }
    }
}

extension Step {
    fileprivate var writesTask: Bool {
        switch kind {
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo: true
        case .append, .submit, .store, .move, .remove: false
        }
    }

    /// Whether this step has lost its sense when the other one did not happen.
    ///
    /// Everything of a message follows its task, draft or submission; only its own move follows its marks. Of
    /// the rest of the conversation, the moves follow a task.
    fileprivate func follows(_ other: Step) -> Bool {
        switch (other.kind, kind) {
        case (.createTodo, .move), (.updateTodo, .move), (.removeTodo, .move), (.restoreTodo, .move): true
        case (.createTodo, _), (.updateTodo, _), (.removeTodo, _), (.restoreTodo, _), (.append, _),
            (.submit, _):
            message == other.message && (order, id ?? 0) > (other.order, other.id ?? 0)
        case (.store(let marked, _, _, _, _), .move(let moved, to: _)): marked == moved
        case (.store, _), (.move, _), (.remove, _): false
        }
    }

    /// The drain's order.
    private var order: Int {
        switch kind {
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo: 0
        case .append, .submit: 1
        case .store: 2
        case .move, .remove: 3
        }
    }

    fileprivate func settled(_ state: Step.State, error: String?) -> Step {
        var copy = self
        copy.state = state
        copy.error = error
        return copy
    }
}

extension Step {
    fileprivate var submits: Bool {
        if case .submit = kind { return true }
        return false
    }
}
