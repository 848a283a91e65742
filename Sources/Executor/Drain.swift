public import Logging
public import MailStore
public import Models
public import TaskStore

/// Drains the action journal of one account: look, act, record.
///
/// The order is fixed and the same for every run: task files, then messages that are made or sent, then
/// marks, then moves. So a message never leaves the inbox before its task is on disk, and nothing is
/// destroyed before what replaces it exists. A step that fails holds back the later steps of its message,
/// and of no other.
public struct Drain: Sendable {
    let account: AccountID
    let store: MailStore
    let tasks: TaskStore
    let sink: any MailSink
    /// nil where the account has no `smtp:`.
    let submitter: (any MailSubmitter)?
    let now: Timestamp
    let logger: Logger

    /// After that many refusals a step is given up and shown.
    static let attempts = 5

    public init(
        account: AccountID, store: MailStore, tasks: TaskStore, sink: any MailSink,
        submitter: (any MailSubmitter)?, now: Timestamp, logger: Logger
    ) {
        self.account = account
        self.store = store
        self.tasks = tasks
        self.sink = sink
        self.submitter = submitter
        self.now = now
        self.logger = logger
    }

    /// Runs every open step once. Throws only when the store itself fails.
    public func run() async throws -> DrainReport {
        let interrupted = try store.recoverIssued(of: account)
        if interrupted > 0 {
            logger.notice(
                "steps of an interrupted run are looked at first", metadata: ["steps": "\(interrupted)"])
        }
        var ledger = Ledger(store: store)
        let steps = try store.openSteps(of: account)
        do {
            try runTodoSteps(steps, &ledger)
            try await runMessageSteps(steps, &ledger)
            try await runMarkSteps(steps, &ledger)
            try await runMoveSteps(steps, &ledger)
        } catch let error as Interruption {
            ledger.report.interruption = error.reason
        }
        return try ledger.closed(with: steps)
    }

    func runTodoSteps(_ steps: [Step], _ ledger: inout Ledger) throws {
        for step in steps where !ledger.isHeld(step) {
            switch step.kind {
            case .createTodo(let todo):
                try write(step, &ledger) { () throws(TaskStoreError) in try tasks.create(todo, now: now) }
            case .updateTodo(let id, let patch):
                try write(step, &ledger) { () throws(TaskStoreError) in try tasks.update(id, patch, now: now)
                }
            case .append, .submit, .store, .move:
                continue
            }
        }
    }

    private func write(
        _ step: Step, _ ledger: inout Ledger, _ body: () throws(TaskStoreError) -> TodoFile
    ) throws {
        try ledger.issue([step])
        let file: TodoFile
        do throws(TaskStoreError) {
            file = try body()
        } catch {
            ledger.holdThread(of: step)
            return try ledger.postpone(step, because: "\(error)")
        }
        try store.saveTodoFiles([file], removing: [])
        try ledger.confirm(step, evidence: file.path)
    }
}

/// The connection is gone; what is left waits for the next run.
struct Interruption: Error {
    let reason: String
}

/// The results of a drain while it runs, each written to the journal as soon as it is known.
struct Ledger {
    let store: MailStore
    var report = DrainReport()
    private var held: Set<EmailID> = []
    private var heldThreads: Set<ThreadID> = []
    private var settled: Set<Int64> = []

    init(store: MailStore) { self.store = store }

    func isHeld(_ step: Step) -> Bool {
        guard let message = step.message else { return false }
        return held.contains(message)
            || (!heldThreads.isEmpty && thread(of: message).map(heldThreads.contains) ?? false)
    }

    /// A task that is not on disk keeps its whole conversation where it is.
    mutating func holdThread(of step: Step) {
        if let message = step.message, let thread = thread(of: message) { heldThreads.insert(thread) }
    }

    private func thread(of message: EmailID) -> ThreadID? { (try? store.detail(of: message))?.thread }

    func isSettled(_ step: Step) -> Bool { step.id.map(settled.contains) ?? false }

    func issue(_ steps: [Step]) throws {
        let ids = steps.compactMap(\.id)
        if !ids.isEmpty { try store.markIssued(ids) }
    }

    mutating func confirm(_ step: Step, evidence: String, movedTo: MessageKey? = nil, marks: Sighting? = nil)
        throws
    {
        try record(step, .confirmed, evidence: evidence, error: nil, movedTo: movedTo, marks: marks)
        report.confirmed.append(settledCopy(step, .confirmed, error: nil))
    }

    mutating func reject(_ step: Step, because reason: String) throws {
        hold(step)
        try record(step, .rejected, evidence: nil, error: reason)
        report.rejected.append(settledCopy(step, .rejected, error: reason))
    }

    /// Nothing happened; tried again with the next run, and given up after ``Drain/attempts``.
    mutating func postpone(_ step: Step, because reason: String) throws {
        guard step.attempts + 1 < Drain.attempts else { return try reject(step, because: reason) }
        hold(step)
        try record(step, .ready, evidence: nil, error: reason)
        report.waiting.append(settledCopy(step, .ready, error: reason))
    }

    mutating func loseTrack(of step: Step, because reason: String) throws {
        hold(step)
        try record(step, .unknown, evidence: nil, error: reason)
        report.waiting.append(settledCopy(step, .unknown, error: reason))
    }

    mutating func ask(about step: Step, because reason: String) throws {
        hold(step)
        try record(step, .needsDecision, evidence: nil, error: reason)
        report.undecided.append(settledCopy(step, .needsDecision, error: reason))
    }

    /// Steps that nobody came to, because an earlier one of their message failed, wait.
    mutating func closed(with steps: [Step]) throws -> DrainReport {
        for step in steps {
            if let id = step.id, !settled.contains(id) { report.waiting.append(step) }
        }
        return report
    }

    private mutating func hold(_ step: Step) {
        if let message = step.message { held.insert(message) }
    }

    private mutating func record(
        _ step: Step, _ state: Step.State, evidence: String?, error: String?, movedTo: MessageKey? = nil,
        marks: Sighting? = nil
    ) throws {
        guard let id = step.id else { return }
        settled.insert(id)
        try store.resolve([
            StepResult(
                id: id, state: state, evidence: evidence, error: error, movedTo: movedTo, flags: marks?.flags,
                keywords: marks?.keywords)
        ])
    }

    private func settledCopy(_ step: Step, _ state: Step.State, error: String?) -> Step {
        var copy = step
        copy.state = state
        copy.error = error
        return copy
    }
}
