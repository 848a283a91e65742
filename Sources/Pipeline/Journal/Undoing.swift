import Accounts
import Executor
import MailStore
public import Models
import Planner
import TaskStore

/// Undo: computes the inverse of each step from the current state, and executes the inverses as a separate
/// run.
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
    let reverted: RevertedDrafts
    let whole: WholeRun
    let clock: SessionClock

    /// The command of a run that only moves a message out of the command mailbox for undo, because no run had changed it.
    static let emptyOrder = "order undo"

    /// What `request` would undo, according to the last sync.
    public func plan(_ request: UndoRequest) throws -> UndoPlan {
        try plan(request, drafts: [:])
    }

    /// `drafts`: the current state in the account of the drafts that the run made. `fresh`: the accounts that
    /// were just synced.
    private func plan(
        _ request: UndoRequest, drafts: [MessageID: Undo.DraftState] = [:], fresh: Set<AccountID> = []
    ) throws -> UndoPlan {
        let messages = try request.messages.map { try lookup.message($0).id }
        let id = try target(request, messages: messages)
        return try plan(of: id, request, messages, drafts: drafts, fresh: fresh)
    }

    private func plan(
        of id: RunID, _ request: UndoRequest, _ messages: [EmailID],
        drafts: [MessageID: Undo.DraftState] = [:], fresh: Set<AccountID> = []
    ) throws -> UndoPlan {
        guard let detail = try store.runs.run(id, only: request.parts) else { throw Self.noRun(id) }
        let chosen = try chosen(steps(of: detail, request), request, messages, run: id)
        var undoneBy: Set<RunID> = []
        let parts = try chosen.map { account, own in
            let steps = own + (try sending(draftsOf: own, account: account))
            var facts = try self.facts(
                steps, account: account, isForced: request.isForced, isFresh: fresh.contains(account))
            facts.drafts = drafts
            undoneBy.formUnion(steps.compactMap { $0.id.flatMap { facts.undone[$0] } })
            return UndoPlan.Part(account: account, items: Undo.items(for: steps, now: facts))
        }
        return UndoPlan(
            run: RunLine(detail.summary), parts: parts, undoneBy: undoneBy.sorted(), unsynced: nil)
    }

    /// The steps of later runs that have yet to send a draft of these steps: they end with it.
    private func sending(draftsOf steps: [Step], account: AccountID) throws -> [Step] {
        let drafts = Set(
            steps.compactMap { step -> MessageID? in
                guard case .append(to: _, message: _, flags: _, let token) = step.kind else { return nil }
                return token
            })
        guard !drafts.isEmpty else { return [] }
        let mails = Set(
            try store.drafts.drafts(of: account).filter { draft in
                guard let token = draft.pushed?.token, let sending = draft.submission else { return false }
                return drafts.contains(token) && [.planned, .ready].contains(sending.state)
            }.map(\.messageID))
        guard !mails.isEmpty else { return [] }
        let known = Set(steps.compactMap(\.id))
        return try store.journal.openSteps(of: account).filter { step in
            guard step.id.map({ !known.contains($0) }) ?? false else { return false }
            return switch step.kind {
            case .submit(reversePath: _, forwardPaths: _, message: _, let token),
                .append(to: _, message: _, flags: _, let token):
                mails.contains(token)
            case .remove(_, let token, versions: _): drafts.contains(token)
            case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .wait, .saveFile,
                .removeFile, .list, .createMailbox, .editThreads:
                false
            }
        }
    }

    /// The steps of the run by account, in journal order; the account that was processed last is first.
    private func steps(
        of detail: RunDetail, _ request: UndoRequest
    ) throws -> [(account: AccountID, steps: [Step])] {
        let parts = detail.parts
        let asked = try request.account.map { Set(try accounts.ids(named: $0)) }
        let isAsked = { (account: AccountID) in asked?.contains(account) ?? true }
        // If none of its accounts was requested, the user named the run itself: all of them are undone.
        let wanted = detail.summary.accounts.filter(isAsked)
        return (wanted.isEmpty ? detail.summary.accounts : wanted).reversed().map { account in
            // The list of deferred messages is updated when deferrals are undone.
            let steps = parts.filter { $0.account == account }.flatMap(\.steps)
            return (account, steps.filter { $0.cause != .deferredList })
        }
    }

    /// The same, after a check of the accounts: other clients may have moved messages since. If an account
    /// cannot be reached, the stored state is used: each step checks again before it acts.
    public func freshPlan(_ request: UndoRequest) async throws -> UndoPlan {
        let first = try plan(request)
        var unsynced: Problem?
        var fresh: Set<AccountID> = []
        var drafts: [MessageID: Undo.DraftState] = [:]
        for part in first.parts where part.needsAccount {
            do {
                _ = try await syncing.account(part.account)
                drafts.merge(try await draftStates(of: part)) { first, _ in first }
                fresh.insert(part.account)
            } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
                unsynced = unsynced ?? problem
            }
        }
        guard !fresh.isEmpty || unsynced != nil else { return first }
        var same = request
        same.run = first.run.id.description
        var plan = try plan(same, drafts: drafts, fresh: fresh)
        plan.unsynced = unsynced
        return plan
    }

    /// The current versions of the drafts that the run made, read from the account: the user may have edited
    /// them.
    private func draftStates(of part: UndoPlan.Part) async throws -> [MessageID: Undo.DraftState] {
        let account = try accounts.require(part.account)
        let steps = part.items.compactMap { item in
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
                // A message may have been copied to several mailboxes.
                guard states[token] != .untouched else { continue }
                states[token] =
                    found.isEmpty ? .gone : found.contains { $0.digest == digest } ? .untouched : .edited
            }
            return states
        }
    }

    /// Cancels steps that have not happened, queues the inverses of the others, and executes them: one run
    /// for all accounts. Returns one report per account.
    public func apply(_ plan: UndoPlan) async throws -> [RunReport] {
        whole.begin()
        defer { whole.end() }
        // Undoes nothing if one of the accounts is unknown.
        let contexts = try plan.parts.map { try context($0.account) }
        for (part, context) in zip(plan.parts, contexts) where part.account != .tasks {
            _ = try Undo.work(part.items, context).restricted(to: accounts.require(part.account))
        }
        var reports: [RunReport] = []
        for (part, context) in zip(plan.parts, contexts) {
            reports.append(try await apply(part, context, undoes: plan.run.id))
        }
        return reports
    }

    private func apply(
        _ part: UndoPlan.Part, _ context: StepContext, undoes run: RunID
    ) async throws -> RunReport {
        try settleLost(part.items)
        try store.journal.resolve(
            part.items.filter { $0.answer == .cancel }.compactMap { item in
                item.step.id.map {
                    StepResult(id: $0, state: .cancelled, hold: .undone)
                }
            })
        try restoreDeferrals(part, context)
        let work = Undo.work(part.items, context)
        guard part.account != .tasks else { return try taskChanges.undo(work, undoes: run) }
        let account = try accounts.require(part.account)
        guard !work.isEmpty else { return RunReport(account: account.id) }
        let report = try await runner.carryOut(
            work, account: account, command: "undo", undoes: run, asksWhenInterrupted: true)
        try reverted.revert(account.id, undone: part.items.map(\.step))
        return report
    }

    /// Restores the due dates of messages whose moves into or out of Deferred were cancelled. The next run writes
    /// the list of deferred messages, so a list that was not written yet is cancelled, too.
    private func restoreDeferrals(_ part: UndoPlan.Part, _ context: StepContext) throws {
        let deferrals = Undo.deferrals(ofCancelled: part.items, context)
        guard !deferrals.isEmpty else { return }
        for deferral in deferrals {
            try store.deferrals.set(
                deferral.message, account: part.account, until: deferral.until, at: clock.now)
        }
        guard part.items.allSatisfy({ $0.answer == .cancel }) else { return }
        let lists = try store.journal.openSteps(of: part.account).filter {
            $0.cause == .deferredList && $0.state == .ready
        }
        try store.journal.cancel(lists.compactMap(\.id))
    }

    /// Records the results of steps whose answer was lost, if the check of the account found them.
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

    /// The runs that undid steps of this run, by row in the journal.
    public func undone(in run: RunID) throws -> [Int64: RunID] { try store.runs.undone(in: run) }

    // MARK: Choice of the run

    /// The run to undo instead of one that cannot be undone, such as a sent mail; nil: there is none.
    public func run(before run: RunID, account: String?) throws -> RunID? {
        let request = UndoRequest(account: account)
        guard let found = try? target(request, messages: [], before: run) else { return nil }
        return try isUndone(found, request, []) ? nil : found
    }

    /// The last run that changed something and is not undone yet. If all of them are undone, the last one. opus itself
    /// starts the runs that only note mail in tasks, so it chooses one of them only if there is no other run.
    ///
    /// `earlier`: only runs before this one.
    private func target(
        _ request: UndoRequest, messages: [EmailID], before earlier: RunID? = nil
    ) throws -> RunID {
        if let typed = request.run { return try journal.id(of: typed) }
        let asked =
            try request.account.map { Set(try accounts.ids(named: $0)) }
            ?? Set(workspace.accounts.map(\.id)).union([.tasks])
        var undone: RunID?
        var noted: RunID?
        for summary in try store.runs.runs(limit: Self.searchedRuns)
        where summary.undoes == nil && summary.command != Self.emptyOrder
            && !asked.isDisjoint(with: summary.accounts)
        {
            if let earlier, summary.id.rawValue >= earlier.rawValue { continue }
            let line = RunLine(summary)
            guard line.confirmed + line.open > 0 else { continue }
            if !messages.isEmpty {
                let steps = try store.runs.run(summary.id)?.steps ?? []
                let mentions = steps.contains {
                    $0.message.map(messages.contains) ?? false && $0.state != .cancelled
                }
                guard mentions else { continue }
            }
            if try hasOnlyNotes(summary.id) || changedNothing(summary.id) {
                noted = noted ?? summary.id
            } else if try isUndone(summary.id, request, messages) {
                undone = undone ?? summary.id
            } else {
                return summary.id
            }
        }
        if let run = undone ?? noted { return run }
        throw Problem(
            "nothing-to-undo", exit: .notFound,
            message: messages.isEmpty ? "no run changed anything" : "no run changed these messages",
            next: ["opus runs"])
    }

    /// Whether everything that the run wanted was done before.
    private func changedNothing(_ id: RunID) throws -> Bool {
        let steps = try store.runs.run(id)?.steps ?? []
        return steps.allSatisfy { $0.state == .cancelled || ($0.state == .confirmed && Self.foundItDone($0)) }
    }

    /// Whether the step changed nothing, because the account or the folder was already so.
    private static func foundItDone(_ step: Step) -> Bool {
        switch (step.proof?.kind, step.kind) {
        case (.unchanged, _), (.neverLeft, _), (.fileExisted, _), (.taskExisted, _), (.gone, _): true
        // Only a copy that opus made has a digest.
        case (.found, .append(to: let mailbox, _, flags: _, token: _)):
            step.outcome.digest == nil && mailbox.role != .sent
        case _: false
        }
    }

    /// Whether opus only noted mail in tasks, and no task moved to another list.
    private func hasOnlyNotes(_ id: RunID) throws -> Bool {
        let steps = try store.runs.run(id)?.steps ?? []
        return steps.allSatisfy { step in
            switch step.kind {
            case .updateTodo(_, let patch):
                step.state == .cancelled || step.cause.isNote && patch.changesOnlyNotes
            case .createTodo, .removeTodo, .restoreTodo, .append, .submit, .store, .move, .remove, .wait,
                .saveFile, .removeFile, .list, .createMailbox, .editThreads:
                step.state == .cancelled || step.cause == .deferredList
            }
        }
    }

    /// Whether nothing of the run is left to undo. While its undo has open steps, it counts as not undone.
    private func isUndone(_ id: RunID, _ request: UndoRequest, _ messages: [EmailID]) throws -> Bool {
        guard try !store.runs.undone(in: id).isEmpty else { return false }
        let plan = try plan(of: id, request, messages)
        guard plan.changes == 0, !plan.undoneBy.isEmpty else { return false }
        return try plan.undoneBy.allSatisfy { run in
            try store.runs.run(run).map { RunLine($0.summary).open == 0 } ?? true
        }
    }

    private static let searchedRuns = 1_000

    private static func noRun(_ id: RunID) -> Problem {
        Problem("no-such-run", exit: .notFound, message: "run \(id) not found", next: ["opus runs"])
    }

    private func chosen(
        _ all: [(account: AccountID, steps: [Step])], _ request: UndoRequest, _ messages: [EmailID],
        run: RunID
    ) throws -> [(account: AccountID, steps: [Step])] {
        var chosen = all
        if let rule = request.rule {
            chosen = Self.keep(chosen) { $0.cause.name == rule }
            guard !chosen.isEmpty else {
                throw Problem(
                    "no-such-rule", exit: .notFound, message: "run \(run) has no step of rule \"\(rule)\"",
                    next: ["opus runs show \(run)"])
            }
        }
        guard !messages.isEmpty else { return chosen }
        chosen = Self.keep(chosen) { $0.message.map(messages.contains) ?? false }
        guard !chosen.isEmpty else {
            throw Problem(
                "no-such-message", exit: .notFound, message: "run \(run) did nothing with these messages",
                next: ["opus runs show \(run)"])
        }
        return chosen
    }

    /// Accounts without such steps are left out.
    private static func keep(
        _ parts: [(account: AccountID, steps: [Step])], _ isWanted: (Step) -> Bool
    ) -> [(account: AccountID, steps: [Step])] {
        parts.map { ($0.account, $0.steps.filter(isWanted)) }.filter { !$0.steps.isEmpty }
    }

    // MARK: Current state

    private func context(_ id: AccountID) throws -> StepContext {
        var context =
            id == .tasks
            ? StepContext(
                account: id, inbox: Mailbox(account: id, name: .inbox, displayName: "INBOX"), mailboxes: [:],
                now: clock.now, timeZone: workspace.timeZone)
            : try accounts.stepContext(try accounts.require(id))
        context.token = try CommandToken.next(in: store)
        if id != .tasks { context.deferrals = try store.deferrals.dates(account: id) }
        return context
    }

    private func facts(
        _ steps: [Step], account: AccountID, isForced: Bool, isFresh: Bool
    ) throws -> Undo.Facts {
        let look = UndoLook(
            store: store, tasks: tasks, files: files, context: try context(account))
        var facts = try Problem.wrap { try look.facts(of: steps) }
        facts.isForced = isForced
        facts.isFresh = isFresh
        return facts
    }
}

extension UndoPlan.Part {
    /// Whether the account must be checked first. A part that only changed task files needs no check.
    fileprivate var needsAccount: Bool {
        guard account != .tasks else { return false }
        return items.contains { item in
            switch item.answer {
            case .inverse(let step): !step.isOfThreads
            case .release, .cancel: true
            case .nothing, .sent, .cannot: item.step.state.isLost
            }
        }
    }
}

extension Step.State {
    /// The step was issued, and its answer was lost.
    fileprivate var isLost: Bool {
        switch self {
        case .issued, .unknown, .reconciling: true
        case .planned, .ready, .confirmed, .rejected, .needsDecision, .cancelled: false
        }
    }
}

extension Undo.Answer {
    /// Whether the current state shows the result of the step.
    fileprivate var isKnown: Bool {
        switch self {
        case .inverse, .cancel, .nothing, .sent: true
        case .release, .cannot: false
        }
    }
}
