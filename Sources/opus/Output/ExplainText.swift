import Documents
import Models
import Pipeline
import Rules

/// Why each rule did or did not match a message, as lines.
struct ExplainText {
    let when: When
    let style: Style
    /// The columns of the terminal; nil: no terminal, so lines are not cut.
    let width: Int?
    /// The short ids of the messages that an explanation names.
    let names: [EmailID: String]

    func lines(_ explanation: Explanation) -> [String] {
        let facts = explanation.line.facts
        var lines: [String] = []
        let origin = [facts.from.first?.description ?? "", when.moment(facts.date)]
            .map { " · " + TerminalText.line($0) }.joined()
        var subject = TerminalText.line(facts.subject)
        if let width {
            subject = TerminalText.truncated(subject, to: max(16, width - TerminalText.width(origin)))
        }
        lines.append(subject + origin)
        // Two columns of the same width after the mark.
        let column = width.map { min(44, max(16, ($0 - 11) / 2)) } ?? 44
        var file = ""
        for rule in explanation.rules {
            if rule.file != file {
                file = rule.file
                lines.append(TerminalText.line(file))
            }
            let name = TerminalText.padded(TerminalText.line(rule.id), to: 24)
            lines.append(
                "  \(mark(rule.matched, style)) \(name) :\(rule.line)"
                    + (note(of: rule).map { "   " + TerminalText.line($0) } ?? ""))
            for condition in rule.conditions {
                var text = TerminalText.line(condition.text)
                var saw = TerminalText.line(condition.sawValue)
                if let width {
                    text = TerminalText.truncated(text, to: column)
                    saw = TerminalText.truncated(saw, to: max(16, width - 11 - column))
                }
                lines.append(
                    "      \(mark(condition.matched, style)) \(TerminalText.padded(text, to: column)) = \(saw)"
                )
            }
        }
        result(explanation, &lines)
        return lines
    }

    private func note(of rule: RuleExplanation) -> String? {
        rule.note
            ?? (rule.wasReached || rule.matched == false
                ? nil : "not reached: an earlier rule ended the triage")
    }

    /// nil for conditions after the deciding one: they were not checked.
    private func mark(_ matched: Bool?, _ style: Style) -> String {
        switch matched {
        case true?: style.green("✓")
        case false?: style.dim("✗")
        case nil: style.dim("·")
        }
    }

    private func result(_ explanation: Explanation, _ lines: inout [String]) {
        let evaluation = explanation.evaluation
        let words = evaluation.decisions.map { "\($0.rule): \(when.word(of: $0.action))" }
        lines.append(
            "Now: "
                + (words.isEmpty
                    ? "no rule would change it"
                    : TerminalText.line(words.joined(separator: ", ")) + with(explanation.along)))
        for warning in evaluation.warnings { lines.append("Warning: " + TerminalText.line(warning)) }
        if let protector = evaluation.protectedBy {
            lines.append("Protected by: " + TerminalText.line(protector))
        }
        let limits = explanation.line.facts.exceededLimits
        if !limits.isEmpty {
            lines.append(
                "Limited: the message was read only in part (\(limits.joined(separator: ", "))), so rules only flag it"
            )
        }
        for shadowed in evaluation.shadowed {
            lines.append(
                "Shadowed: \(TerminalText.line(shadowed.rule)): \(TerminalText.line(when.word(of: shadowed.action)))"
            )
        }
        for past in explanation.history {
            let step = past.step
            let at = past.at.map { " (\(when.moment($0)))" } ?? ""
            let undone = past.undoneBy.map { ", undone by \($0)" } ?? ""
            lines.append(
                "Before: \(past.run)\(at) \(TerminalText.line(step.cause.name)): \(StepWord.of(step.kind, when))"
                    + with(past.along) + " — " + StepWord.state(step.state) + undone
                    + change(past, explanation))
        }
    }

    private func with(_ other: EmailID?) -> String { other.map { StepWord.along($0, names) } ?? "" }

    private func change(_ past: PastStep, _ explanation: Explanation) -> String {
        switch past.ruleChange {
        case .same: ""
        case .changed: "; the rule has changed since"
        case .gone: "; the rule no longer exists"
        case .unknown:
            // Steps by hand and of an undo do not belong to a rule.
            explanation.rules.contains { $0.id == past.step.cause.rule }
                ? "; it is not known whether the rule has changed since" : ""
        }
    }
}
