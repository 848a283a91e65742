import MaildirClient
import Models
import Rules
import Testing

@testable import Pipeline

/// What the user takes back of a rule counts against it, and the rule leaves the conversation alone.
@Suite("Reversals")
struct ReversalsTests {
    private let account = AccountID("work")

    private func reversed(_ undo: (Workplace, Session) async throws -> Void) async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        try await work.run()
        #expect(try work.names("Archive") == ["Invoice-1"])
        try await work.with { session in
            try await undo(work, session)
            _ = try await session.sync.account(account)
            let reversals = Reversals(store: session.store, loader: FactLoader(store: session.store))
            let counts = try reversals.byRule(account: account).mapValues(\.count)
            #expect(counts == ["pay": 1])
            let plan = try session.triage.plan(for: account, rules: try session.rules.library())
            #expect(plan.items.filter { !$0.isUntouched }.isEmpty)
            let line = try session.rules.statistics(try session.rules.library(), account: nil)
            let pay = line.first { $0.rule.id == "pay" }
            #expect(pay?.reversed == 1)
        }
        #expect(try work.names("INBOX") == ["Invoice-1"])
    }

    @Test("opus undo counts as a reversal of the rule")
    func undo() async throws {
        try await reversed { _, session in
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
        }
    }

    @Test("moving a message back by hand counts as a reversal of the rule")
    func byHand() async throws {
        try await reversed { _, session in
            let lines = try session.messages.list(
                account: nil, folder: nil, everywhere: true, matching: nil)
            let verb = HandVerb(.move(to: "INBOX"))
            let plans = try session.byHand.plans(for: verb, ids: lines.map(\.shortID))
            _ = try await session.byHand.apply(try #require(plans.first), verb: verb)
        }
    }

    @Test("an edited rule counts as a new rule, and may act again")
    func edited() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1")
        try await work.run()
        try await work.with { session in
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            try work.write(
                Workplace.rules.replacing(
                    "list: next }\n      - archive", with: "list: inbox }\n      - archive"),
                to: "rules/10-rules.yaml")
            _ = try await session.sync.account(account)
            let plan = try session.triage.plan(for: account, rules: try session.rules.library())
            #expect(plan.items.contains { !$0.isUntouched })
        }
    }

    @Test("moving a message back in another program counts as a reversal of the rule")
    func elsewhere() async throws {
        try await reversed { work, _ in
            try work.moveElsewhere("Invoice 1", from: "Archive", to: "INBOX")
        }
    }

    @Test("moving a message elsewhere, marking it or reading it is not a reversal")
    func movedOn() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "Invoice 2", "Notice 1")
        try await work.run()
        try work.moveElsewhere("Invoice 1", from: "Archive", to: "Projects")
        try await work.synced { session in
            try await session.byHand(.move(to: "Projects"), "Invoice 2")
            try await session.byHand(.flag, "Notice 1")
            _ = try await session.sync.account(account)
            let reversals = Reversals(store: session.store, loader: FactLoader(store: session.store))
            #expect(try reversals.byRule(account: account).isEmpty)
        }
    }

    @Test("a reversal counts only for its account")
    func accounts() async throws {
        try await reversed { work, session in
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            let reversals = Reversals(store: session.store, loader: FactLoader(store: session.store))
            #expect(try reversals.byRule(account: AccountID("home")).isEmpty)
            #expect(try reversals.byRule(account: nil).keys.sorted() == ["pay"])
        }
    }

    @Test("reversing a message twice counts as one reversal")
    func twice() async throws {
        try await reversed { work, session in
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            _ = try await session.sync.account(account)
            let again = try session.planAgain()
            _ = try await session.triage.apply(again, command: "triage", isAgain: true)
            _ = try await session.sync.account(account)
            try await session.byHand(.move(to: "INBOX"), "Invoice 1")
        }
    }
}
