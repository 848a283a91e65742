import Accounts
import Executor
import MailStore
public import Models
import Planner
import TaskStore

/// Which run to take back, and how much of it.
public struct UndoRequest: Sendable {
    /// `r:0012`; nil: the last one that changed something and is no undo.
    public var run: String?
    /// Only the steps of this rule.
    public var rule: String?
    /// Only the steps on these messages.
    public var messages: [String]
    public var account: String?
    /// Tasks that were edited since are cancelled instead of left alone.
    public var isForced: Bool

    public init(
        run: String? = nil, rule: String? = nil, messages: [String] = [], account: String? = nil,
        isForced: Bool = false
    ) {
        self.run = run
        self.rule = rule
        self.messages = messages
        self.account = account
        self.isForced = isForced
    }
}

/// What taking a run back comes to, before anything of it happens.
public struct UndoPlan: Sendable {
    /// One step of the run.
    public struct Line: Sendable {
        public enum Fate: Hashable, Sendable {
            /// It is taken back by this.
            case inverse(Step.Kind)
            /// It has not happened yet, and will not.
            case cancelled
            /// Nothing is left to be taken back.
            case nothing(String)
            case cannot(String)
        }

        public var step: Step
        public var fate: Fate
    }

    public var run: RunLine
    private(set) var items: [Undo.Item]
    /// The runs that took steps of it back already.
    public var undoneBy: [RunID]
    /// Why the account could not be looked at first: what is said here is by the last sync.
    public var unsynced: Problem?

    /// Newest first.
    public var lines: [Line] {
        items.map { item in
            let fate: Line.Fate =
                switch item.answer {
                case .inverse(let step): .inverse(step.kind)
                case .cancel: .cancelled
                case .release(_, let reason), .nothing(let reason): .nothing(reason)
                case .cannot(let reason): .cannot(reason)
                }
            return Line(step: item.step, fate: fate)
        }
    }

    mutating func keep(_ isWanted: (Undo.Item) -> Bool) { items = items.filter(isWanted) }

    /// Nothing is left, because it was all taken back before.
    public var isUndone: Bool { !undoneBy.isEmpty && changes == 0 && !hasLeftovers }

    public var changes: Int {
        items.count { item in
            switch item.answer {
            case .inverse, .release, .cancel: true
            case .nothing, .cannot: false
            }
        }
    }

    /// Whether something of the run stays as it is.
    public var hasLeftovers: Bool {
        items.contains { item in
            if case .cannot = item.answer { return true }
            return false
        }
    }
}

/// Taking back: the inverse of each step, found from where things stand now, as a run of its own.
extension Session {
    /// What `request` would take back, by what the last sync brought.
    public func undoPlan(_ request: UndoRequest) throws -> UndoPlan {
        try undoPlan(request, drafts: [:], isFresh: false)
    }

    /// `drafts`: what the account said of the drafts that the run made.
    private func undoPlan(
        _ request: UndoRequest, drafts: [MessageID: Undo.DraftState], isFresh: Bool
    ) throws -> UndoPlan {
        let messages = try request.messages.map { try message($0).id }
        let id = try target(request, messages: messages)
        guard let detail = try store.run(id) else { throw Self.noRun(id) }
        let steps = try chosen(detail.steps, request, messages, run: id)
        var facts = try undoFacts(
            steps, of: id, account: detail.summary.account, isForced: request.isForced, isFresh: isFresh)
        facts.drafts = drafts
        let undoneBy = Set(steps.compactMap { $0.id.flatMap { facts.undone[$0] } })
        return UndoPlan(
            run: Self.line(detail.summary), items: Undo.items(for: steps, now: facts),
            undoneBy: undoneBy.sorted(), unsynced: nil)
    }

    /// The same, after a look at the account: other clients may have moved things since. Where nobody answers, what the
    /// store has is good enough: each step looks again before it acts.
    public func freshUndoPlan(_ request: UndoRequest) async throws -> UndoPlan {
        let first = try undoPlan(request)
        // A run of task files only needs no look at an account.
        let isOpen = first.items.contains { $0.step.state.isLost }
        guard first.changes > 0 || isOpen, first.run.account != .tasks else { return first }
        var unsynced: Problem?
        var drafts: [MessageID: Undo.DraftState] = [:]
        do {
            _ = try await sync(first.run.account)
            drafts = try await draftStates(of: first)
        } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
            unsynced = problem
        }
        var plan = try undoPlan(request, drafts: drafts, isFresh: unsynced == nil)
        plan.unsynced = unsynced
        return plan
    }

    /// What the account holds now of the drafts that the run made: a person may have gone on with them.
    private func draftStates(of plan: UndoPlan) async throws -> [MessageID: Undo.DraftState] {
        let account = try requireAccount(plan.run.account)
        let steps = plan.items.compactMap { item in
            if case .inverse(let inverse) = item.answer, case .remove = inverse.kind { return item.step }
            return nil as Step?
        }
        guard !steps.isEmpty else { return [:] }
        return try await connected(account) { connection in
            let sink = connection.makeSink()
            var states: [MessageID: Undo.DraftState] = [:]
            for step in steps {
                guard case .append(to: let mailbox, let message, flags: _, let token) = step.kind else {
                    continue
                }
                let found = try await versions(in: mailbox, tokens: [token], name: nil, over: sink)
                let digest = step.outcome.digest ?? MessageDigest.of(message)
                states[token] =
                    found.isEmpty ? .gone : found.contains { $0.digest == digest } ? .untouched : .edited
            }
            return states
        }
    }

    /// Cancels what has not happened yet, queues the inverses of what has, and carries them out.
    public func undo(_ plan: UndoPlan) async throws -> RunReport {
        let context = try undoContext(plan.run.account)
        try settleLost(plan.items)
        try store.resolve(
            plan.items.filter { $0.answer == .cancel }.compactMap { item in
                item.step.id.map {
                    StepResult(id: $0, state: .cancelled, error: "taken back before it happened")
                }
            })
        let work = Undo.work(plan.items, context)
        guard plan.run.account != .tasks else { return try undoTasks(work, undoes: plan.run.id) }
        let account = try requireAccount(plan.run.account)
        guard !work.isEmpty else { return RunReport(account: account.id) }
        return try await carryOut(
            work, account: account, command: "undo", undoes: plan.run.id, asksWhenInterrupted: true)
    }

    /// Steps whose answer was lost, and of which the look at the account has told what became of them.
    private func settleLost(_ items: [Undo.Item]) throws {
        let lost = items.filter { $0.step.state.isLost && $0.answer.isKnown }
        let unknown = lost.filter { $0.step.state == .unknown }
        try store.resolve(
            unknown.compactMap { $0.step.id.map { StepResult(id: $0, state: .reconciling) } })
        try store.resolve(
            lost.compactMap { item in
                item.step.id.map { id in
                    guard item.answer != .cancel else { return StepResult(id: id, state: .ready) }
                    var result = StepResult(id: id, state: .confirmed, evidence: "seen by the next sync")
                    if case .inverse(let step) = item.answer, case .move(let place, to: _) = step.kind {
                        result.movedTo = place
                    }
                    return result
                }
            })
    }

    /// Which runs took steps of this one back, by row in the journal.
    public func undone(in run: RunID) throws -> [Int64: RunID] { try store.undone(in: run) }

    // MARK: Which run

    private func target(_ request: UndoRequest, messages: [EmailID]) throws -> RunID {
        if let typed = request.run { return try run(typed).line.id }
        let asked =
            try request.account.map { Set(try accounts(named: $0)) }
            ?? Set(workspace.accounts.map(\.id)).union([.tasks])
        for summary in try store.runs(limit: Self.searchedRuns)
        where summary.undoes == nil && asked.contains(summary.account) {
            let line = Self.line(summary)
            guard line.confirmed + line.open > 0 else { continue }
            if messages.isEmpty { return summary.id }
            let steps = try store.run(summary.id)?.steps ?? []
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
            chosen = chosen.filter { $0.rule == rule }
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

    private func undoContext(_ id: AccountID) throws -> StepContext {
        var context =
            id == .tasks
            ? StepContext(
                account: id, inbox: Mailbox(account: id, name: .inbox, displayName: "INBOX"), mailboxes: [:],
                now: now, timeZone: workspace.timeZone)
            : try stepContext(try requireAccount(id))
        context.token = try commandToken()
        return context
    }

    private func undoFacts(
        _ steps: [Step], of run: RunID, account: AccountID, isForced: Bool, isFresh: Bool
    ) throws -> Undo.Facts {
        let look = UndoLook(
            store: store, tasks: tasks, files: files, context: try undoContext(account))
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
    /// Whether it says what became of the step.
    fileprivate var isKnown: Bool {
        switch self {
        case .inverse, .cancel, .nothing: true
        case .release, .cannot: false
        }
    }
}
