import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Rules that the user's own doing asks for: what is enough for a suggestion, and what it says.
@Suite("Suggesting rules")
struct RuleSuggestingTests {
    private static let none = ["10.yaml": "rules-version: 1\nrules: []\n"]

    private func workplace(_ subjects: [String], rules: [String: String] = none) throws -> Workplace {
        let work = try Workplace(rules: rules)
        for subject in subjects { try work.deliver(subject) }
        return work
    }

    private func suggested(
        _ work: Workplace, at now: Timestamp = Workplace.tuesday
    ) async throws -> RuleSuggestions {
        var found = RuleSuggestions()
        try await work.synced(at: now) { session in
            found = try session.rules.suggest(try session.rules.library(), account: nil)
        }
        return found
    }

    @Test("three mails of a sender moved the same way give a suggestion; two of two or three of four do not")
    func thresholds() async throws {
        let subjects = ["One", "Two", "Three", "Four"]
        for (moved, count, isEnough) in [(2, 2, false), (3, 3, true), (3, 4, false)] {
            let work = try workplace(Array(subjects.prefix(count)))
            try await work.synced { session in
                for subject in subjects.prefix(moved) { try await session.byHand(.archive, subject) }
            }
            let found = try await suggested(work)
            #expect(found.suggestions.count == (isEnough ? 1 : 0), "\(moved) of \(count)")
            #expect(found.diff.isEmpty != isEnough)
        }
    }

    @Test("the evidence counts moved and remaining mail, and names the program")
    func evidence() async throws {
        let work = try workplace(["One", "Two", "Three", "Four", "Five"])
        try work.client.create(MailboxName("Projects"))
        try await work.synced { session in
            for subject in ["One", "Two", "Three"] {
                try await session.byHand(.move(to: "Projects"), subject)
            }
        }
        try work.moveElsewhere("Four", from: "INBOX", to: "Projects")
        let found = try await suggested(work)
        #expect(
            found.suggestions.map(\.evidence) == [
                "4 of 5 mails of bob@acme.example in 90 days were moved to Projects by hand, with opus and elsewhere."
            ])
        #expect(found.diff.contains("move: 'Projects'"))
        #expect(found.suggestions.first?.looked == 5 && found.suggestions.first?.changes == 5)
    }

    @Test("all mail of a list counts as one kind")
    func lists() async throws {
        let work = try Workplace(rules: Self.none)
        for name in ["a", "b", "c"] {
            try work.deliver(
                SampleMail(
                    subject: "From \(name)", from: "\(name)@\(name).example",
                    headers: ["List-Id: Dev <dev.swift.example>"]))
        }
        try await work.synced { session in
            for name in ["a", "b", "c"] { try await session.byHand(.trash, "From \(name)") }
        }
        let found = try await suggested(work)
        #expect(
            found.suggestions.map(\.evidence) == [
                "3 of 3 mails of the list dev.swift.example in 90 days were sent to trash by hand, with opus."
            ])
    }

    @Test("mail that a rule already moves, protected mail, and mail moved back give no suggestion")
    func nothingNew() async throws {
        let rules = [
            "rules:\n  - { id: tidy, when: 'from:bob@acme.example', then: archive }\n",
            "protect:\n  - bob: 'from:bob@acme.example'\nrules: []\n",
        ]
        for rule in rules {
            let work = try workplace(
                ["One", "Two", "Three"], rules: ["10.yaml": "rules-version: 1\n" + rule])
            try await work.synced { session in
                for id in try session.ids("One", "Two", "Three") {
                    let verb = HandVerb(.archive, isForced: true)
                    for plan in try session.byHand.plans(for: verb, ids: [id]) {
                        _ = try await session.byHand.apply(plan, verb: verb)
                    }
                }
            }
            #expect(try await suggested(work).suggestions.isEmpty, "\(rule)")
        }
        let work = try workplace(["One", "Two", "Three"])
        try await work.synced { session in
            for subject in ["One", "Two", "Three"] { try await session.byHand(.archive, subject) }
            for _ in 1...3 {
                let runs = try session.journal.runs(limit: 20).filter { $0.command == "archive" }
                for run in runs {
                    let plan = try session.undo.plan(UndoRequest(run: run.id.description))
                    if !plan.isUndone { _ = try await session.undo.apply(plan) }
                }
            }
        }
        #expect(try work.names("INBOX").count == 3)
        #expect(try await suggested(work).suggestions.isEmpty)
    }

    @Test("mail moved more than ninety days ago gives no suggestion")
    func old() async throws {
        let work = try workplace(["One", "Two", "Three"])
        try await work.synced { session in
            for subject in ["One", "Two", "Three"] { try await session.byHand(.archive, subject) }
        }
        #expect(try await suggested(work, at: Workplace.tuesday + 89 * Workplace.day).suggestions.count == 1)
        #expect(try await suggested(work, at: Workplace.tuesday + 91 * Workplace.day).suggestions.isEmpty)
    }

    // MARK: Exceptions

    private static func rule(_ unless: String = "") -> [String: String] {
        [
            "10.yaml":
                "rules-version: 1\nrules:\n  - id: pay\n    when: subject:invoice\n\(unless)    then: archive\n"
        ]
    }

    private func suggestions(afterUndoing rules: [String: String], count: Int) async throws -> RuleSuggestions
    {
        let work = try workplace((1...3).map { "Invoice \($0)" }, rules: rules)
        try await work.run()
        #expect(try work.names("Archive").count == 3)
        try await work.synced { session in
            for number in 1...count { try await session.byHand(.move(to: "INBOX"), "Invoice \(number)") }
        }
        return try await suggested(work)
    }

    @Test("a rule undone twice for a sender gets an exception with a test")
    func exception() async throws {
        let found = try await suggestions(afterUndoing: Self.rule(), count: 2)
        let suggestion = try #require(found.suggestions.first)
        #expect(found.suggestions.count == 1 && suggestion.rule == "pay" && !suggestion.isNew)
        #expect(suggestion.evidence == "You undid pay for 2 mails of bob@acme.example.")
        #expect(found.diff.contains("+    unless: 'from:bob@acme.example'\n"))
        #expect(found.diff.contains("pay leaves bob@acme.example alone"))
        #expect(try await suggestions(afterUndoing: Self.rule(), count: 1).suggestions.isEmpty)
    }

    @Test("an existing exception is extended, unless it has several lines")
    func existingException() async throws {
        let one = try await suggestions(afterUndoing: Self.rule("    unless: from:@home.example\n"), count: 2)
        #expect(one.diff.contains("+    unless: '(from:@home.example) or from:bob@acme.example'\n"))
        let many = try await suggestions(
            afterUndoing: Self.rule("    unless:\n      any:\n        - from: '@home.example'\n"), count: 2)
        #expect(many.suggestions.isEmpty && many.diff.isEmpty)
        #expect(many.notes.count == 1)
        #expect(
            many.notes.first?.hasSuffix("add 'or from:bob@acme.example' to the exceptions of pay") == true)
    }

    @Test("the suggested file has an unused name")
    func fileName() async throws {
        var rules = Self.none
        rules["95-suggested.yaml"] = "rules-version: 1\n"
        let work = try workplace(["One", "Two", "Three"], rules: rules)
        try await work.synced { session in
            for subject in ["One", "Two", "Three"] { try await session.byHand(.archive, subject) }
        }
        #expect(try await suggested(work).diff.contains("+++ rules/96-suggested.yaml"))
    }
}
