import Models

/// One test: its facts, what the rules made of them, and the first thing that is not as expected.
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
        context.known.formUnion(test.mail.known.map(\.comparable))
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

    private var actions: [Action] { evaluation.decisions.map(\.action) }

    private func failure(_ expectation: RuleTest.Expectation) -> String? {
        switch expectation {
        case .rule(let id): return ruleFailure(id)
        case .disposition(let word): return unlike("disposition", word, dispositionName)
        case .move(let name):
            if case .move(let mailbox) = evaluation.disposition {
                return unlike("move", name, mailbox.displayName)
            }
            return "move: expected '\(name)', got \(dispositionName)"
        case .deferUntil(let phrase): return deferFailure(phrase)
        case .task(let fields): return taskFailure(fields)
        case .noTask: return task.map { "task: expected none, got '\($0.summary)'" }
        case .labels(let labels):
            return unlike(
                "labels", labels.sorted().joined(separator: ", "),
                made { if case .label(let keyword) = $0 { keyword.rawValue } else { nil } })
        case .unlabels(let labels):
            return unlike(
                "unlabels", labels.sorted().joined(separator: ", "),
                made { if case .unlabel(let keyword) = $0 { keyword.rawValue } else { nil } })
        case .flagged(let value):
            return value == isFlagged ? nil : "flagged: expected \(value), got \(isFlagged)"
        case .read(let value): return value == isRead ? nil : "read: expected \(value), got \(isRead)"
        case .delegate(let address):
            let found = delegation.map(\.to.comparable) ?? "none"
            return unlike("delegate", address.comparable, found)
        case .made(let word, let value): return madeFailure(word, value)
        case .noDelegate: return delegation.map { "delegate: expected none, got \($0.to.addrSpec)" }
        case .protectedBy(let name): return protectionFailure(name)
        }
    }

    /// What protects a message is expected whether or not a rule wanted to move it.
    private func protectionFailure(_ name: String) -> String? {
        if evaluation.protection == name { return nil }
        return unlike("protected-by", name, evaluation.protectedBy ?? evaluation.protection ?? "nothing")
    }

    private func unlike(_ what: String, _ expected: String, _ found: String) -> String? {
        func spelled(_ text: String) -> String { text.isEmpty ? "none" : "'\(text)'" }
        return expected == found ? nil : "\(what): expected \(spelled(expected)), got \(spelled(found))"
    }

    private func made(_ name: (Action) -> String?) -> String {
        actions.compactMap(name).sorted().joined(separator: ", ")
    }

    private var dispositionName: String {
        switch evaluation.disposition {
        case .archive: "archive"
        case .trash: "trash"
        case .junk: "junk"
        case .move: "move"
        case .deferUntil: "defer"
        case .keep, .label, .unlabel, .flag, .unflag, .mark, .task, .delegate, .vacation, .letter, .waiting,
            .notify,
            .unsubscribe, .saveFiles:
            "keep"
        }
    }

    private var isFlagged: Bool {
        actions.reduce(facts.flags.contains(.flagged)) { $1 == .flag ? true : ($1 == .unflag ? false : $0) }
    }

    private var isRead: Bool {
        actions.reduce(facts.flags.contains(.seen)) { if case .mark(let read) = $1 { read } else { $0 } }
    }

    private var task: TodoDraft? {
        actions.lazy.compactMap { if case .task(let draft) = $0 { draft } else { nil } }.first
    }

    private var delegation: Delegation? {
        actions.lazy.compactMap { if case .delegate(let value) = $0 { value } else { nil } }.first
    }

    /// `waiting`, `reply`, `forward`, `notify`, `unsubscribe`, `save-attachment`: whom it is for, or what it says; "none" for nothing.
    private func madeFailure(_ word: String, _ expected: String) -> String? {
        let found = actions.compactMap { action -> String? in
            switch action {
            case .waiting(let waiting): word == "waiting" ? waiting.on.comparable : nil
            case .letter(let letter):
                word == letter.kind.rawValue ? letter.to.map(\.comparable).joined(separator: ", ") : nil
            case .notify(let text): word == "notify" ? text : nil
            case .unsubscribe: word == "unsubscribe" ? "true" : nil
            case .saveFiles(let saving):
                word == "save-attachment" ? saving.paths.joined(separator: ", ") : nil
            case .keep, .archive, .trash, .junk, .move, .deferUntil, .label, .unlabel, .flag, .unflag, .mark,
                .task,
                .delegate, .vacation:
                nil
            }
        }
        return unlike(word, expected, found.isEmpty ? "none" : found.joined(separator: ", "))
    }

    // MARK: Rules

    private func ruleFailure(_ id: String?) -> String? {
        guard let id else {
            return evaluation.matchedRules.first.map { "rule: expected none, but '\($0)' matched" }
        }
        guard !evaluation.matchedRules.contains(id) else { return nil }
        guard let rule = rules.compiled.first(where: { $0.info.id == id }) else {
            return "rule: there is no '\(id)'"
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

    // MARK: Dates and tasks

    private func resolved(_ phrase: String) -> TodoDate? {
        DatePhrase.resolve(
            phrase, now: context.now, timeZone: context.timeZone, dayFirst: context.dayFirst,
            workdayEnd: context.workdayEnd)
    }

    private func spelled(_ date: TodoDate?) -> String {
        let view = FactsView(facts, context: context, tables: rules.tables)
        return date.map { Rendering(view: view, captures: [:]).spelling($0) } ?? "none"
    }

    private func deferFailure(_ phrase: String) -> String? {
        guard case .deferUntil(let time) = evaluation.disposition else {
            return "defer: expected '\(phrase)', got \(dispositionName)"
        }
        let wanted = resolved(phrase).flatMap { DatePhrase.instant(of: $0, timeZone: context.timeZone) }
        return unlike("defer", spelled(wanted.map { .instant($0) }), spelled(.instant(time)))
    }

    private func taskFailure(_ fields: [String: [String]]) -> String? {
        guard let task else { return "task: expected one, got none" }
        for (field, values) in fields.sorted(by: { $0.key < $1.key }) {
            let expected = values.joined(separator: ", ")
            let failure: String?
            switch field {
            case "title": failure = unlike("task title", expected, task.summary)
            case "list": failure = unlike("task list", expected, task.list.rawValue)
            case "notes": failure = unlike("task notes", expected, task.notes)
            case "context": failure = unlike("task context", expected, task.contexts.joined(separator: ", "))
            case "due": failure = unlike("task due", date(expected), spelled(task.due))
            case "start": failure = unlike("task start", date(expected), spelled(task.start))
            case _: failure = nil
            }
            if let failure { return failure }
        }
        return nil
    }

    private func date(_ phrase: String) -> String { phrase == "none" ? phrase : spelled(resolved(phrase)) }
}
