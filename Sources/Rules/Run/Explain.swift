public import Models

/// Why one rule did or did not match one message.
public struct RuleExplanation: Hashable, Sendable {
    public struct Condition: Hashable, Sendable {
        /// As written in a query; a negated condition begins with `-`.
        public let text: String
        /// Whether it counts for the rule; nil: it could not be judged.
        public let matched: Bool?
        /// The actual value of the message, at most 200 characters. Untrusted text.
        public let sawValue: String
    }

    public let file: String
    public let line: Int
    public let id: String
    public let description: String
    /// Whether its conditions match; nil: they could not be judged.
    public let matched: Bool?
    /// Whether triage got as far as this rule.
    public let wasReached: Bool
    /// Why the rule did not act: it is for another account, is disabled, has already acted on the message, or
    /// another rule of its group acted.
    public internal(set) var note: String?
    public let conditions: [Condition]
}

extension RuleSet {
    /// Every rule, in order, with all its conditions judged, including those that were not needed.
    public func explain(_ facts: MessageFacts, in context: RuleContext) -> [RuleExplanation] {
        let evaluation = evaluate(facts, in: context)
        let groups = groups
        /// The rule that acted, by group.
        var taken: [Int: String] = [:]
        var isOver = false
        return compiled.indices.map { index in
            let rule = compiled[index]
            let chosen = groups[index].flatMap { taken[$0] }
            var explanation = explain(rule, facts, in: context, wasReached: !isOver && chosen == nil)
            if let chosen, !isOver, explanation.note == nil, explanation.matched != false {
                explanation.note = "not tried: '\(chosen)' of its group matched"
            }
            guard explanation.wasReached else { return explanation }
            let didMatch = evaluation.matchedRules.contains(rule.info.id)
            if didMatch, let group = groups[index] { taken[group] = rule.info.id }
            let ends = rule.stops || (rule.disposes && !rule.continues)
            if rule.applies(to: facts.key.account), explanation.note == nil || didMatch,
                (didMatch && ends) || explanation.matched == nil
            {
                isOver = true
            }
            return explanation
        }
    }

    /// The group of each rule in a `choose`, by the rule's index.
    var groups: [Int: Int] {
        var groups: [Int: Int] = [:]
        for (group, entry) in entries.enumerated() {
            if case .choose(let indices) = entry { for index in indices { groups[index] = group } }
        }
        return groups
    }

    func explain(
        _ rule: CompiledRule, _ facts: MessageFacts, in context: RuleContext, wasReached: Bool
    ) -> RuleExplanation {
        var context = context
        context.timeZone = rule.timeZone ?? context.timeZone
        let view = FactsView(facts, context: context, tables: tables)
        return RuleExplanation(
            file: rule.info.file, line: rule.info.line, id: rule.info.id, description: rule.info.description,
            matched: view.judge(rule.condition).isYes, wasReached: wasReached,
            note: note(rule, facts, in: context) ?? rule.scope.reason(against: view, rule: rule.info.id),
            conditions: conditions(of: rule, view))
    }

    private func note(_ rule: CompiledRule, _ facts: MessageFacts, in context: RuleContext) -> String? {
        if !rule.info.isEnabled { return "not enabled" }
        if !rule.applies(to: facts.key.account) { return "not for the account \(facts.key.account)" }
        let match = RememberedMatch(rule: rule.info.id, message: facts.id)
        if context.remembered.contains(match) { return "has matched this message before, and acts once" }
        let wasReversed = context.reversed[facts.thread]?.contains(rule.info.id) == true
        return wasReversed ? "was undone in this conversation, and does not act on it again" : nil
    }

    private func conditions(of rule: CompiledRule, _ view: FactsView) -> [RuleExplanation.Condition] {
        let wanted = view.leaves(of: rule.when, isNegated: false)
        let unwanted = rule.unless.map { view.leaves(of: $0, isNegated: true) } ?? []
        return wanted + unwanted
    }
}

extension FactsView {
    fileprivate func leaves(of condition: Condition, isNegated: Bool) -> [RuleExplanation.Condition] {
        switch condition {
        case .always:
            return [.init(text: "*", matched: !isNegated, sawValue: "every message")]
        case .all(let branches), .any(let branches):
            return branches.children.flatMap { leaves(of: $0, isNegated: isNegated) }
        case .not(let inner): return leaves(of: inner, isNegated: !isNegated)
        case .test(let test):
            var captures: [String: String] = [:]
            let answer = judge(test, captures: &captures)
            return [
                .init(
                    text: shortened(isNegated ? "-" + test.text : test.text),
                    matched: (isNegated ? answer.inverted : answer).isYes, sawValue: seen(test))
            ]
        }
    }
}

extension Truth {
    var isYes: Bool? {
        switch self {
        case .no: false
        case .unknown: nil
        case .yes: true
        }
    }
}
