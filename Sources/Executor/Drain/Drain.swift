public import Logging
public import MailStore
public import Models
public import TaskStore

/// Drains the action journal of one account: check, act, record.
///
/// The order is the same for every run: task files, then saved files and new mailboxes, then messages that
/// opus writes or sends, then marks, moves and removals. So a message never leaves the inbox before its task
/// is on disk, and nothing is deleted before its replacement exists. A step that fails holds back the later
/// steps of the same message only. If a step is given up, the steps that follow it are cancelled.
public struct Drain: DrainPart, Sendable {
    let context: DrainContext

    /// `submitter` is nil if the account has no `smtp:`. `route` names the servers for reading and sending
    /// mail; what opus learns about them applies only to them. `groupSize` is the number of messages that
    /// move together, and so the number to check after a lost answer; the client splits commands that are too
    /// long for the server. `sentElsewhere` finds a mail with which another program sent the draft of a submission: then
    /// opus asks the user. `wasTried` says which steps this command already tried in vain. Once `isStopped` is true, no further
    /// step begins. `pause` waits between two checks; tests pass their own clock.
    public init(
        account: AccountID, store: Store, tasks: TaskFiles, files: AttachmentFolder,
        lists: SenderLists? = nil, sink: any MailSink, submitter: (any MailSubmitter)?, route: String = "",
        now: Timestamp,
        logger: Logger, groupSize: Int = 1_000,
        sentElsewhere: @escaping @Sendable (Step) throws -> SentElsewhere? = { _ in nil },
        wasTried: @escaping @Sendable (Int64) -> Bool = { _ in false },
        isStopped: @escaping @Sendable () -> Bool = { false },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        context = DrainContext(
            account: account, store: store, tasks: tasks, files: files, lists: lists, sink: sink,
            submitter: submitter,
            route: route, now: now, logger: logger, groupSize: groupSize,
            sentElsewhere: sentElsewhere, wasTried: wasTried, isStopped: isStopped, pause: pause)
    }

    /// Runs every due step once. Throws only if the store itself fails.
    ///
    /// `running` is the run whose steps were just queued.
    public func run(_ running: RunID? = nil) async throws -> DrainReport {
        var ledger = try begin(running)
        do {
            try runWithoutAccount(&ledger)
            try await FileSteps(context: context).run(&ledger)
            try await MailboxSteps(context: context).run(&ledger)
            try await MessageSteps(context: context).run(&ledger)
            try await MarkSteps(context: context).run(&ledger)
            try await MoveSteps(context: context).run(&ledger)
            try await DraftRemovals(context: context).run(&ledger)
        } catch let error as Interruption {
            ledger.interrupted(by: error)
        }
        return try end(ledger)
    }

    /// Runs the steps that need no connection: task files, lists of senders, removals of saved files, and edits
    /// of threads. All other steps wait and are not tried.
    public func runOffline(
        _ running: RunID? = nil, because reason: String, _ halt: DrainReport.Halt
    ) throws -> DrainReport {
        var ledger = try begin(running)
        try runWithoutAccount(&ledger)
        ledger.interrupted(by: Interruption(reason: reason, halt: halt))
        return try end(ledger)
    }

    /// Runs only the steps that change nothing but the store: edits of threads.
    public func runThreads(_ running: RunID?) throws -> DrainReport {
        var ledger = try begin(running)
        try ThreadSteps(context: context).run(&ledger)
        return try end(ledger)
    }

    /// Runs only the user's own changes of task files, which belong to no mail account.
    public func runTasks() throws -> DrainReport {
        var ledger = try begin(nil)
        try TaskSteps(context: context).run(&ledger)
        return try end(ledger)
    }

    private func runWithoutAccount(_ ledger: inout Ledger) throws {
        try TaskSteps(context: context).run(&ledger)
        try FileRemovals(context: context).run(&ledger)
        try ListSteps(context: context).run(&ledger)
        try ThreadSteps(context: context).run(&ledger)
    }

    /// The trap: the user may have stopped the process in the middle of a batch after seeing what it did. So
    /// mail that was not sent yet waits until the user confirms it.
    private func begin(_ running: RunID?) throws -> Ledger {
        try store.journal.beginDraining(of: account, running: running)
        let interrupted = try store.journal.recoverIssued(of: account)
        if interrupted > 0 {
            let held = try store.journal.holdSubmissions(of: account)
            context.logger.notice(
                "opus checks the steps of an interrupted run first",
                metadata: ["steps": "\(interrupted)", "held": "\(held)"])
        }
        try store.journal.beginReconciling(of: account)
        return try Ledger(
            store: store, steps: try store.journal.openSteps(of: account),
            held: try store.journal.heldSteps(of: account),
            now: now, isLocal: sink.isLocal, wasTried: context.wasTried, isStopped: context.isStopped)
    }

    private func end(_ ledger: Ledger) throws -> DrainReport {
        let report = ledger.closed()
        let halt = report.halt.map { QueueHalt($0, reason: report.interruption ?? "", at: now) }
        try store.journal.endDraining(of: account, halt: halt)
        return report
    }
}
