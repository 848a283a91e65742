import Accounts
import Executor
import MailStore
public import Models
import Planner
import TaskStore

/// Undo: the inverse of each step, found from where things are now, as a run of its own.
public struct Undoing: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store
    let tasks: TaskFiles
    let files: AttachmentFolder
    let lookup: MessageLookup
    let journal: Journal
    let syncing: AccountSyncing
    let runner: JournalRunner
    let taskChanges: TaskChanges
    let clock: SessionClock

    /// What `request` would undo, as of the last sync.
    public func plan(_ request: UndoRequest) throws -> UndoPlan {
        try plan(request, drafts: [:], isFresh: false)
    }

    /// `drafts`: the state on the account of the drafts that the run made.
    private func plan(
        _ request: UndoRequest, drafts: [MessageID: Undo.DraftState], isFresh: Bool
    ) throws -> UndoPlan {
        let messages = try request.messages.map { try lookup.message($0).id }
        let id = try target(request, messages: messages)
        guard let detail = try store.runs.run(id) else { throw Self.noRun(id) }
        // The list of deferred messages follows what is undone.
        let steps = try chosen(
            detail.steps.filter { $0.cause != .ledger }, request, messages, run: id)
        var facts = try self.facts(
            steps, of: id, account: detail.summary.account, isForced: request.isForced, isFresh: isFresh)
        facts.drafts = drafts
        let undoneBy = Set(steps.compactMap { $0.id.flatMap { facts.undone[$0] } })
        return UndoPlan(
            run: RunLine(detail.summary), items: Undo.items(for: steps, now: facts),
            undoneBy: undoneBy.sorted(), unsynced: nil)
    }

    /// The same, after a check of the account: other clients may have moved things since. When the account does not
    /// answer, what the store has is good enough: each step checks again before it acts.
    public func freshPlan(_ request: UndoRequest) async throws -> UndoPlan {
        let first = try plan(request)
        // A run that only changed task files needs no account.
        let isOpen = first.items.contains { $0.step.state.isLost }
        guard first.changes > 0 || isOpen, first.run.account != .tasks else { return first }
        var unsynced: Problem?
        var drafts: [MessageID: Undo.DraftState] = [:]
        do {
            _ = try await syncing.account(first.run.account)
            drafts = try await draftStates(of: first)
        } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
            unsynced = problem
        }
        var plan = try plan(request, drafts: drafts, isFresh: unsynced == nil)
        plan.unsynced = unsynced
        return plan
    }

    /// The current versions on the account of the drafts that the run made: the user may have edited them.
    private func draftStates(of plan: UndoPlan) async throws -> [MessageID: Undo.DraftState] {
        let account = try accounts.require(plan.run.account)
        let steps = plan.items.compactMap { item in
            if case .inverse(let inverse) = item.answer, case .remove = inverse.kind { return item.step }
            return nil as Step?
        }
        guard !steps.isEmpty else { return [:] }
        return try await connections.connected(account) { connection in
            let sink = connection.makeSink()
            var states: [MessageID: Undo.DraftState] = [:]
            for step in steps {
                guard case .append(to: let mailbox, let message, flags: _, let token) = step.kind else {
                    continue
                }
                let found = try await DraftPlaces.versions(
                    in: mailbox, tokens: [token], name: nil, over: sink)
                let digest = step.outcome.digest ?? MessageDigest.of(message)
                // One message may have been copied to several mailboxes.
                guard states[token] != .untouched else { continue }
                states[token] =
                    found.isEmpty ? .gone : found.contains { $0.digest == digest } ? .untouched : .edited
            }
            return states
        }
    }

    /// Cancels what has not happened yet, queues the inverses of what has, and carries them out.
    public func apply(_ plan: UndoPlan) async throws -> RunReport {
        let context = try self.context(plan.run.account)
        try settleLost(plan.items)
        try store.journal.resolve(
            plan.items.filter { $0.answer == .cancel }.compactMap { item in
                item.step.id.map {
                    StepResult(id: $0, state: .cancelled, hold: .undone)
                }
            })
        let work = Undo.work(plan.items, context)
        guard plan.run.account != .tasks else { return try taskChanges.undo(work, undoes: plan.run.id) }
        let account = try accounts.require(plan.run.account)
        guard !work.isEmpty else { return RunReport(account: account.id) }
        return try await runner.carryOut(
            work, account: account, command: "undo", undoes: plan.run.id, asksWhenInterrupted: true)
    }

    /// Steps whose answer was lost, and whose result the check of the account has shown.
    private func settleLost(_ items: [Undo.Item]) throws {
        let lost = items.filter { $0.step.state.isLost && $0.answer.isKnown }
        let unknown = lost.filter { $0.step.state == .unknown }
        try store.journal.resolve(
            unknown.compactMap { $0.step.id.map { StepResult(id: $0, state: .reconciling) } })
        try store.journal.resolve(
            lost.compactMap { item in
                item.step.id.map { id in
                    guard item.answer != .cancel else { return StepResult(id: id, state: .ready) }
                    var result = StepResult(id: id, state: .confirmed, proof: Step.Proof(.seenBySync))
                    if case .inverse(let step) = item.answer, case .move(let place, to: _) = step.kind {
                        result.movedTo = place
                    }
                    return result
                }
            })
    }

    /// Which runs undid steps of this one, by row in the journal.
    public func undone(in run: RunID) throws -> [Int64: RunID] { try store.runs.undone(in: run) }

    // MARK: Which run

    private func target(_ request: UndoRequest, messages: [EmailID]) throws -> RunID {
        if let typed = request.run { return try journal.run(typed).line.id }
        let asked =
            try request.account.map { Set(try accounts.ids(named: $0)) }
            ?? Set(workspace.accounts.map(\.id)).union([.tasks])
        for summary in try store.runs.runs(limit: Self.searchedRuns)
        where summary.undoes == nil && asked.contains(summary.account) {
            let line = RunLine(summary)
            guard line.confirmed + line.open > 0 else { continue }
            if messages.isEmpty { return summary.id }
            let steps = try store.runs.run(summary.id)?.steps ?? []
            if steps.contains(where: { $0.message.map(messages.contains) ?? false && $0.state != .cancelled })
            {
                return summary.id
            }
        }
        throw Problem(
            "nothing-to-undo", exit: .notFound,
            message: messages.isEmpty ? "no run changed anything" : "no run changed these messages",
            next: ["opus runs"])
    }

    private static let searchedRuns = 1_000

    private static func noRun(_ id: RunID) -> Problem {
        Problem("no-such-run", exit: .notFound, message: "there is no run \(id)", next: ["opus runs"])
    }

    private func chosen(
        _ steps: [Step], _ request: UndoRequest, _ messages: [EmailID], run: RunID
    ) throws -> [Step] {
        var chosen = steps
        if let rule = request.rule {
            chosen = chosen.filter { $0.cause.name == rule }
            guard !chosen.isEmpty else {
                throw Problem(
                    "no-such-rule", exit: .notFound, message: "run \(run) has no step of rule \"\(rule)\"",
                    next: ["opus runs show \(run)"])
            }
        }
        guard !messages.isEmpty else { return chosen }
        chosen = chosen.filter { $0.message.map(messages.contains) ?? false }
        guard !chosen.isEmpty else {
            throw Problem(
                "no-such-message", exit: .notFound, message: "run \(run) did nothing with these messages",
                next: ["opus runs show \(run)"])
        }
        return chosen
    }

    // MARK: What is true now

    private func context(_ id: AccountID) throws -> StepContext {
        var context =
            id == .tasks
            ? StepContext(
                account: id, inbox: Mailbox(account: id, name: .inbox, displayName: "INBOX"), mailboxes: [:],
                now: clock.now, timeZone: workspace.timeZone)
            : try accounts.stepContext(try accounts.require(id))
        context.token = try CommandToken.next(in: store)
        return context
    }

    private func facts(
        _ steps: [Step], of run: RunID, account: AccountID, isForced: Bool, isFresh: Bool
    ) throws -> Undo.Facts {
        let look = UndoLook(
            store: store, tasks: tasks, files: files, context: try context(account))
        var facts = try Problem.wrap { try look.facts(of: steps, run: run) }
        facts.isForced = isForced
        facts.isFresh = isFresh
        return facts
    }
}

extension Step.State {
    /// It was issued, and its answer never came.
    fileprivate var isLost: Bool {
        switch self {
        case .issued, .unknown, .reconciling: true
        case .planned, .ready, .confirmed, .rejected, .needsDecision, .cancelled: false
        }
    }
}

extension Undo.Answer {
    /// Whether it shows the result of the step.
    fileprivate var isKnown: Bool {
        switch self {
        case .inverse, .cancel, .nothing: true
        case .release, .cannot: false
        }
    }
}
