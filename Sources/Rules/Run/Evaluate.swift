public import Models

extension RuleSet {
    /// What the rules want done with one message.
    ///
    /// Pure: the facts are frozen, no rule sees what another did. Rules run in file order; one that disposes
    /// of the message ends its triage, one that only marks lets it go on. When in doubt the message is kept:
    /// a rule that cannot be judged ends the triage too, so that no later rule steps in for it.
    public func evaluate(_ facts: MessageFacts, in context: RuleContext) -> Evaluation {
        evaluate(facts, in: context, surface: FactsView.Surface(context))
    }

    /// What the rules want done with each of many messages; the same as one after the other.
    public func evaluator(in context: RuleContext) -> (MessageFacts) -> Evaluation {
        let surface = FactsView.Surface(context)
        return { evaluate($0, in: context, surface: surface) }
    }

    private func evaluate(
        _ facts: MessageFacts, in context: RuleContext, surface: FactsView.Surface
    ) -> Evaluation {
        var run = Run(rules: self, facts: facts, context: context, surface: surface)
        run.protect()
        for entry in entries where !run.isOver {
            switch entry {
            case .rule(let index): _ = run.consider(compiled[index])
            case .choose(let indices):
                for index in indices where !run.isOver {
                    if run.consider(compiled[index]) { break }
                }
            }
        }
        return run.result()
    }
}

/// One message on its way through the rules.
private struct Run {
    private let rules: RuleSet
    private let facts: MessageFacts
    private let context: RuleContext
    private let surface: FactsView.Surface
    /// In the zone of the workspace; rules of files with a zone of their own have others.
    private let view: FactsView
    private var views: [String: FactsView] = [:]
    private var evaluation = Evaluation()
    private var disposition: Plan.Decision?
    /// The `protect` entry that holds for this message.
    private var protection: String?
    private(set) var isOver = false

    init(rules: RuleSet, facts: MessageFacts, context: RuleContext, surface: FactsView.Surface) {
        self.surface = surface
        self.rules = rules
        self.facts = facts
        self.context = context
        view = FactsView(facts, context: context, tables: rules.tables, surface: surface)
    }

    private mutating func view(timeZone: String?) -> FactsView {
        guard let zone = timeZone else { return view }
        if let known = views[zone] { return known }
        var context = context
        context.timeZone = zone
        let view = FactsView(facts, context: context, tables: rules.tables)
        views[zone] = view
        return view
    }

    mutating func protect() {
        for entry in rules.protections where entry.applies(to: facts.key.account) {
            switch view(timeZone: entry.timeZone).judge(entry.condition) {
            case .no: continue
            case .yes: break
            case .unknown:
                evaluation.warnings.append(
                    "'\(entry.name)' could not be judged without the text; it protects the message")
            }
            protection = entry.name
            return
        }
    }

    /// Judges one rule and takes its actions; whether it matched.
    mutating func consider(_ rule: CompiledRule) -> Bool {
        guard rule.applies(to: facts.key.account) else { return false }
        let view = view(timeZone: rule.timeZone)
        guard rule.scope.reason(against: view, rule: rule.info.id) == nil else { return false }
        var captures: [String: String] = [:]
        switch judge(rule, view, captures: &captures) {
        case .no: return false
        case .unknown:
            evaluation.warnings.append(
                "rule \(rule.info.id) could not be judged without the text; the message is kept"
                    + "   \(rule.info.file):\(rule.info.line)")
            isOver = true
            return false
        case .yes: break
        }
        evaluation.matchedRules.append(rule.info.id)
        if !context.remembered.contains(RememberedMatch(rule: rule.info.id, message: facts.id)) {
            var maker = ActionMaker(rule: rule, rendering: Rendering(view: view, captures: captures))
            maker.make()
            evaluation.warnings += maker.warnings
            for action in maker.actions { take(Plan.Decision(rule: rule.info.id, action: action)) }
        }
        isOver = rule.stops || (rule.disposes && !rule.continues)
        return true
    }

    private func judge(
        _ rule: CompiledRule, _ view: FactsView, captures: inout [String: String]
    ) -> Truth {
        var answer = view.judge(rule.when, captures: &captures)
        if answer != .no, let unless = rule.unless {
            let exception = view.judge(unless).inverted
            answer = answer == .yes ? exception : (exception == .no ? .no : .unknown)
        }
        // Actions that take words of the text need it just as conditions do.
        return answer == .yes && facts.text == nil && rule.needs.contains(.text) ? .unknown : answer
    }

    private mutating func take(_ decision: Plan.Decision) {
        guard decision.action.isDisposition else {
            if !evaluation.decisions.contains(where: { $0.action == decision.action }) {
                evaluation.decisions.append(decision)
            }
            return
        }
        if disposition != nil {
            evaluation.shadowed.append(decision)
        } else if let protection, decision.action != .keep {
            evaluation.protectedBy = protection
            evaluation.shadowed.append(decision)
            disposition = Plan.Decision(rule: decision.rule, action: .keep)
        } else {
            disposition = decision
        }
    }

    func result() -> Evaluation {
        var result = evaluation
        result.protection = protection
        if let disposition { result.decisions.append(disposition) }
        return result
    }
}
