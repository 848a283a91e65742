import MIMEParser
import Models

/// Runs one test: its facts, the decisions of the rules, and the first difference from the expectation.
struct RuleTestRunner {
    private let rules: RuleSet
    private let test: RuleTest
    private let context: RuleContext
    private let facts: MessageFacts
    let evaluation: Evaluation

    init(rules: RuleSet, test: RuleTest, context outer: RuleContext) {
        var context = outer
        let account = test.account ?? outer.mailboxes.first?.account ?? AccountID("test")
        context.timeZone = test.timeZone ?? outer.timeZone
        context.now = Self.clock(test, context)
        context.remembered = []
        context.known.formUnion(test.mail.known.map(\.mailComparable))
        context.mailboxes = rules.mailboxUses.map { use in
            Mailbox(account: account, name: MailboxName(use.name), displayName: use.name)
        }
        let facts = test.mail.facts(account: account, context: context)
        test.mail.surround(&context, facts)
        self.rules = rules
        self.test = test
        self.context = context
        self.facts = facts
        evaluation = rules.evaluate(facts, in: context)
    }

    private static func clock(_ test: RuleTest, _ context: RuleContext) -> Timestamp {
        guard let at = test.at,
            let date = DatePhrase.resolve(
                at, now: context.now, timeZone: context.timeZone, dayFirst: context.dayFirst)
        else { return context.now }
        return DatePhrase.instant(of: date, timeZone: context.timeZone) ?? context.now
    }

    func firstFailure() -> String? {
        for expectation in test.expected {
            if let failure = failure(expectation) { return failure }
        }
        return nil
    }

    private var outcome: RuleTestOutcome {
        RuleTestOutcome(evaluation: evaluation, facts: facts, context: context, tables: rules.tables)
    }

    private func failure(_ expectation: RuleTest.Expectation) -> String? {
        switch expectation {
        case .rule(let id): return ruleFailure(id)
        case .disposition(let word):
            return outcome.unlike("disposition", word, evaluation.disposition.name.rawValue)
        case .action(let check): return check(outcome)
        case .protectedBy(let name): return protectionFailure(name)
        }
    }

    /// A protection is expected whether or not a rule wanted to move the message.
    private func protectionFailure(_ name: String) -> String? {
        if evaluation.protection == name { return nil }
        return outcome.unlike(
            "protected-by", name, evaluation.protectedBy ?? evaluation.protection ?? "nothing")
    }

    private func ruleFailure(_ id: String?) -> String? {
        guard let id else {
            return evaluation.matchedRules.first.map { "rule: expected none, but '\($0)' matched" }
        }
        guard !evaluation.matchedRules.contains(id) else { return nil }
        guard let rule = rules.compiled.first(where: { $0.info.id == id }) else {
            return "rule: no rule has the id '\(id)'"
        }
        let explanation = rules.explain(rule, facts, in: context, wasReached: true)
        if let note = explanation.note { return "rule: '\(id)' is \(note)" }
        if explanation.matched == true {
            return
                "rule: '\(id)' would match, but '\(evaluation.matchedRules.last ?? "another")' ended the triage before it"
        }
        guard let first = explanation.conditions.first(where: { $0.matched != true }) else {
            return "rule: '\(id)' did not match"
        }
        return "rule: '\(id)' did not match: \(first.text) failed; the message has: \(first.sawValue)"
    }
}
