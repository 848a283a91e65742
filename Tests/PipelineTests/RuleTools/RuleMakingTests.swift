import MaildirClient
import Models
import Rules
import Testing

@testable import Pipeline

/// A rule that is made of mail that is there.
@Suite("Making a rule")
struct RuleMakingTests {
    private func made(
        _ mails: [(SampleMail, String)], actions: [String] = [], file: String? = nil,
        rules: [String: String] = ["10.yaml": "rules-version: 1\n"],
        _ check: (Workplace, Session, MadeRule) async throws -> Void
    ) async throws {
        let work = try Workplace(rules: rules)
        for (mail, mailbox) in mails {
            try work.deliver(mail, to: mailbox == "INBOX" ? .inbox : MailboxName(mailbox))
        }
        try await work.synced { session in
            let ids = try mails.map { try session.ids($0.0.subject)[0] }
            try await check(
                work, session, try session.rules.make(from: ids, actions: actions, fileName: file))
        }
    }

    @Test(
        "without an action, the rule does what was done with the mail",
        arguments: [
            (["INBOX"], "archive"), (["Archive"], "archive"), (["Trash"], "trash"), (["Junk"], "junk"),
            (["Projects"], "move: 'Projects'"), (["Trash", "Archive"], "archive"),
            (["Projects", "INBOX", "INBOX"], "move: 'Projects'"),
            (["Trash", "Projects", "Projects"], "move: 'Projects'"),
        ])
    func usualAction(_ mailboxes: [String], _ action: String) async throws {
        let mails = mailboxes.enumerated().map { (SampleMail(subject: "Lunch \($0.offset)"), $0.element) }
        try await made(mails) { work, session, rule in
            #expect(rule.text.contains(action), "\(rule.text)")
            try rule.write(to: work.root + "/rules/20.yaml")
            #expect(try session.rules.library().rules.ruleCount == 1, "its tests pass")
        }
    }

    @Test("mail that was filed in different ways needs an action")
    func unclearAction() async throws {
        let mails = ["Trash", "Projects"].enumerated().map {
            (SampleMail(subject: "Lunch \($0.offset)"), $0.element)
        }
        await #expect(throws: Problem.self) { try await made(mails) { _, _, _ in } }
    }

    @Test("the rule tests the list, else the common domain")
    func conditions() async throws {
        let list = ["List-Id: Swift <dev.swift.example>"]
        let first = SampleMail(subject: "One", from: "a@x.example", headers: list)
        let second = SampleMail(subject: "Two", from: "b@y.example", headers: list)
        try await made([(first, "INBOX"), (second, "INBOX")]) { _, _, rule in
            #expect(rule.text.contains("list-id: { contains: 'dev.swift.example' }"))
            #expect(!rule.text.contains("from: '@"))
        }
        let others = [
            SampleMail(subject: "One", from: "a@x.example"), SampleMail(subject: "Two", from: "b@x.example"),
        ]
        try await made(others.map { ($0, "INBOX") }, actions: ["flag"]) { work, session, rule in
            try rule.write(to: work.root + "/rules/20.yaml")
            try work.deliver(SampleMail(subject: "Three", from: "c@x.example"), to: .inbox)
            try work.deliver(SampleMail(subject: "Four", from: "c@y.example"), to: .inbox)
            _ = try await session.sync.account(Workplace.account)
            #expect(try session.plan().changes == ["One: flag", "Three: flag", "Two: flag"])
        }
    }

    @Test("a used id gets a number")
    func takenID() async throws {
        try await made([(SampleMail(subject: "Lunch"), "INBOX")]) { work, session, first in
            try first.write(to: work.root + "/rules/20.yaml")
            let second = try session.rules.make(
                from: try session.ids("Lunch"), actions: ["flag"], fileName: "30.yaml")
            #expect(second.id == first.id + "-2")
        }
    }

    @Test("an earlier rule that takes the mail is reported, and a file before it avoids that")
    func interference() async throws {
        let rules = ["10.yaml": Workplace.rules]
        let mails = [(SampleMail(subject: "Invoice 1"), "INBOX")]
        try await made(mails, actions: ["trash"], file: "90.yaml", rules: rules) { _, _, rule in
            let note = try #require(rule.notes.first)
            #expect(
                note.contains("pay") && note.hasSuffix("put it into a file that is read before the others"))
        }
        try await made(mails, actions: ["trash"], file: "05.yaml", rules: rules) { _, _, rule in
            #expect(rule.notes.isEmpty)
        }
    }

    @Test("a test of another file that would fail is reported")
    func consequence() async throws {
        let tests = """

            tests:
              - name: an invoice is paid
                mail: { from: bob@acme.example, subject: Invoice 7 }
                expect: { rule: pay }

            """
        try await made(
            [(SampleMail(subject: "Invoice 1"), "INBOX")], actions: ["trash"], file: "05.yaml",
            rules: ["10.yaml": Workplace.rules + tests]
        ) { _, _, rule in
            #expect(rule.notes.count == 1)
            #expect(rule.notes.first?.contains("an invoice is paid") == true)
        }
    }

    @Test("a second destination, an invalid label, missing mail and broken rules are refused")
    func refusals() async throws {
        try await made([(SampleMail(subject: "Lunch"), "INBOX")]) { work, session, _ in
            let ids = try session.ids("Lunch")
            func refusal(_ actions: [String]) -> String {
                TriageTests.refusal { try session.rules.make(from: ids, actions: actions, fileName: nil) }
            }
            #expect(refusal(["archive", "trash"]) == "bad-action 64")
            #expect(refusal(["label: two words"]) == "bad-action 64")
            try work.client.remove(.inbox, unique: "100.Lunch")
            _ = try await session.sync.account(Workplace.account)
            #expect(refusal(["archive"]) == "gone 66")
            try work.write("rules:\n  - { id: x, when: sender:a }\n", to: "rules/20.yaml")
            #expect(throws: DiagnosticFailure.self) {
                try session.rules.make(from: ids, actions: ["archive"], fileName: nil)
            }
        }
    }
}
