import Accounts
import Logging
import MailStore
import Models
import Planner
import Rules

/// Checks a plan again right before it is applied. It leaves out messages that were moved, that the rules
/// would now leave where they are, or that are protected now.
///
/// A message may be protected because of an edited rule or list, a new task, or a flag.
struct PlanRecheck {
    let planner: TriagePlanner
    let protections: ProtectionCheck
    let sendHistory: SendHistory
    let loader: FactLoader
    let tasks: Tasks
    let account: Account
    let library: RuleLibrary
    /// A plan for old mail: the rules judge messages in all mailboxes.
    var isHistory = false
    /// The user has edited the plan: only protection counts, not the decisions of the rules.
    var isEdited = false
    /// The plan judged messages again on which rules had already acted.
    var isAgain = false

    /// The part that may still be applied, and the messages that are left out.
    func check(_ plan: Plan) throws -> (plan: Plan, leftOut: [StaleItem]) {
        let todos = try tasks.openTodos()
        let current = try self.current(plan, todos)
        let asWas = plan.origin == .rules(digest: library.digest)
        var leftOut = Planning.stale(plan, current: current, origin: plan.origin)
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
        checked.origin = .rules(digest: library.digest)
        return (checked, leftOut)
    }

    /// The current facts of each message in the plan, at its planned place if it is still there.
    private func current(_ plan: Plan, _ todos: OpenTodos) throws -> [EmailID: MessageFacts] {
        let touched = plan.items.filter { !$0.isUntouched }
        let keys = Set(touched.flatMap { [$0.key] + $0.threadKeys.map(\.key) })
        let ids = Set(touched.flatMap { [$0.message] + $0.threadKeys.map(\.message) })
        let facts = try loader.facts(.ids(Array(ids)), needs: library.rules.needs)
        return Dictionary(todos.applied(to: facts).map { ($0.id, $0) }) { first, second in
            keys.contains(first.key) ? first : second
        }
    }

    private func judgedAgain(_ todos: OpenTodos) throws -> [MessageKey: Plan.Item] {
        var allowance = try sendHistory.allowance()
        let plan = try planner.plan(
            for: account.id, rules: library, limit: nil, sending: &allowance, todos: todos, isAgain: isAgain)
        return Dictionary(plan.items.map { ($0.key, $0) }) { first, _ in first }
    }

    private func protections(
        of plan: Plan, _ current: [EmailID: MessageFacts], _ todos: OpenTodos
    ) throws -> [EmailID: String] {
        let moving = plan.items.filter { plan.moves($0) }
        let ids = Set(moving.flatMap { [$0.message] + $0.threadKeys.map(\.message) })
        return try self.protections.entries(library, ids.compactMap { current[$0] }, account, todos: todos)
    }
}
