import Accounts
import MailStore
import Models
import Planner

/// What became of a saved plan.
public struct SavedPlanOutcome: Sendable {
    public struct Skipped: Sendable {
        public var id: String
        public var subject: String
        public var reason: String
    }

    public var report: RunReport
    /// Messages that no longer fit the plan.
    public var skipped: [Skipped]
    /// Why rules make drafts where the plan said that they send, one line each.
    public var notSent: [String]
}

extension Session {
    /// How long a saved plan is believed.
    static let planAge: Int64 = 86_400

    /// Applies a plan from a file: what still fits, message by message.
    public func applySaved(_ path: String, allowOld: Bool) async throws -> SavedPlanOutcome {
        let document = try PlanDocument.read(path)
        guard allowOld || (now - document.generated).magnitude <= Self.planAge.magnitude else {
            throw Problem(
                "old-plan", exit: .stalePlan, message: "the plan is older than a day", place: path,
                next: ["opus triage --out \(path)", "opus apply --old \(path)"])
        }
        let account = try requireAccount(document.plan.account)
        let library = try requireRules()
        _ = try await sync(account.id)
        var plan = document.plan
        var leftOut: [StaleItem] = []
        if plan.rulesDigest == library.digest {
            let recheck = PlanRecheck(
                session: self, account: account, library: library, isEdited: document.id == nil)
            (plan, leftOut) = try recheck.check(plan)
        } else {
            leftOut = Planner.stale(plan, current: [:], rulesDigest: library.digest)
            let out = Set(leftOut.map(\.item.key))
            plan.items.removeAll { out.contains($0.key) }
        }
        let skipped = try skipped(leftOut)
        // Others may have sent since, or it is no longer allowed.
        let known = plan.items.map(\.warnings.count)
        var allowance = try sendAllowance()
        plan.keep(within: &allowance)
        let notSent = zip(plan.items, known).flatMap { $0.warnings.dropFirst($1) }
        return SavedPlanOutcome(
            report: try await apply(plan, command: "apply"), skipped: skipped, notSent: notSent)
    }
}
