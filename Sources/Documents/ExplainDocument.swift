import Models
public import Pipeline
import Rules

/// `opus.explain/1`
public struct ExplainDocument: Encodable, Sendable {
    struct Rule: Encodable, Sendable {
        var rule: String
        var file: String
        var line: Int
        var matched: Bool?
        var reached: Bool
        var note: String?
        var conditions: [Condition]
    }

    struct Condition: Encodable, Sendable {
        var text: String
        var matched: Bool?
        var saw: String
    }

    struct Decision: Encodable, Sendable {
        var rule: String
        var action: String
    }

    struct Past: Encodable, Sendable {
        var run: String
        var at: Timestamp?
        var step: RunDocument.StepItem
        /// `same`, `changed`, `gone` or `unknown`.
        var rule: String
        var undoneBy: String?
        /// The message of the conversation that the rule matched, if this one moved along with it.
        var alongWith: String?
    }

    var schema = "opus.explain/1"
    var message: String
    var rules: [Rule]
    var decisions: [Decision]
    /// The newer message of the conversation that would take this one along.
    var alongWith: String?
    var shadowed: [Decision]
    var protectedBy: String?
    var warnings: [String]
    var history: [Past]

    public init(_ explanation: Explanation) {
        message = explanation.line.facts.id.rawValue
        rules = explanation.rules.map { rule in
            Rule(
                rule: rule.id, file: rule.file, line: rule.line, matched: rule.matched,
                reached: rule.wasReached,
                note: rule.note,
                conditions: rule.conditions.map {
                    Condition(text: $0.text, matched: $0.matched, saw: $0.sawValue)
                })
        }
        let decision = { (item: Plan.Decision) in
            Decision(rule: item.rule, action: item.action.word)
        }
        decisions = explanation.evaluation.decisions.map(decision)
        alongWith = explanation.along?.shown
        shadowed = explanation.evaluation.shadowed.map(decision)
        protectedBy = explanation.evaluation.protectedBy
        warnings = explanation.evaluation.warnings
        history = explanation.history.map {
            Past(
                run: $0.run.description, at: $0.at, step: .init($0.step), rule: $0.ruleChange.rawValue,
                undoneBy: $0.undoneBy?.description, alongWith: $0.along?.shown)
        }
    }
}
