import Accounts
import Logging
import MailStore
public import Models
import Planner
import Rules

/// A plan looked at again right before it is applied: what is protected now stays, whatever the plan said when it was
/// shown or saved.
///
/// Protection may have come by a rule or a list file that was edited, by a task that was opened, or by a flag.
struct PlanRecheck {
    let session: Session
    let account: Account
    let library: RuleLibrary
    /// Over old mail the rules judge other messages than those of the inbox.
    var isHistory = false
    /// A person changed it on purpose: only protection counts, not what the rules would do.
    var isEdited = false
    /// It judged again what rules had acted on before.
    var isAgain = false

    /// What may still be applied, and what is left out of it, message by message.
    func check(_ plan: Plan) throws -> (plan: Plan, leftOut: [StaleItem]) {
        let todos = try OpenTodos(session)
        let current = try self.current(plan, todos)
        let asWas = library.digest == plan.rulesDigest
        var leftOut = Planner.stale(plan, current: current, rulesDigest: plan.rulesDigest)
        if !asWas, isHistory {
            leftOut = plan.items.filter { !$0.isUntouched }.map { StaleItem(item: $0, reason: .rulesChanged) }
        }
        var checked = plan
        let out = Set(leftOut.map(\.item.key))
        checked.items.removeAll { out.contains($0.key) }
        let judged = try isHistory || isEdited ? nil : judgedAgain(todos)
        let protections = try protections(of: checked, current, todos)
        leftOut += checked.leaveOut(
            protections: protections, judged: judged, areRulesNew: !asWas)
        checked.rulesDigest = library.digest
        return (checked, leftOut)
    }

    /// Each message of the plan as it stands now, where the plan saw it if it is still there.
    private func current(_ plan: Plan, _ todos: OpenTodos) throws -> [EmailID: MessageFacts] {
        let touched = plan.items.filter { !$0.isUntouched }
        let keys = Set(touched.flatMap { [$0.key] + $0.threadKeys.map(\.key) })
        let ids = Set(touched.flatMap { [$0.message] + $0.threadKeys.map(\.message) })
        let facts = try session.facts(.ids(Array(ids)), needs: library.rules.needs)
        return Dictionary(todos.applied(to: facts).map { ($0.id, $0) }) { first, second in
            keys.contains(first.key) ? first : second
        }
    }

    private func judgedAgain(_ todos: OpenTodos) throws -> [MessageKey: Plan.Item] {
        var allowance = try session.sendAllowance()
        let plan = try session.plan(
            for: account.id, rules: library, limit: nil, sending: &allowance, todos: todos, isAgain: isAgain)
        return Dictionary(plan.items.map { ($0.key, $0) }) { first, _ in first }
    }

    private func protections(
        of plan: Plan, _ current: [EmailID: MessageFacts], _ todos: OpenTodos
    ) throws -> [EmailID: String] {
        let moving = plan.items.filter { plan.moves($0) }
        let ids = Set(moving.flatMap { [$0.message] + $0.threadKeys.map(\.message) })
        return try session.protections(library, ids.compactMap { current[$0] }, account, todos: todos)
    }
}

/// The tasks that are open in the folder now, by the conversation of their mail: what another command or program wrote
/// since the last run is among them.
struct OpenTodos {
    let todos: [TodoID: Todo]
    private let byConversation: [ThreadID: [TodoID]]

    init(_ session: Session) throws {
        let open = try session.taskFiles().files.map(\.todo).filter(\.isOpen)
        todos = Dictionary(open.map { ($0.id, $0) }) { first, _ in first }
        var found: [ThreadID: [TodoID]] = [:]
        for (id, link) in try session.store.links(for: open.map(\.id)) {
            found[link.conversation, default: []].append(id)
        }
        byConversation = found.mapValues { $0.sorted() }
    }

    func applied(to facts: [MessageFacts]) -> [MessageFacts] {
        facts.map { facts in
            let open = byConversation[facts.conversation] ?? []
            guard facts.openTodos != open else { return facts }
            var changed = facts
            changed.openTodos = open
            return changed
        }
    }
}

extension Session {
    /// The plan as it may be applied now: for the time between its showing and the answer. The account and the rules are
    /// looked at again; where the account cannot be reached, what the store has must do.
    public func rechecked(
        _ plan: Plan, isHistory: Bool = false, isAgain: Bool = false
    ) async throws -> (plan: Plan, leftOut: [SavedPlanOutcome.Skipped]) {
        let account = try requireAccount(plan.account)
        try await lookAgain(account.id)
        var recheck = PlanRecheck(
            session: self, account: account, library: try requireRules(), isHistory: isHistory)
        recheck.isAgain = isAgain
        let (checked, leftOut) = try recheck.check(plan)
        return (checked, try skipped(leftOut))
    }

    /// Where the account cannot be reached, each step looks before it acts all the same.
    func lookAgain(_ id: AccountID) async throws {
        do {
            _ = try await sync(id)
        } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
            logger.notice("the account was not looked at again", metadata: ["error": "\(problem.message)"])
        }
    }

    func skipped(_ items: [StaleItem]) throws -> [SavedPlanOutcome.Skipped] {
        let names = try shortIDs(items.map(\.item.message))
        return items.map {
            SavedPlanOutcome.Skipped(
                id: names[$0.item.message] ?? $0.item.message.rawValue, subject: $0.item.subject,
                reason: $0.reason.text)
        }
    }
}
