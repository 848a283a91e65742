import Foundation
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// A plan is checked once more right before it is applied: what is protected by then stays.
@Suite("Plans checked again")
struct PlanRecheckTests {
    private static let protection = "protect:\n  - name: bills\n    when: subject:invoice\n"

    private func planned(
        _ subjects: String, _ work: Workplace, _ change: (Session) async throws -> Void
    ) async throws -> [(subject: String, reason: String)] {
        try work.deliver(subjects)
        var found: [(String, String)] = []
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let plan = try session.triage.plan(for: AccountID("work"), rules: try session.rules.library())
            #expect(plan.items.contains { !$0.isUntouched })
            try await change(session)
            let (checked, leftOut) = try await session.triage.rechecked(plan)
            found = leftOut.map { ($0.subject, $0.reason) }
            #expect(checked.items.filter { !$0.isUntouched }.isEmpty == !found.isEmpty)
        }
        return found
    }

    @Test("without changes, the whole plan is applied")
    func same() async throws {
        let work = try Workplace()
        #expect(try await planned("Invoice 1", work) { _ in }.isEmpty)
    }

    @Test("a message that a rule file now protects is left out")
    func protected() async throws {
        let work = try Workplace()
        let leftOut = try await planned("Invoice 1", work) { _ in
            try work.write(Workplace.rules + "\n" + Self.protection, to: "rules/10-rules.yaml")
        }
        #expect(leftOut.map(\.subject) == ["Invoice 1"])
    }

    @Test("a message that the rules would now leave is left out")
    func judgedDifferently() async throws {
        let work = try Workplace()
        let leftOut = try await planned("Invoice 1", work) { _ in
            try work.write("rules-version: 1\nrules: []\n", to: "rules/10-rules.yaml")
        }
        #expect(leftOut.count == 1)
    }

    @Test("a message moved in the meantime is left out")
    func moved() async throws {
        let work = try Workplace()
        let leftOut = try await planned("Invoice 1", work) { _ in
            try work.client.create(MailboxName("Elsewhere"))
            let entry = try #require(try work.client.list(.inbox).first)
            _ = try work.client.move(unique: entry.unique, from: .inbox, to: MailboxName("Elsewhere"))
        }
        #expect(leftOut.map(\.subject) == ["Invoice 1"])
    }

    @Test("if the rules have errors, nothing is applied")
    func brokenRules() async throws {
        let work = try Workplace()
        await #expect(throws: DiagnosticFailure.self) {
            _ = try await planned("Invoice 1", work) { _ in
                try work.write("rules:\n  - { id: x, when: sender:a }\n", to: "rules/20-more.yaml")
            }
        }
    }

    @Test("an older protected message stays when the newer one of the conversation moves")
    func memberProtected() async throws {
        let work = try Workplace()
        try work.deliver(SampleMail(subject: "Hello", date: Workplace.tuesday - 7_200))
        try work.deliver(SampleMail(subject: "Invoice 1", answers: "Hello"))
        try await work.synced { session in
            let plan = try session.plan()
            #expect(plan.items.first { $0.subject == "Invoice 1" }?.threadKeys.count == 1)
            try work.write(
                Workplace.rules + "\nprotect:\n  - greetings: subject:hello\n", to: "rules/10-rules.yaml")
            let (checked, leftOut) = try await session.triage.rechecked(plan)
            #expect(
                leftOut.map(\.reason) == ["an older message of its thread is protected now: greetings"])
            _ = try await session.triage.apply(checked, command: "triage")
        }
        #expect(try work.names("INBOX") == ["Hello"])
        #expect(try work.names("Archive") == ["Invoice-1"])
    }

    @Test("a message marked in the meantime is left out with that reason")
    func marked() async throws {
        let work = try Workplace()
        let leftOut = try await planned("Invoice 1", work) { _ in
            _ = try work.client.setFlags(.inbox, unique: "100.Invoice-1", add: [.flagged])
        }
        #expect(leftOut.map(\.reason) == ["its flags or labels changed since the plan was made"])
    }

    @Test("a new task protects its message, if the rules say so")
    func taskMade() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nprotect:\n  - work: has:open-task\n"
                + "rules:\n  - { id: pay, when: subject:invoice, then: archive }\n"
        ])
        let leftOut = try await planned("Invoice 1", work) { session in
            let report = try await session.taskMail.make(
                TodoDraft(summary: "Pay"), of: try session.ids("Invoice 1")[0])
            #expect(report.drain.failures.isEmpty)
        }
        #expect(leftOut.map(\.reason) == ["it is protected now: work"])
    }

    @Test("a task moved to a protected list protects its mail, if the rules say so")
    func taskMoved() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nprotect:\n  - held: task:list:waiting\nrules:\n"
                + "  - { id: ask, when: 'subject:question -has:open-task', then: { task: Answer } }\n"
                + "  - { id: put, when: has:open-task, then: archive }\n"
        ])
        try work.deliver("A question")
        try await work.run()
        try await work.synced { session in
            let plan = try session.plan()
            #expect(plan.changes == ["A question: archive"])
            let file = try #require(try session.tasks.files().files.first)
            let name = try #require(file.path.split(separator: "/").last)
            let text = try work.read("tasks/" + file.path)
            try work.write(text, to: "tasks/waiting/" + name)
            try FileManager.default.removeItem(atPath: work.root + "/tasks/" + file.path)
            let (checked, leftOut) = try await session.triage.rechecked(plan)
            #expect(leftOut.map(\.reason) == ["it is protected now: held"])
            #expect(checked.changes.isEmpty)
        }
    }

    @Test("after the rules were edited, a plan for old mail applies nothing")
    func historyOfOtherRules() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Notice 1")
        try await work.synced { session in
            let plan = try session.plan(over: "*")
            let (same, none) = try await session.triage.rechecked(plan, isHistory: true)
            #expect(same.changes == plan.changes && none.isEmpty)
            try work.write(Workplace.rules + "\n# changed\n", to: "rules/10-rules.yaml")
            let (checked, leftOut) = try await session.triage.rechecked(plan, isHistory: true)
            #expect(checked.changes.isEmpty)
            #expect(Set(leftOut.map(\.reason)) == ["the rules changed since the plan was made"])
        }
    }

    @Test("a plan made with --again is also checked with --again")
    func again() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        try await work.run()
        try await work.with { session in
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            _ = try await session.sync.account(Workplace.account)
            let plan = try session.planAgain()
            #expect(plan.changes == ["Invoice 1: task archive"])
            let (checked, leftOut) = try await session.triage.rechecked(plan, isAgain: true)
            #expect(checked.changes == plan.changes && leftOut.isEmpty)
            let (first, held) = try await session.triage.rechecked(plan)
            #expect(first.changes.isEmpty && held.count == 1)
        }
    }

    @Test("if the account cannot be reached, the plan is checked against the store")
    func unreachable() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        var shown: Plan?
        try await work.synced { shown = try $0.plan() }
        let plan = try #require(shown)
        try await work.offline {
            try await work.with { session in
                let (checked, leftOut) = try await session.triage.rechecked(plan)
                #expect(checked.changes == plan.changes && leftOut.isEmpty)
            }
        }
    }
}
