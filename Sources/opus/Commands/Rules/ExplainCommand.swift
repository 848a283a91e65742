import ArgumentParser
import Documents
import Models
import Pipeline
import Rules

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show why each rule did or did not match a message, and what past runs did with it.")

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("Only this rule.", valueName: "id"))
    var rule: String?

    @Argument(help: "A message id (opus list).")
    var id: String

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let explanation = try session.rules.explain(id, rule: rule)
        if console.isJSON { return try console.print(json: ExplainDocument(explanation)) }
        show(explanation, session, console)
    }

    private func show(_ explanation: Explanation, _ session: Session, _ console: Console) {
        let facts = explanation.line.facts
        let when = When(zone: session.zone, now: session.now)
        let style = console.style
        console.print(
            [facts.subject, facts.from.first?.description ?? "", when.moment(facts.date)]
                .map { TerminalText.line($0) }.joined(separator: " · "))
        // Two columns of the same width after the mark.
        let column = console.isTerminal ? min(44, max(16, (console.width - 11) / 2)) : 44
        var file = ""
        for rule in explanation.rules {
            if rule.file != file {
                file = rule.file
                console.print(TerminalText.line(file))
            }
            let name = TerminalText.padded(TerminalText.line(rule.id), to: 24)
            console.print(
                "  \(mark(rule.matched, style)) \(name) :\(rule.line)"
                    + (note(of: rule).map { "   " + TerminalText.line($0) } ?? ""))
            for condition in rule.conditions {
                var text = TerminalText.line(condition.text)
                var saw = TerminalText.line(condition.sawValue)
                if console.isTerminal {
                    text = TerminalText.truncated(text, to: column)
                    saw = TerminalText.truncated(saw, to: max(16, console.width - 11 - column))
                }
                console.print(
                    "      \(mark(condition.matched, style)) \(TerminalText.padded(text, to: column)) = \(saw)"
                )
            }
        }
        showResult(explanation, when, console)
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

    private func showResult(_ explanation: Explanation, _ when: When, _ console: Console) {
        let evaluation = explanation.evaluation
        let words = evaluation.decisions.map { "\($0.rule): \($0.action.word)" }
        console.print(
            "Now: "
                + (words.isEmpty
                    ? "no rule would change it" : TerminalText.line(words.joined(separator: ", "))))
        for warning in evaluation.warnings { console.print("Warning: " + TerminalText.line(warning)) }
        if let protector = evaluation.protectedBy {
            console.print("Protected by: " + TerminalText.line(protector))
        }
        let limits = explanation.line.facts.exceededLimits
        if !limits.isEmpty {
            console.print(
                "Limited: the message was read only in part (\(limits.joined(separator: ", "))), so rules only flag it"
            )
        }
        for shadowed in evaluation.shadowed {
            console.print(
                "Shadowed: \(TerminalText.line(shadowed.rule)): \(TerminalText.line(shadowed.action.word))"
            )
        }
        for past in explanation.history {
            let step = past.step
            let at = past.at.map { " (\(when.moment($0)))" } ?? ""
            let undone = past.undoneBy.map { ", undone by \($0)" } ?? ""
            console.print(
                "Done: \(past.run)\(at) \(TerminalText.line(step.cause.name)): \(StepWord.of(step.kind)) — "
                    + StepWord.state(step.state) + undone + change(past, explanation))
        }
    }

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
