import Accounts
import MailStore
public import Models
import Planner

/// Brakes: a plan that is probably a mistake is applied only if the user confirms its id.
public struct BrakeCheck: Sendable {
    let workspace: Workspace
    let store: Store

    /// The maximum number of messages that rules may change before any run was applied.
    static let firstRun = 50

    var limits: Brake {
        let brakes = workspace.brakes
        return Brake(
            maximumShare: brakes.share, minimumCount: brakes.count, maximumSends: brakes.sends,
            maximumTrash: brakes.trash)
    }

    /// Checks that each id that the user gave with the command belongs to one of the plans. If not, something
    /// has changed since that plan was shown. If the plans change nothing, nothing is checked.
    ///
    /// - Throws: `other-plan`. `command`: the command to repeat, such as `opus triage --yes`.
    public func requireKnown(_ said: [String], among plans: [Plan], command: String) throws {
        let changing = plans.filter { $0.origin == .hand || PlanTotals($0).hasChanges }
        let known = Set(plans.map(\.id))
        let unknown = Self.names(said).filter { !known.contains($0) }
        guard !changing.isEmpty, !unknown.isEmpty else { return }
        let asked = unknown.joined(separator: ", ")
        let now = changing.map { "\($0.id) for \($0.account)" }.joined(separator: ", ")
        throw Problem(
            "other-plan", exit: .stalePlan,
            message: changing.count == 1
                ? "the plan for \(changing[0].account) is now \(changing[0].id), not \(asked)"
                : "the plans are now \(now), not \(asked)",
            details: ["mail or rules have changed since that plan was shown; nothing was done"],
            next: [
                "show it again: \(command) --dry-run",
                command + changing.map { " --plan \($0.id)" }.joined(),
            ])
    }

    private static func names(_ said: [String]) -> [String] {
        said.map { $0.hasPrefix("p:") ? $0.lowercased() : "p:" + $0.lowercased() }
    }

    /// Why the plan may only be applied with its id; nil: it may be applied.
    ///
    /// `said`: the ids that the user gave with the command; plans with one of these ids are not held.
    public func problem(with plan: Plan, said: [String], command: String) throws -> Problem? {
        guard !Self.names(said).contains(plan.id), let reason = try brake(plan) else { return nil }
        return Problem(
            "brake", exit: .someFailed, message: reason.text + "; nothing was done",
            place: "account \(plan.account), plan \(plan.id)",
            details: reason.most.isEmpty ? [] : [reason.most],
            next: [
                "to apply it anyway: \(command) --plan \(plan.id)", "brakes: in opus.yaml sets the limits",
            ])
    }

    private func brake(_ plan: Plan) throws -> Brake.Reason? {
        plan.origin == .hand ? limits.checkByHand(plan) : try reason(against: plan)
    }

    func reason(against plan: Plan) throws -> Brake.Reason? {
        // A plan without decisions changes nothing.
        guard !plan.decided.isEmpty else { return nil }
        let sources = Set(plan.items.flatMap { [$0.key.mailbox] + $0.threadKeys.map(\.key.mailbox) })
        let totals = try sources.map { ($0, try store.sync.extent(of: plan.account, mailbox: $0).count) }
        return limits.check(plan, totals: Dictionary(uniqueKeysWithValues: totals))
    }
}

extension Plan {
    /// The short id that users type, such as `p:4f2a91`.
    public var name: String { id }
}
