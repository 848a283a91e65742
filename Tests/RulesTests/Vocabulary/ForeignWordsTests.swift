import Models
import Testing

@testable import Rules

@Suite struct ForeignWordsTests {
    @Test("every hint for a condition is valid, in a query and in a mapping")
    func conditionsAreRead() throws {
        for (word, hint) in ForeignWords.conditions {
            #expect(ConditionTable.entry(word) == nil, "'\(word)' is a word of ours")
            _ = try query(hint.query)
            _ = try rules("rules:\n  - { id: r, when: { \(hint.mapping) }, then: flag }\n")
        }
        for (word, hint) in ForeignWords.states {
            #expect(ConditionTable.entry(word) == nil, "'\(word)' is a word of ours")
            _ = try query(hint)
            _ = try rules("rules:\n  - { id: r, when: { \(ForeignWords.mapping(hint)) }, then: flag }\n")
        }
    }

    @Test("every hint for an action is valid")
    func actionsAreRead() throws {
        for (word, hint) in ForeignWords.actions {
            #expect(ActionTable.template(word) == nil, "'\(word)' is a word of ours")
            let then = hint.contains(":") ? "{ \(hint) }" : hint
            _ = try rules("rules:\n  - { id: r, when: '*', then: \(then) }\n")
        }
    }

    @Test(
        "the conditions of Gmail and notmuch are answered with opus's own",
        arguments: [
            ("older_than:7d", "write older:7d"), ("newer_than:2d", "write newer:7d"),
            ("larger:5M", "write size>5M"), ("smaller:5M", "write size<5M"),
            ("filename:pdf", "write attachment:name:*.pdf"), ("tag:work", "write label:reading"),
            ("folder:Work", "write in:Archive"), ("has:star", "write is:flagged"),
            ("is:starred", "write is:flagged"), ("is:unanswered", "write -is:answered"),
            ("is:unflagged", "write -is:flagged"), ("is:pdf", "write has:pdf"),
            ("form:x", "did you mean 'from'?"),
            ("after:2026-01-01", "write date>=2026-01-01"), ("date:2w..", "write age<=2w"),
            ("date:2026-01-01..2026-02-01", "write date>=2026-01-01 date<=2026-02-01"),
            ("is:unraed", "did you mean 'is:unread'?"),
        ])
    func hints(_ typed: String, _ expected: String) {
        guard case .failure(let errors) = Query.parse(typed) else { Issue.record("it was read"); return }
        #expect(errors.diagnostics.map(\.suggestion) == [expected])
    }

    @Test(
        "actions of other programs are answered with opus's own",
        arguments: [
            ("delete", "trash"), ("remove", "trash"), ("star", "flag"), ("spam", "junk"),
            ("tag: x", "label: reading"), ("fileinto: x", "move: Projects"), ("mark-read", "mark: read"),
        ])
    func actionHints(_ typed: String, _ expected: String) {
        let then = typed.contains(":") ? "{ \(typed) }" : typed
        let found = compile("rules:\n  - { id: r, when: '*', then: \(then) }\n").diagnostics
        #expect(found.first?.suggestion == "did you mean '\(expected)'?")
    }
}
