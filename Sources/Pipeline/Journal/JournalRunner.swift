import Accounts
import Executor
import Logging
import MailStore
import Models
import Planner
import Rules
import Synchronization
import TaskStore

/// Messages whose steps failed permanently in this session: rules ignore them until the next session.
final class RefusedMessages: Sendable {
    private let ids = Mutex<Set<EmailID>>([])

    var messages: Set<EmailID> { ids.withLock(\.self) }

    func add(_ messages: [EmailID]) { ids.withLock { $0.formUnion(messages) } }
}

/// Steps of the journal that this session has tried in vain, by their rows.
final class TriedSteps: Sendable {
    private let ids = Mutex<Set<Int64>>([])

    func contains(_ id: Int64) -> Bool { ids.withLock { $0.contains(id) } }

    func add(_ steps: Set<Int64>) { ids.withLock { $0.formUnion(steps) } }
}

/// Queues steps in the journal, and executes the due ones.
struct JournalRunner: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let syncing: AccountSyncing
    let store: Store
    let tasks: TaskFiles
    let files: AttachmentFolder
    let senders: SenderLists
    let refused: RefusedMessages
    let tried: TriedSteps
    let lists: DeferredLists
    let whole: WholeRun
    let sentDrafts: SentDrafts
    let waiting: WaitingMoves
    let stop: StopRequest
    let clock: SessionClock
    let logger: Logger
    /// Whether it executes the steps that it queues; the one-by-one session does that later.
    var delivers = true

    /// Queues the steps in one transaction, with all related notes, and executes the due ones.
    ///
    /// `checksLists`: updates the list of deferred messages even if the work defers nothing. `partOf`: an
    /// earlier run to which the work belongs, unless the command has started a run itself.
    func carryOut(
        _ work: QueuedWork, account: Account, command: String, origin: Plan.Origin = .hand,
        undoes: RunID? = nil, ruleDigests: [String: String] = [:], shadowed: [String: Int] = [:],
        hits: [RuleHit] = [], asksWhenInterrupted: Bool = false, checksLists: Bool = false,
        partOf earlier: RunID? = nil
    ) async throws -> RunReport {
        var report = RunReport(account: account.id)
        let withdrawn = delivers ? try waiting.withdraw(of: account) : []
        let wanted =
            checksLists || work.changesDeferrals
            ? try lists.adding(to: work, account: account, replacesQueued: delivers) : work
        let (work, refusals) = try wanted.restricted(to: account)
        var part: RunID?
        var own: Set<Int64> = []
        async let door = door(of: account, for: work.steps)
        if !work.isEmpty {
            var run = NewRun(
                account: account.id, startedAt: clock.now,
                command: undoes == nil ? whole.name?.rawValue ?? command : command, origin: origin,
                undoes: undoes, ruleDigests: ruleDigests, shadowed: shadowed, hits: hits)
            run.asksWhenInterrupted = asksWhenInterrupted && delivers && !whole.isAlone
            run.partOf = whole.first(undoing: undoes) ?? earlier
            let queued = try store.journal.queue(run, work)
            if queued.isKept {
                whole.note(queued.id, undoing: undoes)
                part = queued.id
                own = Set(queued.queued.compactMap(\.id))
                report.part = queued.id
                report.run = run.partOf ?? queued.id
            }
            report.queued = queued.queued.count { $0.cause != .deferredList }
        } else {
            try store.rules.noteHits(hits, account: account.id, at: clock.now)
        }
        report.notices = withdrawn + refusals
        guard delivers else { return report }
        report.drain = try await drain(account, running: part, door: door)
        report.own = own
        if !own.isEmpty { report.drain.leaveOutUntried(besides: own) }
        try lists.note(report.drain.confirmed, account: account.id)
        report.drain.leaveOutLists()
        return report
    }

    /// Executes the due steps of an account.
    func deliver(_ id: AccountID) async throws -> RunReport {
        var report = RunReport(account: id)
        let account = try accounts.require(id)
        report.notices = try waiting.withdraw(of: account)
        report.drain = try await drain(account)
        try lists.note(report.drain.confirmed, account: id)
        report.drain.leaveOutLists()
        return report
    }

    /// Logs in while the steps are queued, if one of them needs a connection at once.
    private func door(of account: Account, for steps: [Step]) async -> Result<Void, any Error> {
        let isWanted = { (step: Step) in
            step.state != .planned && step.isDue(at: clock.now) && !step.isOfThreads
        }
        guard delivers, steps.contains(where: isWanted) else {
            return .success(())
        }
        do {
            return .success(try await connections.connected(account) { _ in })
        } catch {
            return .failure(error)
        }
    }

    /// Executes the due steps of the journal. Connects only if there are any.
    ///
    /// If an account cannot be reached or refuses the login, the run does not fail: task files are written,
    /// the other steps wait, and the report contains the reason. `door`: the result of a connection attempt
    /// that was just made.
    func drain(
        _ account: Account, running: RunID? = nil, door: Result<Void, any Error> = .success(())
    ) async throws -> DrainReport {
        let report = try await drainSteps(account, running: running, door: door)
        tried.add(report.tried)
        if report.confirmed.contains(where: \.isOfThreads) { try syncing.updateThreads(of: account.id) }
        return report
    }

    private func drainSteps(
        _ account: Account, running: RunID?, door: Result<Void, any Error>
    ) async throws -> DrainReport {
        guard try store.journal.hasDueSteps(of: account.id, at: clock.now) else {
            if let running { try store.journal.release([running]) }
            var report = DrainReport()
            report.later = try store.journal.openSteps(of: account.id)
            return report
        }
        let due = try store.journal.openSteps(of: account.id).filter {
            $0.state != .planned && $0.isDue(at: clock.now)
        }
        if !due.isEmpty, due.allSatisfy(\.isOfThreads) {
            return try makeDrain(account, NoSink(), nil).runThreads(running)
        }
        do {
            try door.get()
            let silent = self.connections.givenUp
            var report = try await drainConnected(account, running)
            var (connections, idle) = (1, 0)
            // A step at which the server drops the connection each time must not stop the others. A connection that was given
            // up for another command is not replaced.
            while report.halt == .lost, connections < Self.mostConnections, idle < Self.mostIdle,
                !stop.isRequested, self.connections.givenUp == silent
            {
                await self.connections.pools.forget(account.id)
                try await Task.sleep(for: Self.pause)
                guard let next = try await drainAgain(account, running) else { break }
                let isIdle =
                    next.confirmed.isEmpty && !next.waiting.contains { $0.isLost(because: next.interruption) }
                idle = isIdle ? idle + 1 : 0
                connections += 1
                report.continue(with: next)
            }
            return report
        } catch let problem as Problem {
            guard let halt = problem.halt else { throw problem }
            return try makeDrain(account, NoSink(), nil).runOffline(running, because: problem.message, halt)
        }
    }

    /// How many connections one drain may use.
    private static let mostConnections = 8
    /// After this many connections over which nothing happened, the server is the cause, and not a step.
    private static let mostIdle = 2
    private static let pause = Duration.milliseconds(500)

    /// nil: the account cannot be reached now.
    private func drainAgain(_ account: Account, _ running: RunID?) async throws -> DrainReport? {
        do {
            return try await drainConnected(account, running)
        } catch let problem as Problem where problem.halt != nil {
            return nil
        }
    }

    private func drainConnected(_ account: Account, _ running: RunID?) async throws -> DrainReport {
        try await connections.connected(account) { connection in
            let report = try await makeDrain(account, connection.makeSink(), connection.submitter).run(
                running)
            refused.add(report.rejected.compactMap(\.message))
            if !report.confirmed.isEmpty { try syncing.noteInbox(of: account.id) }
            if report.interruption == nil, report.confirmed.contains(where: \.addsMessage) {
                try await readBack(account, over: connection)
            }
            return report
        }
    }

    private func makeDrain(
        _ account: Account, _ sink: any MailSink, _ submitter: (any MailSubmitter)?
    ) -> Drain {
        Drain(
            account: account.id, store: store, tasks: tasks, files: files, lists: senders, sink: sink,
            submitter: submitter, route: account.route, now: clock.now, logger: logger,
            sentElsewhere: { [sentDrafts] in try sentDrafts.found(for: $0, of: account) },
            wasTried: { [tried] in tried.contains($0) }, isStopped: { [stop] in stop.isRequested })
    }

    /// A message that was put into a mailbox is read back at once, so that the next sync does not report it
    /// as new. If that fails, the next sync finds it.
    private func readBack(_ account: Account, over connection: AccountConnection) async throws {
        do {
            _ = try await syncing.account(account, over: connection)
        } catch {
            try Task.checkCancellation()
            logger.notice(
                "the next sync reads back what was put into a mailbox", metadata: ["error": "\(error)"])
        }
    }

}

extension QueuedWork {
    /// Whether deferrals begin, change or end.
    fileprivate var changesDeferrals: Bool {
        !deferrals.isEmpty
            || steps.contains { step in
                if case .wait = step.kind { return true }
                return false
            }
    }
}

extension DrainReport {
    /// The list of deferred messages is for bookkeeping: only its failures are reported.
    fileprivate mutating func leaveOutLists() {
        let lists = confirmed.filter { $0.cause == .deferredList }
        confirmed.removeAll { $0.cause == .deferredList }
        let unchanged = lists.compactMap(\.id).filter { self.unchanged.contains($0) }
        alreadyDone -= unchanged.count
        self.unchanged.subtract(unchanged)
    }

    /// The report of a command is about its own steps: those of earlier commands that still wait, and were not tried, are left
    /// out. If no step of its own waits, neither does the command.
    fileprivate mutating func leaveOutUntried(besides own: Set<Int64>) {
        waiting.removeAll { step in step.id.map { !own.contains($0) && !tried.contains($0) } ?? false }
        guard waiting.isEmpty, undecided.isEmpty else { return }
        halt = nil
        interruption = nil
    }
}

extension Step {
    /// Whether the connection was lost while it was carried out, or when opus looked at its message before that.
    fileprivate func isLost(because reason: String?) -> Bool {
        state == .unknown || (state == .ready && reason != nil && error == reason)
    }

    fileprivate var addsMessage: Bool {
        switch kind {
        // A removed draft goes to the trash.
        case .append, .remove: true
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .submit, .store, .move, .wait, .saveFile,
            .removeFile, .list, .createMailbox,
            .editThreads:
            false
        }
    }
}
