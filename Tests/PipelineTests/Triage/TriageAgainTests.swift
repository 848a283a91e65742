import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Saved plans that a person edited, or that were made by another clock or other rules.
@Suite("Saved plans applied")
struct TriageAgainTests {
    private func saved(
        _ subjects: [String], isEdited: Bool = false, _ change: (inout Plan) -> Void = { _ in },
        _ body: (Workplace, Session, SavedPlan) async throws -> Void
    ) async throws {
        let work = try Workplace()
        for subject in subjects { try work.deliver(subject) }
        try await work.synced { session in
            var plan = try session.plan()
            change(&plan)
            try await body(
                work, session,
                SavedPlan(plan, generated: session.now, isEdited: isEdited, path: "plan.json"))
        }
    }

    @Test("a plan dated more than a day ahead counts as old, like one more than a day ago")
    func clock() async throws {
        for seconds in [-Workplace.day - 1, Workplace.day + 1] {
            try await saved(["Invoice 1"]) { work, session, saved in
                var saved = saved
                saved.generated = session.now + seconds
                var found: Problem?
                do {
                    _ = try await session.triage.applySaved(saved, allowOld: false)
                } catch let problem as Problem {
                    found = problem
                }
                let problem = try #require(found)
                #expect(problem.code == "old-plan" && problem.exit == .stalePlan)
                #expect(problem.place == "plan.json")
                #expect(problem.next == ["opus triage --out plan.json", "opus apply --old plan.json"])
                #expect(try work.names("INBOX") == ["Invoice-1"])
            }
        }
    }

    @Test("a move that the user added to the plan is applied")
    func edited() async throws {
        let change = { (plan: inout Plan) in
            for index in plan.items.indices where plan.items[index].subject == "Lunch" {
                plan.items[index].decisions = [Plan.Decision(rule: "pay", action: .trash)]
            }
        }
        try await saved(["Invoice 1", "Lunch"], isEdited: true, change) { work, session, saved in
            let outcome = try await session.triage.applySaved(saved, allowOld: false)
            #expect(outcome.skipped.isEmpty)
            #expect(try work.names("Trash") == ["Lunch"])
            #expect(try work.names("Archive") == ["Invoice-1"])
        }
        try await saved(["Invoice 1", "Lunch"], change) { work, session, saved in
            let outcome = try await session.triage.applySaved(saved, allowOld: false)
            #expect(outcome.skipped.map(\.subject) == ["Lunch"])
            #expect(outcome.skipped.map(\.reason) == ["the rules would leave it where it is now"])
            #expect(try work.names("INBOX") == ["Lunch"])
        }
    }

    @Test("an edited plan does not move protected mail")
    func editedAndProtected() async throws {
        try await saved(["Invoice 1", "Invoice 2"], isEdited: true) { work, session, saved in
            _ = try work.client.setFlags(.inbox, unique: "100.Invoice-2", add: [.seen])
            try work.write(
                Workplace.rules + "\nprotect:\n  - bills: subject:\"invoice 1\"\n", to: "rules/10-rules.yaml")
            let library = try session.rules.library()
            var plan = saved.plan
            plan.origin = .rules(digest: library.digest)
            let outcome = try await session.triage.applySaved(
                SavedPlan(plan, generated: session.now, isEdited: true, path: "plan.json"), allowOld: false)
            #expect(
                outcome.skipped.map { "\($0.subject): \($0.reason)" }.sorted() == [
                    "Invoice 1: it is protected now: bills",
                    "Invoice 2: its flags or labels changed since the plan was made",
                ])
            #expect(try work.names("INBOX") == ["Invoice-1", "Invoice-2"])
        }
    }

    @Test("a plan is applied only once")
    func twice() async throws {
        try await saved(["Invoice 1", "A question"]) { work, session, saved in
            _ = try await session.triage.applySaved(saved, allowOld: false)
            let again = try await session.triage.applySaved(saved, allowOld: false)
            #expect(
                again.skipped.map(\.reason) == ["the message was moved or deleted since the plan was made"])
            #expect(try session.tasks.files().files.count == 2)
            #expect(try work.names("Archive") == ["Invoice-1"])
        }
    }

    @Test("a skipped message is named by its short id")
    func names() async throws {
        try await saved(["Invoice 1"]) { work, session, saved in
            let id = try session.ids("Invoice 1")[0]
            _ = try work.client.setFlags(.inbox, unique: "100.Invoice-1", add: [.flagged])
            let outcome = try await session.triage.applySaved(saved, allowOld: false)
            #expect(outcome.skipped.map(\.id) == [id])
        }
    }

    @Test("a saved plan is not applied if the account cannot be reached or a rule test fails")
    func refusals() async throws {
        let test =
            "\ntests:\n  - name: wrong\n    mail: { from: a@x.example, subject: Invoice }\n    expect: { rule: none }\n"
        try await saved(["Invoice 1"]) { work, session, saved in
            try work.write(Workplace.rules + test, to: "rules/10-rules.yaml")
            await #expect(throws: FailingRuleTests.self) {
                _ = try await session.triage.applySaved(saved, allowOld: false)
            }
            #expect(try work.names("INBOX") == ["Invoice-1"])
        }
        let work = try Workplace()
        try work.deliver("Invoice 1")
        var shown: Plan?
        try await work.synced { shown = try $0.plan() }
        let plan = try #require(shown)
        try await work.offline {
            try await work.with { session in
                await #expect(throws: Problem.self) {
                    _ = try await session.triage.applySaved(
                        SavedPlan(plan, generated: session.now, isEdited: false, path: "p"), allowOld: false)
                }
                let runs = try session.journal.runs(limit: 9)
                #expect(runs.isEmpty)
            }
        }
    }
}
