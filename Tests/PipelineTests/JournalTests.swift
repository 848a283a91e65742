import Models
import Testing

@testable import Pipeline

/// The journal as people read it: runs, what waits, and how a message is named.
@Suite("Journal")
struct JournalTests {
    @Test("a run is listed with its command and what became of its steps")
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

    @Test("tasks alone are no run on mail")
    func tasksAlone() async throws {
        let work = try Workplace()
        try await work.with { session in
            _ = try session.taskChanges.add(
                Todo(id: Tasks.newID(), list: .next, summary: "Pay"), command: "task add")
            #expect(try !session.journal.hasRunOnMail())
            #expect(try session.journal.runs(limit: 9).map(\.account) == [.tasks])
        }
    }

    @Test("an account where nothing waits is clear, and tasks are named only when something of theirs waits")
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

    @Test("each command has a token of its own, the number that its run will have")
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
