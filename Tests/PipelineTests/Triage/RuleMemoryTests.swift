import MaildirClient
import Models
import Rules
import Testing

@testable import Pipeline

/// What a rule remembers of its mail: it acts once on a message, and leaves a conversation alone where it was taken back.
@Suite("What rules remember")
struct RuleMemoryTests {
    private static let rules = """
        rules-version: 1
        lists: { vendors: [bob@acme.example] }
        rules:
          - id: pay
            when: subject:invoice from:@vendors
            then: archive

        """

    /// After the rule acted on "Invoice 1" and the run was undone.
    private func undone(_ body: (Workplace, Session) async throws -> Void) async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("Invoice 1")
        try await work.run()
        #expect(try work.names("Archive") == ["Invoice-1"])
        try await work.with { session in
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            _ = try await session.sync.account(Workplace.account)
            try await body(work, session)
        }
    }

    private func rewrite(_ work: Workplace, _ old: String, _ new: String) throws {
        try work.write(try work.read("rules/10.yaml").replacing(old, with: new), to: "rules/10.yaml")
    }

    @Test(
        "a rule that set its label moves the message once the missing mailbox exists"
    )
    func mailboxMadeLater() async throws {
        let rule = Self.rules.replacing("then: archive", with: "then: [{ label: bills }, { move: Bills }]")
        let work = try Workplace(rules: ["10.yaml": rule])
        try work.deliver("Invoice 1")
        try await work.run()
        try await work.with { session in
            let later = try session.plan()
            #expect(later.changes == [])
            let report = try await session.triage.apply(later, command: "triage")
            #expect(report.queued == 0)
        }
        try work.client.create(MailboxName("Bills"))
        try await work.run()
        #expect(try work.names("Bills") == ["Invoice-1"])
    }

    @Test("a renamed rule is still the rule that was undone")
    func renamed() async throws {
        try await undone { work, session in
            try rewrite(work, "id: pay", "id: bills")
            #expect(try session.plan().changes.isEmpty)
        }
    }

    @Test("a new address in a list, a comment or a description does not make another rule")
    func sameRule() async throws {
        try await undone { work, session in
            try rewrite(work, "[bob@acme.example]", "[bob@acme.example, carl@acme.example]")
            try rewrite(work, "id: pay", "id: pay   # bills\n    description: Bills.")
            #expect(try session.plan().changes.isEmpty)
        }
    }

    @Test("an edited rule may act again, and its new actions are remembered")
    func edited() async throws {
        try await undone { work, session in
            try rewrite(work, "then: archive", "then: [flag, archive]")
            #expect(try session.plan().changes == ["Invoice 1: flag archive"])
            _ = try await session.triage.apply(try session.plan(), command: "triage")
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            _ = try await session.sync.account(Workplace.account)
            #expect(try session.plan().changes.isEmpty)
            try rewrite(work, "then: [flag, archive]", "then: archive")
            #expect(
                try session.plan().changes.isEmpty, "as it was first, it was taken back too")
        }
    }

    @Test("later mail of the conversation is left alone too, but no other mail")
    func conversation() async throws {
        try await undone { work, session in
            try work.deliver(SampleMail(subject: "Re: Invoice 1", answers: "Invoice 1"))
            try work.deliver("Invoice 2")
            _ = try await session.sync.account(Workplace.account)
            #expect(try session.plan().changes == ["Invoice 2: archive"])
            #expect(
                try session.planAgain().changes.map { $0.prefix { $0 != ":" } } == [
                    "Invoice 1", "Invoice 2", "Re",
                ])
        }
    }

    @Test("a message that the user moved back is left alone by its rule")
    func broughtBack() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("Invoice 1")
        try await work.run()
        try work.moveElsewhere("Invoice 1", from: "Archive", to: "INBOX")
        #expect(try await work.run().reports.allSatisfy { $0.queued == 0 })
        #expect(try work.names("INBOX") == ["Invoice-1"])
        try await work.with { session in
            let note = try session.rules.explain(try session.ids("Invoice 1")[0], rule: "pay").rules.first?
                .note
            #expect(note == "has matched this message before, and acts once")
        }
    }

    @Test("with --again, a rule repeats what was undone, including its task")
    func again() async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        try await work.with { session in
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            #expect(try session.tasks.files().files.isEmpty)
            let plan = try session.planAgain()
            #expect(plan.changes == ["A question: task"])
            let report = try await session.triage.apply(plan, command: "triage", isAgain: true)
            #expect(report.drain.failures.isEmpty)
            #expect(try session.tasks.files().files.map(\.todo.summary) == ["Answer A question"])
        }
    }
}
