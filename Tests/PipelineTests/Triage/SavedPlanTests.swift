import Documents
import Foundation
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// A plan that was saved, looked at, and applied later.
@Suite("Saved plans")
struct SavedPlanTests {
    private let account = AccountID("work")

    private func saved(_ work: Workplace) async throws -> String {
        let path = work.root + "/plan.json"
        try await work.with { session in
            _ = try await session.sync.account(account)
            try PlanDocument(
                try session.triage.plan(for: account, rules: try session.rules.library()), at: session.now
            ).write(to: path)
        }
        return path
    }

    @Test("the saved plan is applied")
    func roundTrip() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "A question", "A weekly letter", "A notice")
        let path = try await saved(work)
        try await work.with { session in
            let plan = try session.triage.plan(for: account, rules: try session.rules.library())
            #expect(try PlanDocument.read(path).plan == plan)
            #expect(
                try PlanDocument(PlanDocument.read(path).plan, at: session.now).bytes()
                    == Array(Data(contentsOf: URL(filePath: path))))
            let outcome = try await session.triage.applySaved(try PlanDocument.read(path), allowOld: false)
            #expect(outcome.skipped.isEmpty)
            #expect(outcome.report.drain.failures.isEmpty)
        }
        #expect(try work.names("Archive") == ["Invoice-1"])
        #expect(try await work.run().didNothing)
    }

    @Test("a message changed since is skipped with a reason, and the rest is applied")
    func staleness() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Invoice 2", "Invoice 3")
        let path = try await saved(work)
        _ = try work.client.setFlags(.inbox, unique: "100.Invoice-1", add: [.flagged])
        _ = try work.client.move(unique: "100.Invoice-2", from: .inbox, to: MailboxName("Elsewhere"))
        try await work.with { session in
            _ = try await session.sync.account(account)
            let outcome = try await session.triage.applySaved(try PlanDocument.read(path), allowOld: false)
            #expect(
                outcome.skipped.sorted { $0.subject < $1.subject }.map { "\($0.subject): \($0.reason)" } == [
                    "Invoice 1: its flags or labels changed since the plan was made",
                    "Invoice 2: the message was moved or deleted since the plan was made",
                ])
        }
        #expect(try work.names("Archive") == ["Invoice-3"])
        #expect(try work.names("INBOX") == ["Invoice-1"])
    }

    @Test("a plan made with other rules applies nothing")
    func otherRules() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        let path = try await saved(work)
        try work.write(Workplace.rules + "\n# changed\n", to: "rules/10-rules.yaml")
        try await work.with { session in
            let outcome = try await session.triage.applySaved(try PlanDocument.read(path), allowOld: false)
            #expect(outcome.skipped.map(\.reason) == ["the rules changed since the plan was made"])
            #expect(outcome.report.queued == 0)
        }
        #expect(try work.names("INBOX") == ["Invoice-1"])
    }

    @Test("a plan older than a day is applied only with --old")
    func old() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        let path = try await saved(work)
        try await work.with(at: Workplace.tuesday + Workplace.day + 1) { session in
            await #expect(throws: Problem.self) {
                _ = try await session.triage.applySaved(try PlanDocument.read(path), allowOld: false)
            }
            #expect(try work.names("INBOX") == ["Invoice-1"])
            _ = try await session.triage.applySaved(try PlanDocument.read(path), allowOld: true)
        }
        #expect(try work.names("Archive") == ["Invoice-1"])
    }

    @Test("a file that is not a plan is bad data, and a missing file is not found")
    func noPlan() throws {
        let work = try Workplace()
        for text in [
            "", "{}", "[1,2", "{\"schema\":\"opus.plan/2\"}",
            "{\"schema\":\"opus.plan/1\",\"generated\":\"x\"}",
        ] {
            try work.write(text, to: "plan.json")
            #expect(TriageTests.refusal { try PlanDocument.read(work.root + "/plan.json") } == "bad-plan 65")
        }
        #expect(TriageTests.refusal { try PlanDocument.read(work.root + "/none.json") } == "no-plan 66")
    }
}
