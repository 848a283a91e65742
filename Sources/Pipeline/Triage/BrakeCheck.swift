import Accounts
import MailStore
public import Models
import Planner

/// Brakes: a plan that looks like a mistake is applied only when the user names that very plan.
public struct BrakeCheck: Sendable {
    let workspace: Workspace
    let store: Store

    var limits: Brake {
        let brakes = workspace.brakes
        return Brake(
            maximumShare: brakes.share, minimumCount: brakes.count, maximumSends: brakes.sends,
            maximumTrash: brakes.trash)
    }

    /// Why the plan may only be applied when its id is given; nil when it may be applied as it is.
    ///
    /// `said` are the ids that the user gave with the command. When this plan's id is not among them, something changed
    /// since it was shown, and `other-plan` is thrown. `command` is what to type again: `opus triage --yes`.
    public func problem(with plan: Plan, said: [String], command: String) throws -> Problem? {
        let names = said.map { $0.hasPrefix("p:") ? $0.lowercased() : "p:" + $0.lowercased() }
        guard names.isEmpty else {
            guard names.contains(plan.id) else {
                throw Problem(
                    "other-plan", exit: .stalePlan,
                    message:
                        "the plan for \(plan.account) is now \(plan.id), not \(names.joined(separator: ", "))",
                    details: ["mail or rules have changed since that plan was shown; nothing was done"],
                    next: ["show it again: \(command) --dry-run", "\(command) --plan \(plan.id)"])
            }
            return nil
        }
        guard let reason = plan.origin == .hand ? limits.checkByHand(plan) : try reason(against: plan) else {
            return nil
        }
        return Problem(
            "brake", exit: .someFailed, message: reason.text + "; nothing was done",
            place: "account \(plan.account), plan \(plan.id)",
            details: reason.most.isEmpty ? [] : [reason.most],
            next: [
                "to apply it anyway: \(command) --plan \(plan.id)", "brakes: in opus.yaml sets the limits",
            ])
    }

    func reason(against plan: Plan) throws -> Brake.Reason? {
        let sources = Set(plan.items.flatMap { [$0.key.mailbox] + $0.threadKeys.map(\.key.mailbox) })
        let totals = try sources.map { ($0, try store.sync.extent(of: plan.account, mailbox: $0).count) }
        return limits.check(plan, totals: Dictionary(uniqueKeysWithValues: totals))
    }
}

extension Plan {
    /// The short id that people type, `p:4f2a91`.
    public var name: String { id }
}
