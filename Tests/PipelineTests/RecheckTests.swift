import MaildirClient
import Models
import Testing

@testable import Pipeline

/// A plan is checked once more right before it is applied: what is protected by then stays.
@Suite("Plans checked again")
struct RecheckTests {
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

    @Test("nothing changed: nothing is left out")
    func same() async throws {
        let work = try Workplace()
        #expect(try await planned("Invoice 1", work) { _ in }.isEmpty)
    }

    @Test("a rule file that protects the message now holds it")
    func protected() async throws {
        let work = try Workplace()
        let leftOut = try await planned("Invoice 1", work) { _ in
            try work.write(Workplace.rules + "\n" + Self.protection, to: "rules/10-rules.yaml")
        }
        #expect(leftOut.map(\.subject) == ["Invoice 1"])
    }

    @Test("rules that would leave the message now leave it")
    func judgedDifferently() async throws {
        let work = try Workplace()
        let leftOut = try await planned("Invoice 1", work) { _ in
            try work.write("rules-version: 1\nrules: []\n", to: "rules/10-rules.yaml")
        }
        #expect(leftOut.count == 1)
    }

    @Test("a message that somebody moved meanwhile is left out")
    func moved() async throws {
        let work = try Workplace()
        let leftOut = try await planned("Invoice 1", work) { _ in
            try work.client.create(MailboxName("Elsewhere"))
            let entry = try #require(try work.client.list(.inbox).first)
            _ = try work.client.move(unique: entry.unique, from: .inbox, to: MailboxName("Elsewhere"))
        }
        #expect(leftOut.map(\.subject) == ["Invoice 1"])
    }

    @Test("rules that do not check apply nothing")
    func brokenRules() async throws {
        let work = try Workplace()
        await #expect(throws: DiagnosticFailure.self) {
            _ = try await planned("Invoice 1", work) { _ in
                try work.write("rules:\n  - { id: x, when: sender:a }\n", to: "rules/20-more.yaml")
            }
        }
    }
}
