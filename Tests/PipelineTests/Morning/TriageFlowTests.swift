import Foundation
import MaildirClient
import Models
import Rules
import TestSupport
import Testing

@testable import Pipeline

/// Triage from the plans to the events: what is asked, what a brake stops, and what changed while a person looked.
@Suite("Triage flow")
struct TriageFlowTests {
    private struct Closure: Ask {
        var isAttended = true
        var answers: @Sendable (Question) throws -> Answer

        func answer(_ question: Question) throws -> Answer { try answers(question) }
    }

    private let account = AccountID("work")

    private func flow(
        _ work: Workplace, _ ask: any Ask, _ change: (inout TriageFlow.Options) -> Void = { _ in },
        _ body: (TriageFlow, Locked<[String]>) async throws -> Void
    ) async throws {
        var options = TriageFlow.Options()
        change(&options)
        let events = Locked<[String]>([])
        try await work.with { session in
            for id in try session.accounts.ids(named: nil) { _ = try await session.sync.account(id) }
            let flow = try TriageFlow(session, try session.rules.library(), options, ask: ask) { event in
                let word =
                    switch event {
                    case .planned(let plan, _): "planned \(plan.account)"
                    case .declined(let id): "declined \(id)"
                    case .leftUndecided(let count, of: _): "left \(count)"
                    case .skipped(let messages): "skipped \(messages.count)"
                    case .applied(let report, _): "applied \(report.drain.confirmed.count)"
                    }
                events.change { $0.append(word) }
            }
            try await body(flow, events)
        }
    }

    /// Two accounts; the second one has three invoices, more than its brake allows.
    private func accounts() throws -> (work: Workplace, home: Maildir) {
        let work = try Workplace()
        try work.configure("  - name: home\n    address: ana@home.example\n    maildir: Home")
        try work.configure("brakes: { share: 10, count: 2 }")
        try work.deliver("invoice 0")
        let home = Maildir(root: work.root + "/Home", account: AccountID("home"))
        try home.createRoot()
        for number in 1...3 {
            let text = "From: bob@x\r\nSubject: invoice \(number)\r\nMessage-ID: <h\(number)@x>\r\n\r\nHi\r\n"
            _ = try home.addMessage(
                to: .inbox, message: Array(text.utf8), unique: "h\(number)", received: Workplace.tuesday)
        }
        return (work, home)
    }

    @Test("without a terminal, a brake on one account stops the command before any change")
    func unattended() async throws {
        let (work, home) = try accounts()
        let ask = Closure(isAttended: false) { _ in .yes }
        try await flow(work, ask, { $0.appliesAll = true }) { flow, events in
            let problem = await #expect(throws: Problem.self) { _ = try await flow.apply(try flow.plans()) }
            #expect(problem?.code == "brake" && events.value.isEmpty)
        }
        #expect(try work.names("INBOX") == ["invoice-0"])
        #expect(try home.list(.inbox).count == 3)
    }

    @Test("an id releases its own plan only, and an unknown id stops everything")
    func confirmed() async throws {
        let (work, home) = try accounts()
        let ask = Closure(isAttended: false) { _ in .later }
        let found = Locked<[String]>([])
        try await flow(work, ask) { flow, _ in
            let plans = try flow.plans()
            found.change { $0 = plans.map(\.name) }
        }
        let names = found.value
        let refused = [
            ([names[0], "p:000000"], "other-plan", ExitStatus.stalePlan),
            ([names[0]], "brake", .someFailed),
        ]
        for (said, code, exit) in refused {
            try await flow(work, ask, { $0.confirmed = said }) { flow, events in
                let problem = await #expect(throws: Problem.self) {
                    _ = try await flow.apply(try flow.plans())
                }
                #expect(problem?.code == code && problem?.exit == exit && events.value.isEmpty)
            }
        }
        #expect(try work.names("INBOX") == ["invoice-0"])
        try await flow(
            work, ask,
            {
                $0.appliesAll = true
                // The other plan needs no confirmation.
                $0.confirmed = Array(names.suffix(1))
            }
        ) { flow, _ in
            let reports = try await flow.apply(try flow.plans())
            #expect(reports.count == 2 && Set(reports.map(\.run)).count == 1)
        }
        #expect(try work.names("Archive") == ["invoice-0"])
        #expect(try home.list(.inbox).isEmpty)
    }

    @Test("the user can accept the plan of one account and decline another")
    func oneOfTwo() async throws {
        let (work, home) = try accounts()
        let ask = Closure { question in
            if case .apply = question { return .no }
            return .yes
        }
        try await flow(work, ask) { flow, events in
            let reports = try await flow.apply(try flow.plans())
            #expect(reports.map(\.account) == [AccountID("home")])
            #expect(
                events.value == ["planned work", "declined work", "planned home", "skipped 0", "applied 6"])
        }
        #expect(try work.names("INBOX") == ["invoice-0"])
        #expect(try home.list(.inbox).isEmpty)
    }

    @Test(
        "a message moved while the user read the plan is left out, and the others are moved"
    )
    func changedMeanwhile() async throws {
        let work = try Workplace()
        try work.deliver("invoice 1", "invoice 2")
        try work.client.create(MailboxName("Projects"))
        let client = work.client
        let ask = Closure { _ in
            _ = try client.move(unique: "100.invoice-1", from: .inbox, to: MailboxName("Projects"))
            return .yes
        }
        try await flow(work, ask) { flow, events in
            _ = try await flow.apply(try flow.plans())
            #expect(events.value == ["planned work", "skipped 1", "applied 2"])
        }
        #expect(try work.names("Projects") == ["invoice-1"])
        #expect(try work.names("Archive") == ["invoice-2"])
        #expect(try work.taskFiles("invoice 1").isEmpty)
    }

    @Test("a plan without changes asks no question")
    func nothing() async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        let ask = Closure { _ in
            Issue.record("it was asked")
            return .no
        }
        try await flow(work, ask) { flow, events in
            let reports = try await flow.apply(try flow.plans())
            let isIdle = reports.allSatisfy { $0.didNothing }
            #expect(isIdle)
            #expect(events.value == ["planned work", "applied 0"])
        }
    }

    @Test("a query leaves the rest of the inbox alone")
    func query() async throws {
        let work = try Workplace()
        try work.deliver("invoice 1", "invoice 2")
        let ask = Closure { _ in .yes }
        try await flow(
            work, ask, { $0.query = try? Query.parse("subject:\"invoice 2\"").get() }
        ) { flow, _ in
            _ = try await flow.apply(try flow.plans())
        }
        #expect(try work.names("INBOX") == ["invoice-1"])
        #expect(try work.names("Archive") == ["invoice-2"])
    }

    @Test("the first run changes at most fifty messages, and later runs have no default limit")
    func limits() async throws {
        let work = try Workplace()
        for number in 1...53 { try work.deliver("notice \(number)") }
        let ask = Closure { _ in .yes }
        func changed(_ limit: TriageLimit) async throws -> Int {
            var count = 0
            try await flow(work, ask, { $0.limit = limit }) { flow, _ in
                count = try await flow.apply(try flow.plans()).flatMap(\.drain.confirmed).count
            }
            return count
        }
        #expect(try await changed(.usual) == 50)
        #expect(try await changed(.most(1)) == 1)
        #expect(try await changed(.usual) == 2)
    }

    @Test("old mail in other mailboxes is judged only on request")
    func history() async throws {
        let work = try Workplace()
        try work.deliver("notice 1", to: MailboxName("Old"))
        try work.deliver("notice 2")
        let ask = Closure { _ in .yes }
        try await flow(work, ask, { $0.history = try? Query.parse("in:Old").get() }) { flow, _ in
            let plans = try flow.plans()
            #expect(plans.flatMap(\.items).map(\.subject) == ["notice 1"])
        }
        try await flow(work, ask) { flow, _ in
            let plans = try flow.plans()
            #expect(plans.flatMap(\.items).map(\.subject) == ["notice 2"])
        }
    }
}
