import Foundation
import MaildirClient
import Models
import Rules
import Testing

@testable import Pipeline

/// What a person does with rules besides using them.
@Suite("Using rules")
struct RuleUseTests {
    private let account = AccountID("work")

    private func withMail(
        _ subjects: [String], _ body: (Workplace, Session) async throws -> Void
    ) async throws {
        let work = try Workplace()
        for subject in subjects { try work.deliver(subject) }
        try await work.with { session in
            _ = try await session.sync.account(account)
            try await body(work, session)
        }
    }

    private func ids(_ session: Session) throws -> [String] {
        try session.messages.list(account: nil, folder: nil, everywhere: true, matching: nil).map(\.shortID)
    }

    @Test("a rule made from a mail matches it, has tests that pass, and is written only to a new file")
    func make() async throws {
        try await withMail(["Lunch"]) { work, session in
            let made = try session.rules.make(
                from: try ids(session), actions: ["archive"], fileName: "20-lunch.yaml")
            #expect(made.testCount > 0 && made.text.contains("archive"))
            let path = work.root + "/rules/20-lunch.yaml"
            try made.write(to: path)
            #expect(TriageTests.refusal { try made.write(to: path) } == "cannot-write 73")
            let plan = try session.triage.plan(for: account, rules: try session.rules.library())
            #expect(plan.items.first?.decisions.first?.rule == made.id)
        }
    }

    @Test("an unknown action is refused")
    func badAction() async throws {
        try await withMail(["Lunch"]) { _, session in
            let typed = try ids(session)
            let refusal = TriageTests.refusal {
                try session.rules.make(from: typed, actions: ["explode"], fileName: nil)
            }
            #expect(refusal == "bad-action 64")
        }
    }

    @Test("statistics count the actions of a rule, and nothing for a rule without a match")
    func statistics() async throws {
        try await withMail(["Invoice 1", "Invoice 2"]) { work, session in
            _ = try await work.applyRules(session)
            let lines = try session.rules.statistics(try session.rules.library(), account: nil)
            #expect(lines.map(\.rule.id) == ["pay", "ask", "later", "mark"])
            #expect(lines.map(\.hits) == [2, 0, 0, 0] && lines[0].hits7 == 2 && lines[0].last != nil)
            #expect(lines.map(\.reversed) == [0, 0, 0, 0])
        }
    }

    @Test(
        "mail of one sender always archived by hand becomes a suggestion, and no file changes"
    )
    func suggestion() async throws {
        try await withMail(["One", "Two", "Three", "Four"]) { work, session in
            let verb = HandVerb(.archive)
            for plan in try session.byHand.plans(for: verb, ids: try ids(session)) {
                _ = try await session.byHand.apply(plan, verb: verb)
            }
            let found = try session.rules.suggest(try session.rules.library(), account: nil)
            let suggestion = try #require(found.suggestions.first)
            #expect(suggestion.isNew && suggestion.messages.count == 4)
            #expect(suggestion.evidence.contains("bob@acme.example"))
            #expect(found.diff.contains("+++ rules/95-suggested.yaml"))
            #expect(try work.read("rules/10-rules.yaml") == Workplace.rules)
        }
    }

    @Test("a diff names the rule that would act differently, and changes nothing")
    func diff() async throws {
        try await withMail(["Invoice 1", "Lunch"]) { work, session in
            try work.write(
                Workplace.rules.replacing("subject:invoice", with: "subject:lunch"), to: "other/10.yaml")
            let result = try session.rules.diff(
                RuleComparisonRequest(old: work.root + "/other"), directory: work.root)
            #expect(result.messages == 2 && result.different == 2)
            #expect(result.rules.map(\.rule) == ["pay"])
            #expect(result.rules.first?.gained.count == 1 && result.rules.first?.lost.count == 1)
            #expect(try work.names("INBOX") == ["Invoice-1", "Lunch"])
            let refusal = TriageTests.refusal {
                try session.rules.diff(RuleComparisonRequest(old: "no/such"), directory: work.root)
            }
            #expect(refusal == "no-such-version 66")
        }
    }

    @Test("a rule that names an unknown mailbox has a warning")
    func findings() async throws {
        try await withMail(["Lunch"]) { work, session in
            try work.write(
                "rules-version: 1\nrules:\n  - { id: far, when: subject:far, then: [{ move: Nowhere }] }\n",
                to: "rules/20-far.yaml")
            let found = try RuleFindings.ofStore(RuleLibrary.load(session.workspace), work.options())
            #expect(found.map(\.code) == ["R083"])
        }
    }

    @Test("a plan for old mail acts on archived messages")
    func history() async throws {
        let work = try Workplace()
        try work.deliver("A notice", to: MailboxName("Archive"))
        try await work.with { session in
            _ = try await session.sync.account(account)
            let library = try session.rules.library()
            guard case .success(let query) = Query.parse("subject:notice", rules: library.rules) else {
                Issue.record("the query cannot be read")
                return
            }
            var allowance = try session.rules.sendAllowance()
            let plan = try session.triage.plan(
                forHistory: query, account: account, rules: library, limit: nil, sending: &allowance)
            #expect(plan.items.map(\.subject) == ["A notice"])
            let report = try await session.triage.apply(plan, command: "triage")
            #expect(report.drain.failures.isEmpty)
        }
        #expect(try work.client.list(MailboxName("Archive")).flatMap(\.keywords) == [Keyword("notices")])
    }

    @Test("notify reports each new mail once")
    func watchNotices() async throws {
        let work = try Workplace(rules: [
            "10.yaml":
                "rules-version: 1\nrules:\n  - { id: tell, when: subject:fire, then: [{ notify: 'Fire at {{subject}}' }] }\n"
        ])
        try work.deliver("fire before")
        try await work.with { session in
            _ = try await session.sync.account(account)
            let loader = FactLoader(store: session.store)
            let surroundings = Surroundings(
                workspace: session.workspace, store: session.store, loader: loader, clock: session.clock)
            var notices = try WatchNotices(
                loader: loader, surroundings: surroundings, try session.accounts.require(account))
            #expect(try notices.news().isEmpty)
            try work.deliver("fire now", "Lunch")
            _ = try await session.sync.account(account)
            let news = try notices.news()
            #expect(news.count == 1 && news.first?.hasPrefix("Fire at fire now") == true)
            #expect(try notices.news().isEmpty)
        }
    }
}
