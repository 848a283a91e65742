import Models
import Testing

@testable import Pipeline

/// The journal as people read it: runs, what waits, and how a message is named.
@Suite("Journal")
struct JournalTests {
    @Test("a run is listed with its command and the results of its steps")
    func runs() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        try await work.run()
        try await work.with { session in
            #expect(try session.journal.hasRunOnMail())
            let line = try #require(try session.journal.runs(limit: 9).first)
            #expect(line.command == "run" && line.open == 0 && line.failed == 0 && line.confirmed > 0)
            let (same, steps) = try session.journal.run(line.id.description)
            #expect(same.id == line.id && steps.count == line.confirmed)
            #expect(try session.journal.run("\(line.id.rawValue)").line.id == line.id)
        }
    }

    @Test("a run on tasks only does not count as a run on mail")
    func tasksAlone() async throws {
        let work = try Workplace()
        try await work.with { session in
            _ = try session.taskChanges.add(
                Todo(id: Tasks.newID(), list: .next, summary: "Pay"), command: "task add")
            #expect(try !session.journal.hasRunOnMail())
            #expect(try session.journal.runs(limit: 9).map(\.accounts) == [[.tasks]])
        }
    }

    @Test("an account without open steps is clear, and tasks are not listed")
    func status() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        try await work.run()
        try await work.with { session in
            let statuses = try session.journal.statuses(named: nil)
            #expect(statuses.map(\.account) == [AccountID("work")])
            #expect(statuses.allSatisfy { $0.isClear && $0.lastSync != nil && $0.interrupted.isEmpty })
            #expect(try session.journal.interrupted(of: AccountID("work")).isEmpty)
        }
    }

    @Test("runs are listed newest first up to a limit, and an undo names the run that it undid")
    func order() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Hello")
        try await work.run()
        try await work.with { session in
            try await session.byHand(.flag, "Hello")
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest(run: "1")))
            let lines = try session.journal.runs(limit: 9)
            #expect(lines.map(\.command) == ["undo", "flag", "run"])
            #expect(lines.map(\.undoes?.rawValue) == [1, nil, nil])
            #expect(try session.journal.runs(limit: 2).map(\.command) == ["undo", "flag"])
            #expect(try session.journal.run("r:0001").line.command == "run")
        }
    }

    /// A run that ended before it did any of its steps.
    private func interrupted(_ body: (Workplace, Session) async throws -> Void) async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Hello")
        try await work.synced { session in try session.interrupt(try session.plan()) }
        try await work.with(at: Workplace.tuesday + 60) { try await body(work, $0) }
    }

    @Test("an interrupted run continues only after confirmation")
    func finish() async throws {
        try await interrupted { work, session in
            let account = Workplace.account
            #expect(try await session.journal.deliver(account).drain.confirmed.isEmpty)
            #expect(try session.tasks.files().files.isEmpty)
            let left = try session.journal.interrupted(of: account)
            #expect(left.map(\.run.command) == ["triage"] && left.map(\.steps.count) == [2])
            #expect(try session.journal.status(of: account).interrupted == left.map(\.run.id))
            let report = try await session.journal.finish(left, of: account)
            #expect(report.exit == .done && report.drain.confirmed.count == 2)
            #expect(try session.journal.interrupted(of: account).isEmpty)
            #expect(try work.names("Archive") == ["Invoice-1"])
            #expect(try session.tasks.files().files.map(\.todo.summary) == ["Pay Invoice 1"])
        }
    }

    @Test("an interrupted run is undone if none of its steps happened")
    func undo() async throws {
        try await interrupted { work, session in
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(plan.lines.map(\.fate) == [.cancelled, .cancelled] && plan.changes == 2)
            _ = try await session.undo.apply(plan)
            #expect(try session.journal.interrupted(of: Workplace.account).isEmpty)
            #expect(try session.journal.status(of: Workplace.account).isClear)
            #expect(try await session.journal.deliver(Workplace.account).drain.confirmed.isEmpty)
            #expect(try work.names("INBOX") == ["Hello", "Invoice-1"])
            #expect(try session.tasks.files().files.isEmpty)
        }
    }

    @Test("messages of an interrupted run are left out of the next plan")
    func heldMessages() async throws {
        try await interrupted { work, session in
            let plan = try session.plan()
            #expect(plan.items.map(\.subject) == ["Hello"] && plan.warnings.count == 1)
        }
    }

    @Test("refused steps are shown for seven days")
    func refusals() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nrules:\n  - { id: pay, when: subject:invoice, then: archive }\n"
        ])
        try work.deliver("Invoice 1")
        try work.deliver(SampleMail(subject: "Invoice 1", from: "eve@x.example"), to: MailboxName("Archive"))
        try await work.run()
        for (days, count) in [(0, 1), (7, 1), (8, 0)] as [(Int64, Int)] {
            try await work.with(at: Workplace.tuesday + days * Workplace.day) { session in
                let status = try session.journal.status(of: Workplace.account)
                #expect(status.refused.count == count && status.isClear == (count == 0), "day \(days)")
                #expect(status.waiting.isEmpty && status.needsWord.isEmpty)
            }
        }
    }

    @Test("each command has its own token: the number of its run")
    func tokens() async throws {
        let work = try Workplace()
        try await work.with { session in
            let before = try CommandToken.next(in: session.store)
            #expect(before == (try CommandToken.next(in: session.store)))
            _ = try session.taskChanges.add(
                Todo(id: Tasks.newID(), list: .next, summary: "Pay"), command: "task add")
            #expect(before != (try CommandToken.next(in: session.store)))
        }
    }
}
