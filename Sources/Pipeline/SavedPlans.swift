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
        guard allowOld || now - document.generated <= Self.planAge else {
            throw Problem(
                "old-plan", exit: .stalePlan, message: "the plan is older than a day", place: path,
                next: ["opus triage --out \(path)", "opus apply --old \(path)"])
        }
        let account = try requireAccount(document.plan.account)
        let library = try requireRules()
        _ = try await sync(account.id)
        let inbox =
            try facts(.role(account.id, .inbox), needs: [])
            + factsBesideInbox(account, library.rules, needs: []).flatMap(\.self)
        let stale = Planner.stale(
            document.plan,
            current: Dictionary(inbox.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
            rulesDigest: library.digest)
        let names = try shortIDs(stale.map(\.item.message))
        let skipped = stale.map {
            SavedPlanOutcome.Skipped(
                id: names[$0.item.message] ?? $0.item.message.rawValue, subject: $0.item.subject,
                reason: $0.reason.text)
        }
        let out = Set(stale.map(\.item.message))
        var plan = document.plan
        plan.items.removeAll { out.contains($0.message) }
        // Others may have sent since, or it is no longer allowed.
        let known = plan.items.map(\.warnings.count)
        var allowance = try sendAllowance()
        plan.keep(within: &allowance)
        let notSent = zip(plan.items, known).flatMap { $0.warnings.dropFirst($1) }
        return SavedPlanOutcome(
            report: try await apply(plan, command: "apply"), skipped: skipped, notSent: notSent)
    }
}
