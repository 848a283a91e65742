import Models
import Rules

/// What the rules said about one message, looked at by itself.
struct Judgement: Hashable, Sendable {
    var decisions: [Plan.Decision] = []
    var shadowed: [Plan.Decision] = []
    var protectedBy: String?
    var warnings: [String] = []

    init(decisions: [Plan.Decision] = [], protectedBy: String? = nil) {
        self.decisions = decisions
        self.protectedBy = protectedBy
    }

    init(_ evaluation: Evaluation) {
        decisions = evaluation.decisions
        shadowed = evaluation.shadowed
        protectedBy = evaluation.protection
        warnings = evaluation.warnings
    }

    /// One disposition at most, and none that moves a protected message. What loses is kept as shadowed.
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

    /// The decision that takes the message out of the inbox, if one does.
    var departure: Plan.Decision? {
        decisions.first { $0.action.isDisposition && $0.action != .keep }
    }
}
