public import Logging
public import MailStore
public import Models
public import TaskStore

/// Drains the action journal of one account: look, act, record.
///
/// The order is fixed and the same for every run: task files, then messages that are made or sent, then
/// marks, then moves. So a message never leaves the inbox before its task is on disk, and nothing is
/// destroyed before what replaces it exists. A step that fails holds back the later steps of its message,
/// and of no other; one that is given up takes them with it.
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
        try store.beginReconciling(of: account)
        let steps = try store.openSteps(of: account)
        var ledger = Ledger(store: store, steps: steps)
        do {
            try runTodoSteps(steps, &ledger)
            try await runMessageSteps(steps, &ledger)
            try await runMarkSteps(steps, &ledger)
            try await runMoveSteps(steps, &ledger)
        } catch let error as Interruption {
            ledger.interrupted(by: error.reason)
        }
        try store.endReconciling(of: account)
        return ledger.closed()
    }

    func runTodoSteps(_ steps: [Step], _ ledger: inout Ledger) throws {
        for step in steps where !ledger.isHeld(step) { try runTodoStep(step, &ledger) }
    }
}

/// The connection is gone; what is left waits for the next run.
struct Interruption: Error {
    let reason: String
}
