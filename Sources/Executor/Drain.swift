public import Logging
public import MailStore
public import Models
public import TaskStore

/// Drains the action journal of one account: look, act, record.
///
/// The order is fixed and the same for every run: task files, then saved files, then messages that are made or sent, then
/// marks, then moves. So a message never leaves the inbox before its task is on disk, and nothing is
/// destroyed before what replaces it exists. A step that fails holds back the later steps of its message,
/// and of no other; one that is given up takes them with it.
public struct Drain: Sendable {
    let account: AccountID
    let store: MailStore
    let tasks: TaskStore
    let files: AttachmentFolder
    let sink: any MailSink
    /// nil where the account has no `smtp:`.
    let submitter: (any MailSubmitter)?
    /// The servers that mail is read from and leaves by: what is remembered of them holds for no others.
    let route: String
    let now: Timestamp
    let logger: Logger
    /// Messages that travel together: what one lost answer leaves to be looked at. The client parts what is too long for
    /// one command line of the server.
    let groupSize: Int

    /// Waits between two looks; tests have a clock of their own.
    let pause: @Sendable (Duration) async throws -> Void

    public init(
        account: AccountID, store: MailStore, tasks: TaskStore, files: AttachmentFolder,
        sink: any MailSink, submitter: (any MailSubmitter)?, route: String = "", now: Timestamp,
        logger: Logger, groupSize: Int = 1_000,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.pause = pause
        self.account = account
        self.store = store
        self.tasks = tasks
        self.files = files
        self.sink = sink
        self.submitter = submitter
        self.route = route
        self.now = now
        self.logger = logger
        self.groupSize = groupSize
    }

    /// Runs every open step that is due, once. Throws only when the store itself fails.
    ///
    /// `running` is the run whose steps were queued just now.
    public func run(_ running: RunID? = nil) async throws -> DrainReport {
        var ledger = try begin(running)
        do {
            try runTodoSteps(ledger.steps, &ledger)
            try runFileRemovals(ledger.steps, &ledger)
            try await runFileSteps(ledger.steps, &ledger)
            try await runMessageSteps(ledger.steps, &ledger)
            try await runMarkSteps(ledger.steps, &ledger)
            try await runMoveSteps(ledger.steps, &ledger)
            try await runRemovals(ledger.steps, &ledger)
        } catch let error as Interruption {
            ledger.interrupted(by: error)
        }
        return try end(ledger)
    }

    /// What can be done without the account: the task files, and files that are taken back. Everything else waits, untried.
    public func runOffline(
        _ running: RunID? = nil, because reason: String, _ halt: DrainReport.Halt
    ) throws -> DrainReport {
        var ledger = try begin(running)
        try runTodoSteps(ledger.steps, &ledger)
        try runFileRemovals(ledger.steps, &ledger)
        ledger.interrupted(by: Interruption(reason: reason, halt: halt))
        return try end(ledger)
    }

    /// Only what is done to task files by themselves: a person's own changes, which belong to no account of mail.
    public func runTasks() throws -> DrainReport {
        var ledger = try begin(nil)
        try runTodoSteps(ledger.steps, &ledger)
        return try end(ledger)
    }

    /// The trap: a process that ended in the middle of a batch may have been stopped by a person who saw what it did. What
    /// it was still to send waits for a word.
    private func begin(_ running: RunID?) throws -> Ledger {
        try store.beginDraining(of: account, running: running, because: Self.afterCrash)
        let interrupted = try store.recoverIssued(of: account)
        if interrupted > 0 {
            let held = try store.holdSubmissions(of: account, because: Self.afterCrash)
            logger.notice(
                "steps of an interrupted run are looked at first",
                metadata: ["steps": "\(interrupted)", "held": "\(held)"])
        }
        try store.beginReconciling(of: account)
        return try Ledger(
            store: store, steps: try store.openSteps(of: account), held: try store.heldSteps(of: account),
            now: now, isLocal: sink.isLocal)
    }

    private func end(_ ledger: Ledger) throws -> DrainReport {
        try store.endReconciling(of: account)
        try store.endDraining(of: account)
        return ledger.closed()
    }

    static let afterCrash = "opus ended in the middle of the last run; nothing more is sent without a word"

    func runTodoSteps(_ steps: [Step], _ ledger: inout Ledger) throws {
        for step in steps where !ledger.isHeld(step) { try runTodoStep(step, &ledger) }
    }
}

/// Nothing more can be done on this account; what is left waits for the next run.
struct Interruption: Error {
    let reason: String
    var halt = DrainReport.Halt.lost
}
