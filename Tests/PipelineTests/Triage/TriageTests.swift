import Documents
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

@Suite("Triage")
struct TriageTests {
    @Test("a plan changes nothing, applying it does, and a second run changes nothing")
    func planApplyAgain() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "A question", "A weekly letter", "A notice", "Hello")
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let library = try session.rules.library()
            let plan = try session.triage.plan(for: AccountID("work"), rules: library)
            #expect(plan.items.count == 5)
            #expect(try work.names("INBOX").count == 5)
            #expect(try session.tasks.files().files.isEmpty)
            let report = try await session.triage.apply(plan, command: "triage")
            #expect(report.drain.failures.isEmpty)
        }
        #expect(try work.names("INBOX") == ["A-notice", "A-question", "Hello"])
        #expect(try work.names("Archive") == ["Invoice-1"])
        #expect(try work.names("Deferred") == ["A-weekly-letter"])
        #expect(try work.client.list(.inbox).flatMap(\.keywords) == [Keyword("notices")])
        #expect(try await work.run().didNothing)
    }

    @Test("the same inbox and rules give the same plan, byte for byte, also in another session")
    func sameBytes() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "A question", "A weekly letter", flags: [.seen, .flagged, .answered])
        var documents: [[UInt8]] = []
        for _ in 1...2 {
            try await work.with { session in
                _ = try await session.sync.account(AccountID("work"))
                let library = try session.rules.library()
                for _ in 1...2 {
                    let plan = try session.triage.plan(for: AccountID("work"), rules: library)
                    documents.append(try PlanDocument(plan, at: session.now).bytes())
                }
            }
        }
        #expect(documents.count == 4)
        #expect(Set(documents).count == 1)
        #expect(documents.first?.isEmpty == false)
    }

    @Test("a limit takes the newest messages and reports the number of the others")
    func limit() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Invoice 2", "Invoice 3")
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let plan = try session.triage.plan(
                for: AccountID("work"), rules: try session.rules.library(), limit: 1)
            #expect(plan.items.count == 1)
            #expect(plan.warnings.contains { $0.hasPrefix("2 more messages wait for the next run") })
        }
    }

    @Test("rules with errors stop triage")
    func brokenRules() async throws {
        let work = try Workplace(rules: [
            "10.yaml": Workplace.rules, "20.yaml": "rules:\n  - { id: x, when: sender:a }\n",
        ])
        await #expect(throws: DiagnosticFailure.self) {
            try await work.with { _ = try $0.rules.library() }
        }
    }

    @Test("a failing rule test stops triage")
    func failingTests() async throws {
        let test = """

            tests:
              - name: wrong on purpose
                mail: { from: bob@acme.example, subject: Invoice 7 }
                expect: { rule: none }

            """
        let work = try Workplace(rules: ["10.yaml": Workplace.rules + test])
        await #expect(throws: FailingRuleTests.self) {
            try await work.with { _ = try $0.rules.library() }
        }
    }

    @Test("an object is found by the beginning of its id, and an error gives the reason")
    func ids() async throws {
        let work = try Workplace()
        for number in 1...40 { try work.deliver("Hello \(number)") }
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let lines = try session.messages.list(account: nil, folder: nil, everywhere: false, matching: nil)
            let first = try #require(lines.first)
            for typed in [
                first.shortID, "m:" + first.shortID, first.facts.id.rawValue, first.shortID.uppercased(),
            ] {
                #expect(try session.messages.view(typed).line.facts.id == first.facts.id)
            }
            let letters = Dictionary(grouping: lines) { $0.facts.id.rawValue.prefix(1) }
            // A number is a row of the last list.
            let shared = try #require(
                letters.first { $0.value.count > 1 && !$0.key.allSatisfy(\.isNumber) }?.key)
            #expect(Self.refusal { try session.messages.view(String(shared)) } == "ambiguous-id 64")
            #expect(Self.refusal { try session.messages.view("m:zzzzzzzzzz") } == "no-such-message 66")
            for typed in ["", "m:", "not an id", "ü", "7k2q'; --", "../x"] {
                #expect(Self.refusal { try session.messages.view(typed) } == "bad-id 64")
            }
            #expect(Self.refusal { try session.journal.run("r:abc") } == "bad-id 64")
            #expect(Self.refusal { try session.journal.run("r:0099") } == "no-such-run 66")
            #expect(Self.refusal { try session.tasks.task("t:zzzz") } == "no-such-task 66")
            #expect(Self.refusal { try session.tasks.task("") } == "no-such-task 66")
            #expect(Self.refusal { try session.accounts.ids(named: "nobody") } == "no-such-account 66")
            #expect(
                Self.refusal {
                    try session.messages.list(
                        account: nil, folder: "Nowhere", everywhere: false, matching: nil)
                }
                    == "no-such-mailbox 66")
        }
    }

    @Test("notices of rules are reported with the message id, and change no mail")
    func notices() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nrules:\n"
                + "  - { id: tell, when: subject:fire, then: { notify: 'Fire: {{subject}}' } }\n"
                + "  - { id: leave, when: subject:sale, then: unsubscribe }\n"
        ])
        try work.deliver("Fire 1", "Hello")
        try work.deliver(
            SampleMail(subject: "Sale 1", headers: ["List-Unsubscribe: <mailto:leave@shop.example>"]))
        try await work.synced { session in
            let ids = try session.ids("Fire 1", "Sale 1")
            let report = try await work.applyRules(session)
            #expect(
                report.notices.sorted() == [
                    "Fire: Fire 1  (opus show \(ids[0]))",
                    "leave this list? Sale 1  (opus unsubscribe \(ids[1]))",
                ])
            #expect(report.queued == 0 && !report.didNothing)
            #expect(try await work.applyRules(session).notices.isEmpty, "each is told once")
        }
        #expect(try work.names("INBOX").count == 3)
    }

    @Test("a match of a rule that only keeps is counted once for each message")
    func hits() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nrules:\n"
                + "  - { id: stay, when: subject:lunch, then: keep }\n"
                + "  - { id: later, when: '*', then: keep }\n"
        ])
        try work.deliver("Lunch", "Hello")
        try await work.synced { session in
            let library = try session.rules.library()
            let plan = try session.plan()
            try session.triage.noteMatches(of: plan, library)
            try session.triage.noteMatches(of: plan, library)
            let lines = try session.rules.statistics(library, account: nil)
            #expect(lines.map(\.hits) == [1, 1], "a message counts once")
        }
    }

    @Test("two mails with one Message-ID make a task each, and a second run makes none")
    func oneMessageID() async throws {
        let work = try Workplace()
        for (subject, name) in [("Question A", "100.a"), ("Question B", "100.b")] {
            let text =
                "From: \(name)@x.example\r\nTo: ana@acme.example\r\nSubject: \(subject)\r\n"
                + "Message-ID: <same@x>\r\nDate: Tue, 10 Mar 2026 07:00:00 +0000\r\n\r\nHi.\r\n"
            _ = try work.client.addMessage(
                to: .inbox, message: Array(text.utf8), unique: name, received: Workplace.tuesday)
        }
        for _ in 1...2 {
            try await work.run()
            try await work.with { session in
                let titles = try session.tasks.files().files.map(\.todo.summary).sorted()
                #expect(titles == ["Answer Question A", "Answer Question B"])
            }
        }
    }

    @Test(
        "a plan is applied as shown, even if its rules were edited since")
    func rulesEdited() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        try await work.synced { session in
            let plan = try session.plan()
            try work.write("rules-version: 1\nrules: []\n", to: "rules/10-rules.yaml")
            let report = try await session.triage.apply(plan, command: "triage")
            #expect(report.drain.failures.isEmpty)
            let past = try session.rules.explain(try session.ids("Invoice 1")[0], rule: nil).history
            #expect(!past.isEmpty && past.allSatisfy { $0.ruleChange == .unknown })
        }
        #expect(try work.names("Archive") == ["Invoice-1"])
    }

    /// `code exit` of the problem that is thrown.
    static func refusal(_ body: () throws -> some Any) -> String {
        do {
            _ = try body()
            return "no refusal"
        } catch {
            let problem = Problem(error)
            return "\(problem.code) \(problem.exit.rawValue)"
        }
    }
}
