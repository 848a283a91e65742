import ArgumentParser
import Models
import Pipeline
import Rules

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Why each rule did or did not match a message, and what runs did with it.")

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("Only this rule.", valueName: "id"))
    var rule: String?

    @Argument(help: "A message id (opus list).")
    var id: String

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let explanation = try session.explain(id, rule: rule)
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
        // Two columns behind the mark, as wide as one another.
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

    /// Conditions after the one that decided are not looked at.
    private func mark(_ matched: Bool?, _ style: Style) -> String {
        switch matched {
        case true?: style.green("✓")
        case false?: style.dim("✗")
        case nil: style.dim("·")
        }
    }

    private func showResult(_ explanation: Explanation, _ when: When, _ console: Console) {
        let evaluation = explanation.evaluation
        let words = evaluation.decisions.map { "\($0.rule): \(ActionWord.of($0.action))" }
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
                "Held back: it was read only in part (\(limits.joined(separator: ", "))), and rules only flag it"
            )
        }
        for shadowed in evaluation.shadowed {
            console.print(
                "Shadowed: \(TerminalText.line(shadowed.rule)): \(TerminalText.line(ActionWord.of(shadowed.action)))"
            )
        }
        for past in explanation.history {
            let step = past.step
            let at = past.at.map { " (\(when.moment($0)))" } ?? ""
            let undone = past.undoneBy.map { ", taken back by \($0)" } ?? ""
            console.print(
                "Done: \(past.run)\(at) \(TerminalText.line(step.rule)): \(StepWord.of(step.kind)) — "
                    + StepWord.state(step.state) + undone + change(past, explanation))
        }
    }

    private func change(_ past: PastStep, _ explanation: Explanation) -> String {
        switch past.ruleChange {
        case .same: ""
        case .changed: "; the rule has changed since"
        case .gone: "; the rule is gone"
        case .unknown:
            // What was done by hand, or by an undo, is no rule's.
            explanation.rules.contains { $0.id == past.step.rule }
                ? "; whether the rule has changed since is not known" : ""
        }
    }
}

/// `opus.explain/1`
struct ExplainDocument: Encodable {
    struct Rule: Encodable {
        var rule: String
        var file: String
        var line: Int
        var matched: Bool?
        var reached: Bool
        var note: String?
        var conditions: [Condition]
    }

    struct Condition: Encodable {
        var text: String
        var matched: Bool?
        var saw: String
    }

    struct Decision: Encodable {
        var rule: String
        var action: String
    }

    struct Past: Encodable {
        var run: String
        var at: Timestamp?
        var step: RunDocument.StepItem
        /// `same`, `changed`, `gone` or `unknown`.
        var rule: String
        var undoneBy: String?
    }

    var schema = "opus.explain/1"
    var message: String
    var rules: [Rule]
    var decisions: [Decision]
    var shadowed: [Decision]
    var protectedBy: String?
    var warnings: [String]
    var history: [Past]

    init(_ explanation: Explanation) {
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
            Decision(rule: item.rule, action: ActionWord.of(item.action))
        }
        decisions = explanation.evaluation.decisions.map(decision)
        shadowed = explanation.evaluation.shadowed.map(decision)
        protectedBy = explanation.evaluation.protectedBy
        warnings = explanation.evaluation.warnings
        history = explanation.history.map {
            Past(
                run: $0.run.description, at: $0.at, step: .init($0.step), rule: $0.ruleChange.rawValue,
                undoneBy: $0.undoneBy?.description)
        }
    }
}
