import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Verbs that a person gives by hand: which messages they mean, and what holds them back.
@Suite("Verbs by hand")
struct HandCommandTests {
    private static let protecting = """
        rules-version: 1
        protect:
          - name: bosses
            when: subject:salary
        rules:
          - id: pay
            when: subject:invoice
            then: [archive]
        """

    private func workplace() throws -> Workplace {
        let work = try Workplace(rules: ["10.yaml": Self.protecting])
        try work.deliver("Salary", "Lunch", "Report")
        return work
    }

    private func id(_ subject: String, _ session: Session) throws -> String {
        let lines = try session.messages.list(account: nil, folder: nil, everywhere: true, matching: nil)
        return try #require(lines.first { $0.facts.subject == subject }).shortID
    }

    @Test("a message that is named twice is moved once, and a plan that changes nothing makes no run")
    func archive() async throws {
        let work = try workplace()
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let lunch = try id("Lunch", session)
            let verb = HandVerb(.archive)
            let plans = try session.byHand.plans(for: verb, ids: [lunch, "m:" + lunch])
            #expect(plans.map(\.items.count) == [1])
            let report = try await session.byHand.apply(try #require(plans.first), verb: verb)
            #expect(report.run != nil && report.drain.failures.isEmpty)
            let again = try #require(try session.byHand.plans(for: verb, ids: [lunch]).first)
            #expect(try await session.byHand.apply(again, verb: verb).run == nil)
        }
        #expect(try work.names("INBOX") == ["Report", "Salary"])
        #expect(try work.names("Archive") == ["Lunch"])
    }

    @Test("a protected message stays, unless the person insists; a mark is no move and needs no protection")
    func protection() async throws {
        let work = try workplace()
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let salary = try id("Salary", session)
            func moves(_ verb: HandVerb) throws -> Bool {
                try session.byHand.plans(for: verb, ids: [salary]).flatMap(\.items).contains {
                    !$0.isUntouched
                }
            }
            #expect(try !moves(HandVerb(.trash)))
            #expect(try moves(HandVerb(.trash, isForced: true)))
            #expect(try moves(HandVerb(.flag)))
        }
    }

    @Test("one id that means no message ends the command before anything else happens")
    func refusals() async throws {
        let work = try workplace()
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let lunch = try id("Lunch", session)
            func refusal(_ verb: HandVerb, _ ids: [String], _ account: String? = nil) -> String {
                TriageTests.refusal { try session.byHand.plans(for: verb, ids: ids, account: account) }
            }
            #expect(refusal(HandVerb(.archive), [lunch, "zzzz"]) == "no-such-message 66")
            #expect(refusal(HandVerb(.archive), [lunch], "home") == "no-such-account 66")
            #expect(refusal(HandVerb(.move(to: "Nowhere")), [lunch]) == "no-such-mailbox 66")
            #expect(refusal(HandVerb(.label("two words")), [lunch]) == "bad-label 64")
        }
    }

    @Test("a plan that is checked again after a question never grows")
    func recheck() async throws {
        let work = try workplace()
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let ids = [try id("Lunch", session), try id("Report", session)]
            let verb = HandVerb(.archive)
            let shown = try session.byHand.plans(for: verb, ids: [ids[0]])
            let again = try await session.byHand.rechecked(shown, verb: verb, ids: ids, account: nil)
            #expect(again.flatMap(\.items).map(\.subject) == ["Lunch"])
        }
    }
}
