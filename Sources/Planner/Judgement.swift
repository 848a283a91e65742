import Models
import Rules

/// The decisions of the rules about one message, without its conversation.
struct Judgement: Hashable, Sendable {
    var decisions: [Plan.Decision] = []
    var shadowed: [Plan.Decision] = []
    /// See ``Plan/Item/answered``.
    var answered: [Plan.Decision] = []
    var protectedBy: String?
    var warnings: [String] = []
    var failures: [RuleFailure] = []
    /// The disposition applies only to this copy of a message; see ``Evaluation/isForCopyAlone``.
    var isForCopyAlone = false
    /// A rule keeps the message because the conversation already has its task.
    var lostTask = false

    init(decisions: [Plan.Decision] = [], protectedBy: String? = nil) {
        self.decisions = decisions
        self.protectedBy = protectedBy
    }

    init(_ evaluation: Evaluation) {
        decisions = evaluation.decisions
        shadowed = evaluation.shadowed
        answered = evaluation.givenUp
        protectedBy = evaluation.protection
        warnings = evaluation.warnings
        failures = evaluation.failures
        isForCopyAlone = evaluation.isForCopyAlone
    }

    /// A message that was only partly read stays where it is and may only be flagged, because the rest of its
    /// content is unknown. Actions that are held back are not remembered as done.
    func restrained(by limits: [String]) -> Judgement {
        guard !limits.isEmpty else { return self }
        var restrained = self
        restrained.decisions = decisions.filter { $0.action == .flag || $0.action == .keep }
        restrained.protectedBy = protectedBy ?? "limits"
        if restrained.decisions.count < decisions.count {
            restrained.warnings.append(
                "read only in part (\(limits.joined(separator: ", "))): rules only flag it")
        }
        return restrained
    }

    /// At most one disposition, and none that moves a protected message. The others are listed as shadowed.
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

    /// Without the decisions of rules that acted before. Rules that only keep the message may match again.
    func without(_ met: Set<RememberedMatch>) -> Judgement {
        guard !met.isEmpty else { return self }
        let rules = Set(met.map(\.rule))
        var rest = self
        rest.decisions.removeAll { $0.action != .keep && rules.contains($0.rule) }
        return rest
    }

    /// Whether ``ThreadScope`` would not change the judgement if the message is the only one of its
    /// conversation.
    var standsAlone: Bool {
        protectedBy == nil && decisions.count <= 1 && !decisions.contains { $0.action.makesTask }
    }

    /// The decision that moves the message out of the inbox, if any.
    var departure: Plan.Decision? {
        decisions.first { $0.action.isDisposition && $0.action != .keep }
    }

    /// The decision that defers the message, if any.
    var deferral: Plan.Decision? {
        departure.flatMap { decision in
            if case .place(.deferUntil) = decision.action { decision } else { nil }
        }
    }
}

extension MessageFacts {
    /// The limits that matter for a decision which was made with these facts: without its text, a message with too much
    /// text is known whole.
    func limits(_ having: FactNeeds) -> [String] {
        having.contains(.text) ? exceededLimits : exceededLimits.filter { $0 != Self.textLimit }
    }
}
