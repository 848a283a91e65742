import Models

/// The decisions of the rules about the mail of a test, for checking expectations.
struct RuleTestOutcome {
    let evaluation: Evaluation
    let facts: MessageFacts
    let context: RuleContext
    let tables: RuleTables

    var actions: [Action] { evaluation.decisions.map(\.action) }

    var disposition: Action { evaluation.disposition }

    /// The flags of the message after the actions.
    var flags: Set<Flag> {
        var (flags, keywords) = (facts.flags, facts.keywords)
        for action in actions { _ = action.mark(&flags, &keywords) }
        return flags
    }

    /// The values found in the actions, in order; `none` if there are none.
    func all(_ found: (Action) -> String?) -> String {
        let texts = actions.compactMap(found)
        return texts.isEmpty ? "none" : texts.joined(separator: ", ")
    }

    /// A description of the difference; nil: there is none. An empty text is `none`.
    func unlike(_ what: String, _ expected: String, _ found: String) -> String? {
        func spelled(_ text: String) -> String { text.isEmpty ? "none" : "'\(text)'" }
        return expected == found ? nil : "\(what): expected \(spelled(expected)), got \(spelled(found))"
    }

    func resolved(_ phrase: String) -> TodoDate? {
        DatePhrase.resolve(
            phrase, now: context.now, timeZone: context.timeZone, dayFirst: context.dayFirst,
            workdayEnd: context.workdayEnd, businessDays: context.businessDays)
    }

    func spelled(_ date: TodoDate?) -> String {
        let view = FactsView(facts, context: context, tables: tables)
        return date.map { Rendering(view: view, captures: [:]).spelling($0) } ?? "none"
    }
}
