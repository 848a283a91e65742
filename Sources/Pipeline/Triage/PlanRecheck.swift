import Accounts
import Logging
import MailStore
import Models
import Planner
import Rules

/// A plan checked again right before it is applied: messages that are protected now stay, whatever the plan said when
/// it was shown or saved.
///
/// Protection may have come by a rule or a list file that was edited, by a task that was opened, or by a flag.
struct PlanRecheck {
    let planner: TriagePlanner
    let protections: ProtectionCheck
    let sendHistory: SendHistory
    let loader: FactLoader
    let tasks: Tasks
    let account: Account
    let library: RuleLibrary
    /// Over old mail the rules judge other messages than those of the inbox.
    var isHistory = false
    /// The user changed it on purpose: only protection counts, not what the rules would do.
    var isEdited = false
    /// It judged again what rules had acted on before.
    var isAgain = false

    /// What may still be applied, and what is left out, message by message.
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

    /// Each message of the plan as it is now, in its place of the plan if it is still there.
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
