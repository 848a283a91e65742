import Accounts
import MailStore
public import Models

/// The journal: past runs, waiting steps with the reason, and the rest of interrupted runs.
public struct Journal: Sendable {
    let accounts: AccountAccess
    let store: Store
    let runner: JournalRunner
    let loginEnds: LoginEnds
    let clock: SessionClock

    /// The latest runs, newest first.
    public func runs(limit: Int) throws -> [RunLine] { try store.runs.runs(limit: limit).map(RunLine.init) }

    /// The newest runs with a part of the named account. nil: of any.
    public func runs(of account: String?, limit: Int) throws -> [RunLine] {
        guard let account else { return try runs(limit: limit) }
        let named = Set(try accounts.ids(named: account))
        return Array(try runs(limit: .max).lazy.filter { !named.isDisjoint(with: $0.accounts) }.prefix(limit))
    }

    /// Whether any run has changed mail, by rules or by hand.
    public func hasRunOnMail() throws -> Bool {
        try store.runs.runs(limit: 1_000).contains { $0.accounts != [.tasks] }
    }

    /// Whether something of these accounts becomes due at a time: a step of the journal, or deferred mail.
    func hasLaterWork(of accounts: [AccountID]) -> Bool {
        if (try? store.journal.hasLaterSteps()) == true { return true }
        return accounts.contains { id in
            let deferrals = try? store.deferrals.all(account: id)
            return deferrals?.contains { $0.until.time != nil } == true
        }
    }

    /// Lets steps be tried at once at which a connection was lost before. A run that the user starts does not wait.
    func endPausesAfterLosses() throws { try store.journal.endPausesAfterLosses() }

    /// A run and its steps in journal order.
    public func run(_ typed: String) throws -> (line: RunLine, steps: [Step]) {
        let id = try Self.number(typed)
        guard let detail = try store.runs.run(id) else { throw Self.missing(id) }
        return (RunLine(detail.summary), detail.steps)
    }

    /// The whole run for a typed id.
    func id(of typed: String) throws -> RunID {
        let id = try Self.number(typed)
        guard let whole = try store.runs.wholeRun(of: id) else { throw Self.missing(id) }
        return whole
    }

    private static func number(_ typed: String) throws -> RunID {
        let digits = typed.hasPrefix("r:") ? String(typed.dropFirst(2)) : typed
        guard let number = Int64(digits) else {
            throw Problem(
                "bad-id", exit: .usage, message: "\"\(typed)\" is not a run id",
                next: ["ids look like r:0012 (opus runs)"])
        }
        return RunID(rawValue: number)
    }

    private static func missing(_ id: RunID) -> Problem {
        Problem("no-such-run", exit: .notFound, message: "run \(id) not found", next: ["opus runs"])
    }

    // MARK: Status

    /// The state of the accounts; without a name, also the unfinished changes of tasks.
    public func statuses(named name: String?) throws -> [AccountStatus] {
        let asked = try accounts.ids(named: name).map { try status(of: $0) }
        guard name == nil else { return asked }
        let own = try status(of: .tasks)
        return own.isClear ? asked : asked + [own]
    }

    public func status(of id: AccountID) throws -> AccountStatus {
        var status = AccountStatus(account: id, lastSync: try store.sync.lastSync(of: id))
        status.loginEnds = loginEnds.ending(of: [id]).first?.end
        status.halt = try store.journal.halt(of: id)
        let since = Timestamp(seconds: clock.now.seconds - AccountStatus.refusedFor)
        for run in try store.journal.interruptedRuns(of: id) where !status.interrupted.contains(run.run.id) {
            status.interrupted.append(run.run.id)
        }
        for entry in try store.runs.unfinished(of: id, refusedSince: since) {
            let entry = UnfinishedStep(run: entry.run, queuedAt: entry.queuedAt, step: entry.step)
            switch entry.step.state {
            case .ready: status.waiting.append(entry)
            case .issued, .unknown, .reconciling:
                status.waiting.append(entry)
                if !status.interrupted.contains(entry.run) { status.interrupted.append(entry.run) }
            case .planned, .needsDecision: status.needsWord.append(entry)
            case .rejected: status.refused.append(entry)
            case .confirmed, .cancelled: continue
            }
        }
        return status
    }

    // MARK: Interrupted runs

    /// Interrupted runs. opus does not continue them until the user confirms it, and they can be undone.
    public func interrupted(of account: AccountID) throws -> [InterruptedLine] {
        try store.journal.interruptedRuns(of: account).map {
            InterruptedLine(run: RunLine($0.run), part: $0.part, steps: $0.steps)
        }
    }

    /// Finishes the runs.
    public func finish(_ runs: [InterruptedLine], of account: AccountID) async throws -> RunReport {
        try store.journal.release(runs.map(\.part))
        return try await runner.deliver(account)
    }

    /// Executes the due steps of an account.
    public func deliver(_ id: AccountID) async throws -> RunReport { try await runner.deliver(id) }
}
