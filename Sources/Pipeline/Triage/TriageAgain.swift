import Accounts
import MailStore
public import Models
import Planner

/// Checks plans that were shown or saved earlier against the current mail and rules before they are applied.
extension Triage {
    /// The plan as it may be applied now, after the user took time to answer. Checks the account and the
    /// rules again; if the account cannot be reached, uses the stored state.
    public func rechecked(
        _ plan: Plan, isHistory: Bool = false, isAgain: Bool = false
    ) async throws -> (plan: Plan, leftOut: [SavedPlanOutcome.Skipped]) {
        let account = try accounts.require(plan.account)
        try await syncing.lookAgain(account.id)
        var recheck = self.recheck(account, try RuleLibrary.passing(workspace, now: clock.now))
        recheck.isHistory = isHistory
        recheck.isAgain = isAgain
        let (checked, leftOut) = try recheck.check(plan)
        return (checked, try skipped(leftOut))
    }

    func skipped(_ items: [StaleItem]) throws -> [SavedPlanOutcome.Skipped] {
        let names = try lookup.shortIDs(items.map(\.item.message))
        return items.map {
            SavedPlanOutcome.Skipped(
                id: names[$0.item.message] ?? $0.item.message.rawValue, subject: $0.item.subject,
                reason: $0.reason.text)
        }
    }

    /// How long a saved plan may be applied without `--old`. In seconds.
    static let planAge: Int64 = 86_400

    /// Applies the part of a saved plan that is still valid, message by message.
    public func applySaved(_ saved: SavedPlan, allowOld: Bool) async throws -> SavedPlanOutcome {
        guard allowOld || (clock.now - saved.generated).magnitude <= Self.planAge.magnitude else {
            throw Problem(
                "old-plan", exit: .stalePlan, message: "the plan is older than a day", place: saved.path,
                next: ["opus triage --out \(saved.path)", "opus apply --old \(saved.path)"])
        }
        let account = try accounts.require(saved.plan.account)
        let library = try RuleLibrary.passing(workspace, now: clock.now)
        _ = try await syncing.account(account.id)
        var plan = saved.plan
        var leftOut: [StaleItem] = []
        if plan.origin == .rules(digest: library.digest) {
            var recheck = recheck(account, library)
            recheck.isEdited = saved.isEdited
            (plan, leftOut) = try recheck.check(plan)
        } else {
            leftOut = Planning.stale(plan, current: [:], origin: .rules(digest: library.digest))
            let out = Set(leftOut.map(\.item.key))
            plan.items.removeAll { out.contains($0.key) }
        }
        let skipped = try skipped(leftOut)
        // Other commands may have sent mail since, or sending may be forbidden now.
        let known = plan.items.map(\.warnings.count)
        var allowance = try sendHistory.allowance()
        plan.keep(within: &allowance)
        let notSent = zip(plan.items, known).flatMap { $0.warnings.dropFirst($1) }
        return SavedPlanOutcome(
            report: try await apply(plan, command: "apply"), skipped: skipped, notSent: notSent)
    }

    private func recheck(_ account: Account, _ library: RuleLibrary) -> PlanRecheck {
        PlanRecheck(
            planner: planner, protections: protections, sendHistory: sendHistory, loader: loader,
            tasks: tasks,
            account: account, library: library)
    }
}
