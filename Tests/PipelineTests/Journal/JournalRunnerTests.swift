import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Steps on their way from the journal to the account, when the account or the disk does not play along.
@Suite("Carrying out steps")
struct JournalRunnerTests {
    private static let account = Workplace.account

    @Test("if the account cannot be reached, task files are written and mail waits")
    func offline() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        var shown: Plan?
        try await work.synced { shown = try $0.plan() }
        let plan = try #require(shown)
        try await work.offline {
            try await work.with { session in
                let report = try await session.triage.apply(plan, command: "run")
                #expect(report.drain.halt == .offline && report.exit == .temporary)
                #expect(try session.tasks.files().files.map(\.todo.summary) == ["Pay Invoice 1"])
                let status = try session.journal.status(of: Self.account)
                #expect(status.waiting.count == 1 && status.interrupted.isEmpty && !status.isClear)
            }
        }
        #expect(try work.names("INBOX") == ["Invoice-1"])
        try await work.with { session in
            let report = try await session.journal.deliver(Self.account)
            #expect(report.exit == .done && report.drain.confirmed.count == 1)
            #expect(try session.journal.status(of: Self.account).isClear)
            #expect(try session.tasks.files().files.count == 1)
        }
        #expect(try work.names("Archive") == ["Invoice-1"])
    }

    @Test(
        "a move that fails for now waits with its reason, and the rest of the plan is done"
    )
    func waits() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "A weekly letter", "A question")
        try await work.blocking("Archive") {
            let result = try await work.run()
            #expect(result.reports.map(\.exit) == [.someFailed])
            #expect(result.failures.count == 1 && result.failures.first?.reason?.isEmpty == false)
        }
        #expect(try work.names("INBOX") == ["A-question", "Invoice-1"])
        #expect(try work.names("Deferred") == ["A-weekly-letter"])
        try await work.with { session in
            #expect(try session.tasks.files().files.count == 2)
            let late = try await session.journal.deliver(Self.account)
            #expect(late.drain.confirmed.count == 1 && late.exit == .done)
        }
        #expect(try work.names("Archive") == ["Invoice-1"])
    }

    @Test("a message that another program moves back before the next sync is found there")
    func putBack() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nrules:\n"
                + "  - { id: pay, when: subject:invoice, then: archive }\n"
                + "  - { id: see, when: subject:notice, then: { mark: read } }\n"
        ])
        try work.deliver("Invoice 1", "Notice 1")
        try work.deliver("Old", to: MailboxName("Archive"))
        try await work.run()
        try work.moveElsewhere("Invoice 1", from: "Archive", to: "INBOX")
        _ = try work.client.setFlags(.inbox, unique: "100.Notice-1", remove: [.seen])
        try await work.synced { session in
            let inbox = try session.messages.list(
                account: nil, folder: nil, everywhere: false, matching: nil)
            #expect(inbox.map(\.facts.subject).sorted() == ["Invoice 1", "Notice 1"])
            #expect(inbox.allSatisfy { $0.isUnread })
            let archive = try session.messages.list(
                account: nil, folder: "archive", everywhere: false, matching: nil)
            #expect(archive.map(\.facts.subject) == ["Old"])
        }
    }

    @Test("a new draft is in the store at once, and the next sync finds nothing new")
    func readBack() async throws {
        let work = try Workplace(rules: [
            "10.yaml":
                "rules-version: 1\nrules:\n  - { id: hand, when: subject:support, then: { delegate: carl@acme.example } }\n"
        ])
        try work.deliver("Support 1")
        try await work.synced { session in
            _ = try await work.applyRules(session)
            let drafts = try session.messages.list(
                account: nil, folder: "drafts", everywhere: false, matching: nil)
            #expect(drafts.count == 1)
            #expect(try await session.sync.account(Self.account).added == 0)
        }
    }

    @Test("only the step of a removed message fails")
    func removedMeanwhile() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Invoice 2")
        try await work.synced { session in
            let plan = try session.plan()
            try work.client.remove(.inbox, unique: "100.Invoice-1")
            let report = try await session.triage.apply(plan, command: "triage")
            #expect(report.drain.failures.count == 1 && report.exit == .someFailed)
        }
        #expect(try work.names("Archive") == ["Invoice-2"])
    }
}
