import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Which messages a plan of the inbox judges, and which it leaves out.
@Suite("Planning a triage")
struct TriagePlannerTests {
    private static let lists = """
        rules-version: 1
        rules:
          - id: digest
            mailboxes: [Lists]
            when: subject:digest
            then: archive
          - id: pay
            when: subject:invoice
            then: archive

        """

    @Test("a mailbox named by a rule is triaged too, and shows only changed messages")
    func besideInbox() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.lists])
        try work.deliver("Digest 1", "Other", "Invoice 1", to: MailboxName("Lists"))
        try work.deliver("Digest 2", "Invoice 2")
        try await work.synced { session in
            let plan = try session.plan()
            #expect(plan.changes == ["Digest 1: archive", "Invoice 2: archive"])
            #expect(plan.items.map(\.subject).sorted() == ["Digest 1", "Digest 2", "Invoice 2"])
            _ = try await session.triage.apply(plan, command: "triage")
        }
        #expect(try work.names("Lists") == ["Invoice-1", "Other"])
        #expect(try work.names("INBOX") == ["Digest-2"])
    }

    @Test("a query narrows the plan, also by text that the rules do not read")
    func matching() async throws {
        let work = try Workplace()
        try work.deliver(SampleMail(subject: "Invoice 1", text: "Please pay at once.\r\n"))
        try work.deliver(SampleMail(subject: "Invoice 2", text: "For your files.\r\n"))
        try await work.synced { session in
            let library = try session.rules.library()
            var allowance = try session.rules.sendAllowance()
            let plan = try session.triage.plan(
                for: Workplace.account, rules: library, matching: try session.query("body:once"), limit: nil,
                sending: &allowance)
            #expect(plan.items.map(\.subject) == ["Invoice 1"])
        }
    }

    @Test("a conversation with open steps is left out, and the plan says so")
    func waitingSteps() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        try await work.synced { session in
            try await work.blocking("Archive") {
                let report = try await session.triage.apply(try session.plan(), command: "triage")
                #expect(!report.drain.waiting.isEmpty && report.exit == .someFailed)
            }
            try work.deliver("Invoice 2")
            try work.deliver(SampleMail(subject: "Re: Invoice 1", answers: "Invoice 1"))
            _ = try await session.sync.account(Workplace.account)
            let plan = try session.plan()
            #expect(!plan.items.contains { $0.subject == "Invoice 1" })
            #expect(!plan.items.flatMap(\.threadKeys).contains { $0.key.mailbox == .inbox })
            #expect(plan.changes.contains("Invoice 2: task archive"))
            #expect(
                plan.warnings.contains("1 message waits for steps of an earlier run and was left out"))
        }
    }

    @Test("a mail waits if it would move a message with an open mark")
    func waitingMember() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nrules:\n"
                + "  - { id: put, when: subject:answer, then: archive }\n"
                + "  - { id: mark, when: subject:notice, then: { label: notices } }\n"
        ])
        try work.deliver("Notice 1")
        var shown: Plan?
        try await work.synced { shown = try $0.plan() }
        let plan = try #require(shown)
        try await work.offline {
            try await work.with { _ = try await $0.triage.apply(plan, command: "triage") }
        }
        try work.deliver(SampleMail(subject: "Answer to notice 1", answers: "Notice 1"))
        try await work.synced { session in
            let plan = try session.plan()
            #expect(plan.changes.isEmpty && plan.warnings.count == 1)
            _ = try await session.journal.deliver(Workplace.account)
            let next = try session.plan()
            #expect(next.changes == ["Answer to notice 1: archive"] && next.warnings.isEmpty)
            _ = try await session.triage.apply(next, command: "triage")
        }
        #expect(try work.names("Archive") == ["Answer-to-notice-1", "Notice-1"])
        let archive = try work.client.list(MailboxName("Archive"))
        #expect(archive.flatMap(\.keywords) == [Keyword("notices")])
    }

    @Test("a message whose step failed for good is left out until the next session")
    func refused() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.lists])
        try work.deliver("Invoice 1")
        // Another message has the name in the archive: nothing may be moved over it.
        try work.deliver(SampleMail(subject: "Invoice 1", from: "eve@x.example"), to: MailboxName("Archive"))
        try await work.synced { session in
            let report = try await session.triage.apply(try session.plan(), command: "triage")
            #expect(report.drain.rejected.count == 1 && report.exit == .someFailed)
            #expect(try session.plan().items.isEmpty)
        }
        #expect(try work.names("INBOX") == ["Invoice-1"])
        try await work.with { session in
            let plan = try session.plan()
            #expect(plan.items.map(\.subject) == ["Invoice 1"])
        }
    }

    @Test("the limit keeps the newest messages, and unchanged ones do not count")
    func newest() async throws {
        let work = try Workplace()
        for day in 1...4 {
            try work.deliver(
                SampleMail(subject: "Invoice \(day)", date: Workplace.tuesday - Int64(day) * Workplace.day))
        }
        try work.deliver("Hello")
        try await work.synced { session in
            let plan = try session.plan(limit: 2)
            #expect(plan.changes == ["Invoice 1: task archive", "Invoice 2: task archive"])
            #expect(plan.items.contains { $0.subject == "Hello" })
            #expect(
                plan.warnings == [
                    "2 more messages wait for the next run (--max 2; --max none removes the limit)"
                ])
        }
    }

    @Test("on a server without moves, everything else is planned, with one warning")
    func cannotMove() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Invoice 2")
        try await work.synced { session in
            try session.store.accounts.remember(.no, of: Workplace.account)
            let library = try session.rules.library()
            let plan = try session.plan()
            #expect(plan.changes == ["Invoice 1: task", "Invoice 2: task"])
            #expect(plan.warnings.count == 1)
            #expect(plan.warnings.first?.contains("2 messages stay where they are") == true)
            try session.triage.noteTimers(after: plan, library, limit: nil)
            let again = try session.plan()
            #expect(again.changes == plan.changes && again.warnings.isEmpty)
        }
    }

    @Test("a plan names its mailboxes, the inbox first")
    func versions() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.lists])
        try work.deliver("Digest 1", to: MailboxName("Lists"))
        try work.deliver("Other", to: MailboxName("Elsewhere"))
        try await work.synced { session in
            let plan = try session.plan()
            #expect(plan.mailboxes.map(\.name) == [.inbox, MailboxName("Lists")])
        }
    }

    @Test("an account that is not in opus.yaml has no plan")
    func unknownAccount() async throws {
        let work = try Workplace()
        try await work.with { session in
            let library = try session.rules.library()
            let refusal = TriageTests.refusal {
                try session.triage.plan(for: AccountID("home"), rules: library)
            }
            #expect(refusal == "no-such-account 78")
        }
    }

    // MARK: Rules with a time of their own

    private static let daily = """
        rules-version: 1
        rules:
          - id: sweep
            on: daily 12:00
            when: subject:sweep
            then: archive

        """

    @Test("a scheduled rule runs again only at its next time, or later if that was missed")
    func timers() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.daily])
        func changes(hours: Int64, _ limit: Int? = nil) async throws -> [String] {
            var changes: [String] = []
            try await work.synced(at: Workplace.tuesday + hours * 3_600) { session in
                let plan = try session.plan(limit: limit)
                changes = plan.changes
                try session.triage.noteTimers(after: plan, try session.rules.library(), limit: limit)
            }
            return changes
        }
        try work.deliver("Sweep 1")
        #expect(try await changes(hours: 0) == ["Sweep 1: archive"])
        #expect(try await changes(hours: 1).isEmpty, "it had its turn before noon")
        #expect(try await changes(hours: 4, 1) == ["Sweep 1: archive"], "noon passed")
        #expect(try await changes(hours: 5, 1) == ["Sweep 1: archive"], "a full limit is no turn")
        #expect(try await changes(hours: 6) == ["Sweep 1: archive"])
        #expect(try await changes(hours: 7).isEmpty)
        #expect(try await changes(hours: 60) == ["Sweep 1: archive"], "the time was missed")
    }
}
