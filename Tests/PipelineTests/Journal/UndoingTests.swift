import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Undo: which run it takes back, how much of it, and what it leaves.
@Suite("Undo")
struct UndoingTests {
    private func applied(_ subjects: [String], _ body: (Workplace, Session) async throws -> Void) async throws
    {
        let work = try Workplace()
        for subject in subjects { try work.deliver(subject) }
        try await work.run()
        try await work.with { try await body(work, $0) }
    }

    @Test("the last run is undone as a whole, and only once")
    func last() async throws {
        try await applied(["Invoice 1", "A weekly letter"]) { work, session in
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(plan.changes > 0 && !plan.isUndone && plan.unsynced == nil)
            let report = try #require(try await session.undo.apply(plan).first)
            #expect(report.drain.failures.isEmpty)
            #expect(try work.names("INBOX") == ["A-weekly-letter", "Invoice-1"])
            #expect(try session.tasks.files().files.isEmpty)
            let again = try session.undo.plan(UndoRequest(run: plan.run.id.description))
            let run = try #require(report.run)
            #expect(again.isUndone && again.undoneBy == [run])
        }
    }

    @Test("one rule of a run is undone, and the others are not")
    func oneRule() async throws {
        try await applied(["Invoice 1", "A weekly letter"]) { work, session in
            let plan = try session.undo.plan(UndoRequest(rule: "later"))
            _ = try await session.undo.apply(plan)
            #expect(try work.names("INBOX") == ["A-weekly-letter"])
            #expect(try work.names("Archive") == ["Invoice-1"])
        }
    }

    @Test("an invalid request is refused with the reason")
    func refusals() async throws {
        try await applied(["Invoice 1"]) { _, session in
            func refusal(_ request: UndoRequest) -> String {
                TriageTests.refusal { try session.undo.plan(request) }
            }
            #expect(refusal(UndoRequest(run: "r:0099")) == "no-such-run 66")
            #expect(refusal(UndoRequest(rule: "none")) == "no-such-rule 66")
            #expect(refusal(UndoRequest(messages: ["zzzz"])) == "no-such-message 66")
            #expect(refusal(UndoRequest(account: "home")) == "no-such-account 66")
        }
    }

    @Test("without a run that changed something, nothing is undone")
    func nothing() async throws {
        let work = try Workplace()
        try await work.with { session in
            #expect(TriageTests.refusal { try session.undo.plan(UndoRequest()) } == "nothing-to-undo 66")
        }
    }

    @Test("a task edited since is kept, unless the undo is forced")
    func editedTask() async throws {
        try await applied(["A question"]) { work, session in
            try work.edit("question") { $0.replacing("Answer", with: "Think about") }
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(plan.hasLeftovers && plan.changes == 0)
            let forced = try await session.undo.freshPlan(UndoRequest(isForced: true))
            #expect(forced.changes > 0)
        }
    }

    @Test("a change of a task by hand is a separate run that can be undone")
    func ownTask() async throws {
        let work = try Workplace()
        try await work.with { session in
            _ = try session.taskChanges.add(
                Todo(id: Tasks.newID(), list: .next, summary: "Pay the rent"), command: "task add")
            let plan = try session.undo.plan(UndoRequest())
            #expect(plan.run.accounts == [.tasks] && plan.run.command == "task add")
            _ = try await session.undo.apply(plan)
            #expect(try session.tasks.files().files.isEmpty)
        }
    }

    @Test("only the steps on the named messages are undone, in the last run that changed them")
    func messages() async throws {
        try await applied(["Invoice 1", "Invoice 2"]) { work, session in
            try await session.byHand(.flag, "Invoice 2")
            let ids = try session.ids("Invoice 1")
            let plan = try await session.undo.freshPlan(UndoRequest(messages: ids))
            #expect(plan.run.command == "run" && plan.changes == 2)
            _ = try await session.undo.apply(plan)
            #expect(try work.names("INBOX") == ["Invoice-1"])
            #expect(try session.tasks.files().files.map(\.todo.summary) == ["Pay Invoice 2"])
            let refusal = TriageTests.refusal {
                try session.undo.plan(UndoRequest(run: "2", messages: ids))
            }
            #expect(refusal == "no-such-message 66")
        }
    }

    @Test("by default, the last run is undone that is neither an undo nor undone")
    func skipsUndoRuns() async throws {
        try await applied(["Invoice 1", "Hello"]) { work, session in
            try await session.byHand(.flag, "Hello")
            for command in ["flag", "run"] {
                let plan = try session.undo.plan(UndoRequest())
                #expect(plan.run.command == command && !plan.isUndone)
                _ = try await session.undo.apply(plan)
                _ = try await session.sync.account(Workplace.account)
            }
            #expect(try work.client.list(.inbox).allSatisfy { $0.flags.isEmpty })
            #expect(try work.names("INBOX") == ["Hello", "Invoice-1"])
        }
    }

    @Test("undoing an undo makes its changes again")
    func redo() async throws {
        try await applied(["Invoice 1"]) { work, session in
            let plan = try session.undo.plan(UndoRequest())
            let report = try #require(try await session.undo.apply(plan).first)
            #expect(try work.names("INBOX") == ["Invoice-1"])
            _ = try await session.sync.account(Workplace.account)
            let run = try #require(report.run)
            let redoing = try session.undo.plan(UndoRequest(run: run.description))
            let redone = try #require(try await session.undo.apply(redoing).first)
            #expect(redone.drain.failures.isEmpty)
            #expect(try work.names("Archive") == ["Invoice-1"])
            #expect(try session.tasks.files().files.count == 1)
        }
    }

    @Test("a message is moved back from its present place, or not at all if it is already back")
    func movedSince() async throws {
        try await applied(["Invoice 1", "Invoice 2"]) { work, session in
            try work.moveElsewhere("Invoice 1", from: "Archive", to: "Projects")
            try work.moveElsewhere("Invoice 2", from: "Archive", to: "INBOX")
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(
                plan.lines.contains { $0.fate == .nothing("it is already back in INBOX") })
            #expect(plan.changes == 3, "two tasks and one move")
            _ = try await session.undo.apply(plan)
            #expect(try work.names("INBOX") == ["Invoice-1", "Invoice-2"])
            #expect(try work.names("Projects").isEmpty)
        }
    }

    @Test("a label of the run is removed, and one that was set since is kept")
    func labels() async throws {
        try await applied(["A notice"]) { work, session in
            _ = try work.client.setFlags(
                .inbox, unique: "100.A-notice", add: [.seen], addKeywords: [Keyword("blue")])
            _ = try await session.undo.apply(try await session.undo.freshPlan(UndoRequest()))
            let entry = try #require(try work.client.list(.inbox).first)
            #expect(entry.keywords == [Keyword("blue")] && entry.flags == [.seen])
        }
    }

    private static let drafting = """
        rules-version: 1
        rules:
          - id: hand
            when: subject:support
            then: [{ delegate: { to: carl@acme.example, note: Yours } }]
          - id: save
            when: has:attachment
            then: save-attachment

        """

    @Test("an unchanged draft and an unchanged saved file of the run are removed")
    func draftAndFile() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.drafting])
        try work.deliver("Support 1")
        try work.deliver(SampleMail(subject: "Scan", file: ("a.pdf", "scan")))
        try await work.run()
        #expect(try work.texts("Drafts").count == 1)
        #expect(try work.read("attachments/a.pdf").contains("scan"))
        try await work.with { session in
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(!plan.hasLeftovers)
            _ = try await session.undo.apply(plan)
        }
        #expect(try work.texts("Drafts").isEmpty)
        #expect(throws: (any Error).self) { try work.read("attachments/a.pdf") }
    }

    @Test("an edited draft and a changed file are kept, with the reason")
    func editedDraftAndFile() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.drafting])
        try work.deliver("Support 1")
        try work.deliver(SampleMail(subject: "Scan", file: ("a.pdf", "scan")))
        try await work.run()
        let drafts = MailboxName("Drafts")
        let draft = try #require(try work.client.list(drafts).first)
        let text = try #require(try work.texts("Drafts").first)
        try work.client.remove(drafts, unique: draft.unique)
        _ = try work.client.addMessage(
            to: drafts, message: Array(text.replacing("Yours", with: "Yours, please").utf8), flags: [.draft],
            unique: "101.edited", received: Workplace.tuesday)
        try work.write("mine", to: "attachments/a.pdf")
        try await work.with { session in
            let plan = try await session.undo.freshPlan(UndoRequest())
            let reasons = plan.lines.compactMap { line -> String? in
                if case .cannot(let reason) = line.fate { reason } else { nil }
            }
            #expect(plan.hasLeftovers && reasons.count == 2)
            #expect(reasons.contains("the draft was edited since: it stays in Drafts"))
            #expect(reasons.contains { $0.hasSuffix("a.pdf was changed since") })
            _ = try await session.undo.apply(plan)
        }
        #expect(try work.texts("Drafts").count == 1)
        #expect(try work.read("attachments/a.pdf") == "mine")
    }

    @Test("undoing a deferral returns the message to the inbox and cancels its return date")
    func deferral() async throws {
        let work = try Workplace()
        try work.deliver("A weekly letter")
        try await work.run()
        try await work.synced { session in
            _ = try await session.undo.apply(try await session.undo.freshPlan(UndoRequest()))
        }
        #expect(try work.names("INBOX") == ["A-weekly-letter"])
        try work.moveElsewhere("A weekly letter", from: "INBOX", to: "Deferred")
        try await work.run(at: Workplace.tuesday + 2 * Workplace.day)
        #expect(try work.names("Deferred") == ["A-weekly-letter"])
    }

    @Test("if the account cannot be reached, the plan says so and uses the last sync")
    func unreachable() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        try await work.run()
        try await work.synced { _ in }
        try await work.offline {
            try await work.with { session in
                let plan = try await session.undo.freshPlan(UndoRequest())
                #expect(plan.unsynced?.code == "unreachable" && plan.changes == 2)
                let report = try #require(try await session.undo.apply(plan).first)
                #expect(report.drain.halt == .offline)
                #expect(try session.tasks.files().files.isEmpty)
            }
        }
        try await work.with { _ = try await $0.journal.deliver(Workplace.account) }
        #expect(try work.names("INBOX") == ["Invoice-1"])
    }

    @Test("with an account, the last run of that account is undone")
    func account() async throws {
        let work = try Workplace()
        let home = try work.addAccount("home")
        _ = try home.addMessage(
            to: .inbox, message: Array("From: a@x.example\r\nSubject: Invoice 9\r\n\r\nHi\r\n".utf8),
            unique: "100.nine", received: Workplace.tuesday)
        try work.deliver("Invoice 1")
        try await work.run()
        try await work.with { session in
            #expect(try session.undo.plan(UndoRequest()).run.accounts == [AccountID("home")])
            let plan = try await session.undo.freshPlan(UndoRequest(account: "work"))
            #expect(plan.run.accounts == [Workplace.account])
            _ = try await session.undo.apply(plan)
        }
        #expect(try work.names("INBOX") == ["Invoice-1"])
        #expect(try home.list(.inbox).isEmpty)
    }

    // MARK: One after the other

    @Test(
        "a second undo undoes the run before, and the last error names the earlier undo")
    func oneAfterTheOther() async throws {
        try await applied(["Invoice 1"]) { work, session in
            try work.deliver("Notice 2")
            _ = try await session.sync.account(Workplace.account)
            _ = try await work.applyRules(session)
            for (run, undoneBy) in [(2, []), (1, []), (2, [3])] as [(Int64, [Int64])] {
                let plan = try await session.undo.freshPlan(UndoRequest())
                #expect(plan.run.id == RunID(rawValue: run))
                #expect(plan.undoneBy.map(\.rawValue) == undoneBy && plan.isUndone != undoneBy.isEmpty)
                _ = try await session.undo.apply(plan)
            }
            #expect(try work.names("INBOX") == ["Invoice-1", "Notice-2"])
        }
    }

    // MARK: Several accounts

    /// Two accounts with an invoice each, after a morning.
    private func morning(
        _ check: (Workplace, Maildir, Session, MorningReport) async throws -> Void
    ) async throws {
        let work = try Workplace()
        let home = try work.addAccount("home")
        _ = try home.addMessage(
            to: .inbox, message: Array("From: a@x.example\r\nSubject: Invoice 9\r\n\r\nHi\r\n".utf8),
            unique: "100.nine", received: Workplace.tuesday)
        try work.deliver("Invoice 1", "Weekly 2")
        try await work.with { session in
            var options = Morning.Options()
            options.appliesAll = true
            var morning = try Morning(session, options, ask: Unattended()) { _ in }
            try await check(work, home, session, try await morning.run())
        }
    }

    private struct Unattended: Ask {
        var isAttended: Bool { false }
        func answer(_ question: Question) -> Answer { .later }
    }

    @Test("a morning with two accounts is undone as one run")
    func wholeMorning() async throws {
        try await morning { work, home, session, report in
            #expect(Set(report.runs.compactMap(\.run)) == [RunID(rawValue: 1)])
            let lines = try session.journal.runs(limit: 9)
            #expect(lines.map(\.id) == [RunID(rawValue: 1)])
            #expect(lines.map(\.accounts) == [[Workplace.account, AccountID("home")]])
            #expect(lines.map(\.command) == ["run"])
            let steps = try session.journal.run("r:0001").steps
            #expect(steps.count { $0.cause != .deferredList } == lines.first?.confirmed)
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(plan.accounts == lines.first?.accounts)
            let undone = try await session.undo.apply(plan)
            #expect(Set(undone.compactMap(\.run)).count == 1)
            #expect(try work.names("INBOX") == ["Invoice-1", "Weekly-2"])
            #expect(try home.list(.inbox).count == 1)
            #expect(try session.tasks.files().files.isEmpty)
            // The undo is one run too, and takes itself back as one.
            let id = try #require(undone.first?.run)
            #expect(try session.undo.plan(UndoRequest()).undoneBy == [id])
            _ = try await session.undo.apply(try await session.undo.freshPlan(UndoRequest(run: "\(id)")))
            #expect(try work.names("INBOX").isEmpty)
            #expect(try home.list(.inbox).isEmpty)
        }
    }

    @Test("one account of a run can be undone alone, and the id of a part means the whole run")
    func partOfMorning() async throws {
        try await morning { work, home, session, _ in
            let whole = try session.undo.plan(UndoRequest(run: "2"))
            #expect(whole.run.id == RunID(rawValue: 1) && whole.parts.count == 2)
            let plan = try await session.undo.freshPlan(UndoRequest(account: "home"))
            #expect(plan.accounts == [AccountID("home")])
            _ = try await session.undo.apply(plan)
            #expect(try home.list(.inbox).count == 1)
            #expect(try work.names("INBOX").isEmpty)
            // The rest is the next to be undone.
            let rest = try await session.undo.freshPlan(UndoRequest())
            #expect(rest.run.id == RunID(rawValue: 1) && rest.changes == 3)
        }
    }

    // MARK: Steps whose answer was lost

    /// Two moves were on their way when opus ended; the account did one of them.
    private func lost(_ check: (Workplace, Session) async throws -> Void) async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nrules:\n  - { id: pay, when: subject:invoice, then: archive }\n"
        ])
        try work.deliver("Invoice 1", "Invoice 2")
        try await work.synced { session in
            try session.lose(try session.interrupt(try session.plan()))
        }
        try work.moveElsewhere("Invoice 1", from: "INBOX", to: "Archive")
        try await work.with(at: Workplace.tuesday + 60) { try await check(work, $0) }
    }

    @Test(
        "after a check of the account, a completed lost move is undone and an incomplete one is cancelled"
    )
    func lostMoves() async throws {
        try await lost { work, session in
            let blind = try session.undo.plan(UndoRequest())
            #expect(blind.hasLeftovers && blind.changes == 0, "what happened is not known without a look")
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(!plan.hasLeftovers && plan.changes == 2)
            #expect(plan.lines.count { $0.fate == .cancelled } == 1)
            let report = try #require(try await session.undo.apply(plan).first)
            #expect(report.drain.failures.isEmpty)
            #expect(try work.names("INBOX") == ["Invoice-1", "Invoice-2"])
            #expect(try work.names("Archive").isEmpty)
            let account = Workplace.account
            #expect(try session.journal.interrupted(of: account).isEmpty)
            #expect(try session.journal.status(of: account).isClear)
            #expect(try await session.journal.deliver(account).drain.confirmed.isEmpty)
            #expect(try work.names("INBOX").count == 2)
        }
    }

    @Test("finishing an interrupted run moves each remaining message once")
    func finishLost() async throws {
        try await lost { work, session in
            let account = Workplace.account
            #expect(try session.journal.status(of: account).waiting.count == 2)
            _ = try await session.sync.account(account)
            let left = try session.journal.interrupted(of: account)
            let report = try await session.journal.finish(left, of: account)
            #expect(report.drain.failures.isEmpty)
            #expect(try work.names("Archive") == ["Invoice-1", "Invoice-2"])
            #expect(try work.names("INBOX").isEmpty)
        }
    }
}
