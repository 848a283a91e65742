import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Undo: which run it takes back, how much of it, and what it leaves.
@Suite("Undo")
struct UndoTests {
    private func applied(_ subjects: [String], _ body: (Workplace, Session) async throws -> Void) async throws
    {
        let work = try Workplace()
        for subject in subjects { try work.deliver(subject) }
        try await work.run()
        try await work.with { try await body(work, $0) }
    }

    @Test("the last run is taken back whole, and once")
    func last() async throws {
        try await applied(["Invoice 1", "A weekly letter"]) { work, session in
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(plan.changes > 0 && !plan.isUndone && plan.unsynced == nil)
            let report = try await session.undo.apply(plan)
            #expect(report.drain.failures.isEmpty)
            #expect(try work.names("INBOX") == ["A-weekly-letter", "Invoice-1"])
            #expect(try session.tasks.files().files.isEmpty)
            let again = try session.undo.plan(UndoRequest(run: plan.run.id.description))
            let run = try #require(report.run)
            #expect(again.isUndone && again.undoneBy == [run])
        }
    }

    @Test("one rule of a run is taken back, and the others stay")
    func oneRule() async throws {
        try await applied(["Invoice 1", "A weekly letter"]) { work, session in
            let plan = try session.undo.plan(UndoRequest(rule: "later"))
            _ = try await session.undo.apply(plan)
            #expect(try work.names("INBOX") == ["A-weekly-letter"])
            #expect(try work.names("Archive") == ["Invoice-1"])
        }
    }

    @Test("what cannot be meant is refused with the reason")
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

    @Test("without a run that changed something there is nothing to undo")
    func nothing() async throws {
        let work = try Workplace()
        try await work.with { session in
            #expect(TriageTests.refusal { try session.undo.plan(UndoRequest()) } == "nothing-to-undo 66")
        }
    }

    @Test("a task that was edited since stays, unless it is forced")
    func editedTask() async throws {
        try await applied(["A question"]) { work, session in
            try work.edit("question") { $0.replacing("Answer", with: "Think about") }
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(plan.hasLeftovers && plan.changes == 0)
            let forced = try await session.undo.freshPlan(UndoRequest(isForced: true))
            #expect(forced.changes > 0)
        }
    }

    @Test("a change of a task by hand is a run of its own, and is taken back")
    func ownTask() async throws {
        let work = try Workplace()
        try await work.with { session in
            _ = try session.taskChanges.add(
                Todo(id: Tasks.newID(), list: .next, summary: "Pay the rent"), command: "task add")
            let plan = try session.undo.plan(UndoRequest())
            #expect(plan.run.account == .tasks && plan.run.command == "task add")
            _ = try await session.undo.apply(plan)
            #expect(try session.tasks.files().files.isEmpty)
        }
    }
}
