import Models
import Rules

/// What the rules decided about one message on its own.
struct Judgement: Hashable, Sendable {
    var decisions: [Plan.Decision] = []
    var shadowed: [Plan.Decision] = []
    var protectedBy: String?
    var warnings: [String] = []
    /// The disposition is for this copy of a message alone, as ``Evaluation/isForCopyAlone``.
    var isForCopyAlone = false

    init(decisions: [Plan.Decision] = [], protectedBy: String? = nil) {
        self.decisions = decisions
        self.protectedBy = protectedBy
    }

    init(_ evaluation: Evaluation) {
        decisions = evaluation.decisions
        shadowed = evaluation.shadowed
        protectedBy = evaluation.protection
        warnings = evaluation.warnings
        isForCopyAlone = evaluation.isForCopyAlone
    }

    /// A message that was read only in part stays where it is, and is flagged at most, because the rest of its content
    /// is unknown. Actions that are held back are not remembered as done.
    func restrained(by limits: [String]) -> Judgement {
        guard !limits.isEmpty else { return self }
        var restrained = self
        restrained.decisions = decisions.filter { $0.action == .flag || $0.action == .keep }
        restrained.protectedBy = protectedBy ?? "limits"
        if restrained.decisions.count < decisions.count {
            restrained.warnings.append(
                "read only in part (\(limits.joined(separator: ", "))): rules do no more than flag it")
        }
        return restrained
    }

    /// At most one disposition, and none that moves a protected message. The others are kept as shadowed.
    func settled() -> Judgement {
        var settled = self
        settled.decisions = []
        var hasDisposition = false
        for decision in decisions {
            let isMove = decision.action.isDisposition && decision.action != .keep
            if decision.action.isDisposition, hasDisposition || (isMove && protectedBy != nil) {
                settled.shadowed.append(decision)
            } else {
                hasDisposition = hasDisposition || decision.action.isDisposition
                settled.decisions.append(decision)
            }
        }
        return settled
    }

    /// Without the decisions of rules that acted before; rules that only keep the message may do so again.
    func without(_ met: Set<RememberedMatch>) -> Judgement {
        guard !met.isEmpty else { return self }
        let rules = Set(met.map(\.rule))
        var rest = self
        rest.decisions.removeAll { $0.action != .keep && rules.contains($0.rule) }
        return rest
    }

    /// Whether it is as it would be after ``ThreadScope`` when the message is a conversation by itself.
    var standsAlone: Bool {
        protectedBy == nil && decisions.count <= 1 && !decisions.contains { $0.action.makesTask }
    }

    /// The decision that takes the message out of the inbox, if one does.
    var departure: Plan.Decision? {
        decisions.first { $0.action.isDisposition && $0.action != .keep }
    }
}
