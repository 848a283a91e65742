import Documents
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// What rules send by themselves is counted over all that one command plans, and again when a saved plan is applied.
@Suite("Limits on mail sent by rules")
struct SendCapTests {
    private static let rules = """
        rules-version: 1
        rules:
          - id: hand
            mailboxes: [inbox, Lists]
            when: subject:hand
            then:
              - delegate: { to: 'carl@acme.example', send: now }
        """

    private func workplace() throws -> Workplace {
        let work = try Workplace(rules: ["10-rules.yaml": Self.rules])
        let settings = try work.read("opus.yaml")
        try work.write(
            settings + "  - name: home\n    address: ana@home.example\n    maildir: Home\n"
                + "allow-send: true\nsend: { max-per-hour: 3, max-per-recipient-per-hour: 9 }\n",
            to: "opus.yaml")
        return work
    }

    private func sending(_ plan: Plan) -> [Delegation.Sending] {
        plan.items.flatMap(\.decisions).compactMap {
            if case .make(.delegate(let delegation)) = $0.action { delegation.sending } else { nil }
        }.sorted { $0 == .now && $1 == .draft }
    }

    @Test("the inbox, other mailboxes and other accounts share one limit")
    func scopes() async throws {
        let work = try workplace()
        try work.deliver("hand 1", "hand 2")
        try work.deliver("hand 3", "hand 4", to: MailboxName("Lists"))
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let library = try session.rules.library()
            let plan = try session.triage.plan(for: AccountID("work"), rules: library)
            #expect(sending(plan) == [.now, .now, .now, .draft])

            var allowance = try session.rules.sendAllowance()
            for left in [[Delegation.Sending.now, .now, .now, .draft], [.draft, .draft, .draft, .draft]] {
                let plan = try session.triage.plan(
                    for: AccountID("work"), rules: library, limit: nil, sending: &allowance)
                #expect(sending(plan) == left)
            }
        }
    }

    @Test("messages left for the next run do not count")
    func limit() async throws {
        let work = try workplace()
        try work.deliver("hand 1", "hand 2", "hand 3", "hand 4", "hand 5")
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let plan = try session.triage.plan(
                for: AccountID("work"), rules: try session.rules.library(), limit: 3)
            #expect(sending(plan) == [.now, .now, .now])
        }
    }

    @Test("a saved plan sends nothing if sending was turned off since")
    func switchedOff() async throws {
        let work = try workplace()
        try work.deliver("hand 1")
        let path = work.root + "/plan.json"
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let plan = try session.triage.plan(for: AccountID("work"), rules: try session.rules.library())
            #expect(sending(plan) == [.now])
            try PlanDocument(plan, at: session.now).write(to: path)
        }
        try work.write(
            try work.read("opus.yaml").replacing("allow-send: true", with: "allow-send: false"),
            to: "opus.yaml")
        try await work.with { session in
            let outcome = try await session.triage.applySaved(try PlanDocument.read(path), allowOld: false)
            #expect(
                outcome.notSent == [
                    "rule hand makes a draft instead of sending: opus.yaml does not set allow-send: true"
                ])
            #expect(try session.rules.sendHistory.recentlySent().isEmpty)
        }
        #expect(try work.client.list(MailboxName("Drafts")).count == 1)
    }
}
