import MaildirClient
import Models
import Rules
import Testing

@testable import Pipeline

/// Why each rule did or did not match, and what runs did with the message.
@Suite("Explaining rules")
struct RuleExplainingTests {
    private static let rules = """
        rules-version: 1
        protect:
          - bills: subject:unpaid
        rules:
          - { id: pay, when: 'subject:invoice from:bob@acme.example', unless: is:flagged, then: archive }
          - { id: rest, when: '*', then: flag }

        """

    private func explained(
        _ subject: String, _ work: Workplace? = nil, rule: String? = nil
    ) async throws -> Explanation {
        let work = try work ?? Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver(subject)
        var found: Explanation?
        try await work.synced { found = try $0.rules.explain(try $0.ids(subject)[0], rule: rule) }
        return try #require(found)
    }

    @Test("each condition shows its result, and the value that the message had instead")
    func conditions() async throws {
        let found = try await explained("Lunch")
        let pay = try #require(found.rules.first)
        #expect(pay.id == "pay" && pay.matched == false && pay.wasReached)
        #expect(pay.conditions.map(\.matched) == [false, true, true])
        #expect(pay.conditions.first?.sawValue == "\"Lunch\"")
        #expect(found.rules.last?.matched == true && found.evaluation.disposition == .keep)
    }

    @Test("a rule below the deciding one is shown as not reached, and a protection is named")
    func decided() async throws {
        let paid = try await explained("Invoice 1")
        #expect(paid.rules.map(\.wasReached) == [true, false])
        #expect(paid.evaluation.disposition == .archive)
        let unpaid = try await explained("Unpaid invoice")
        #expect(unpaid.evaluation.protection == "bills")
        #expect(unpaid.line.facts.subject == "Unpaid invoice")
    }

    @Test("a message of a conversation is explained as triage decides it, with the other messages")
    func conversation() async throws {
        let rules = """
            rules-version: 1
            rules:
              - { id: ask, when: 'subject:ask', then: { task: { title: 'Answer' } } }
              - { id: last, when: 'subject:last', then: archive }

            """
        let work = try Workplace(rules: ["10.yaml": rules])
        try work.deliver(SampleMail(subject: "Ask one", date: Workplace.tuesday - 7_200))
        try work.deliver(SampleMail(subject: "Ask two", answers: "Ask one", date: Workplace.tuesday - 3_600))
        try work.deliver(SampleMail(subject: "The last", answers: "Ask two", date: Workplace.tuesday - 60))
        var found: [[String]] = []
        try await work.synced { session in
            found = try ["Ask one", "Ask two", "The last"].map { subject in
                try session.rules.explain(try session.ids(subject)[0], rule: nil).evaluation.decisions.map {
                    "\($0.rule) \($0.action.name)"
                }
            }
        }
        // The first one gets the only task, and both go to the archive with the last one.
        #expect(found == [["ask task", "last archive"], ["last archive"], ["last archive"]])
    }

    @Test("rules with failing tests are explained, and rules with errors are not")
    func brokenRules() async throws {
        let test = "tests:\n  - { name: t, mail: { from: a@x.org, subject: b }, expect: { rule: none } }\n"
        let failing = try Workplace(rules: ["10.yaml": Self.rules + test])
        #expect(try await explained("Lunch", failing).rules.count == 2)
        let broken = try Workplace(rules: ["10.yaml": "rules:\n  - { id: x, when: sender:a }\n"])
        await #expect(throws: DiagnosticFailure.self) { _ = try await explained("Lunch", broken) }
    }

    @Test("the history has each step with its rule, newest first, and the run that undid it")
    func history() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("Invoice 1")
        try await work.run()
        try await work.with(at: Workplace.tuesday + 60) { session in
            let id = try session.ids("Invoice 1")[0]
            let undo = try #require(
                try await session.undo.apply(try session.undo.plan(UndoRequest())).first)
            _ = try await session.sync.account(Workplace.account)
            let past = try session.rules.explain(id, rule: nil).history
            #expect(past.map(\.step.cause.name) == ["undo", "pay"])
            #expect(past.map(\.at) == [Workplace.tuesday + 60, Workplace.tuesday])
            #expect(past.map(\.undoneBy) == [nil, undo.run])
            #expect(past.map(\.ruleChange) == [.unknown, .same])
            let note = try session.rules.explain(id, rule: "pay").rules.first?.note
            #expect(note == "has matched this message before, and acts once")
            try work.write(Self.rules.replacing("id: pay", with: "id: bills"), to: "rules/10.yaml")
            #expect(try session.rules.explain(id, rule: nil).history.last?.ruleChange == .gone)
        }
    }

    @Test("a message outside any mailbox cannot be judged")
    func gone() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("Lunch")
        try await work.synced { session in
            let id = try session.ids("Lunch")[0]
            try work.client.remove(.inbox, unique: "100.Lunch")
            _ = try await session.sync.account(Workplace.account)
            #expect(TriageTests.refusal { try session.rules.explain(id, rule: nil) } == "gone 66")
        }
    }
}
