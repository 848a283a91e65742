import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Verbs that a person gives by hand: which messages they mean, and what holds them back.
@Suite("Verbs by hand")
struct HandCommandsTests {
    private static let protecting = """
        rules-version: 1
        protect:
          - bosses: subject:salary
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

    @Test("a message named twice is moved once, and a plan without changes makes no run")
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

    @Test("a protected message stays unless the user forces the move, and marks are always possible")
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

    @Test("one invalid id, account, mailbox or label ends the command before anything changes")
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

    @Test("a plan that is checked again after a question never gets more messages")
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

    @Test("archive moves the conversation, trash and marks only the message, and options change both")
    func conversations() async throws {
        let work = try Workplace()
        try work.deliver(SampleMail(subject: "Hello", date: Workplace.tuesday - 7_200))
        try work.deliver(SampleMail(subject: "Re: Hello", answers: "Hello"))
        try await work.synced { session in
            let ids = try session.ids("Re: Hello")
            func taken(_ verb: HandVerb) throws -> Int {
                try session.byHand.plans(for: verb, ids: ids).flatMap(\.items).reduce(0) {
                    $0 + 1 + $1.threadKeys.count
                }
            }
            #expect(try taken(HandVerb(.archive)) == 2)
            #expect(try taken(HandVerb(.archive, takesThread: false)) == 1)
            #expect(try taken(HandVerb(.trash)) == 1)
            #expect(try taken(HandVerb(.trash, takesThread: true)) == 2)
            #expect(try taken(HandVerb(.flag)) == 1)
            try await session.byHand(.archive, "Re: Hello")
        }
        #expect(try work.names("Archive") == ["Hello", "Re--Hello"])
    }

    @Test("a protected message of the conversation stays while the rest moves")
    func protectedMember() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.protecting])
        try work.deliver(SampleMail(subject: "Salary", date: Workplace.tuesday - 7_200))
        try work.deliver(SampleMail(subject: "Thanks", answers: "Salary"))
        try await work.synced { try await $0.byHand(.archive, "Thanks") }
        #expect(try work.names("INBOX") == ["Salary"])
        #expect(try work.names("Archive") == ["Thanks"])
    }

    @Test("rules with errors stop moves, because a rule might protect the message")
    func brokenRules() async throws {
        let work = try workplace()
        try await work.synced { session in
            let ids = try session.ids("Lunch")
            try work.write("rules:\n  - { id: x, when: sender:a }\n", to: "rules/20.yaml")
            #expect(throws: DiagnosticFailure.self) {
                try session.byHand.plans(for: HandVerb(.trash), ids: ids)
            }
            for verb in [HandVerb(.flag), HandVerb(.trash, isForced: true)] {
                let plans = try session.byHand.plans(for: verb, ids: ids)
                #expect(plans.flatMap(\.items).contains { !$0.isUntouched })
            }
        }
    }

    @Test("a message outside any mailbox is refused by name")
    func gone() async throws {
        let work = try workplace()
        try await work.synced { session in
            let ids = try session.ids("Lunch", "Report")
            try work.client.remove(.inbox, unique: "100.Lunch")
            _ = try await session.sync.account(Workplace.account)
            #expect(
                TriageTests.refusal { try session.byHand.plans(for: HandVerb(.archive), ids: ids) }
                    == "gone 66")
        }
        #expect(try work.names("INBOX") == ["Report", "Salary"])
    }

    @Test("messages of two accounts make a plan for each, and a message of another account is refused")
    func accounts() async throws {
        let work = try workplace()
        let home = try work.addAccount("home")
        _ = try home.addMessage(
            to: .inbox, message: Array("From: a@x.example\r\nSubject: Tea\r\n\r\nHi\r\n".utf8),
            unique: "100.Tea", received: Workplace.tuesday)
        try await work.synced { session in
            _ = try await session.sync.account(AccountID("home"))
            let ids = try session.ids("Tea", "Lunch", "Report")
            let verb = HandVerb(.archive)
            let plans = try session.byHand.plans(for: verb, ids: ids)
            #expect(plans.map(\.account.rawValue) == ["home", "work"])
            #expect(plans.map(\.items.count) == [1, 2])
            let refusal = TriageTests.refusal {
                try session.byHand.plans(for: verb, ids: ids, account: "work")
            }
            #expect(refusal == "no-such-message 66")
        }
    }

    @Test("a deferred message that the user moves does not return on its day")
    func deferred() async throws {
        let work = try Workplace()
        try work.deliver("A weekly letter")
        try await work.run()
        #expect(try work.names("Deferred") == ["A-weekly-letter"])
        try await work.synced { try await $0.byHand(.archive, "A weekly letter") }
        try await work.run(at: Workplace.tuesday + 2 * Workplace.day)
        #expect(try work.names("Archive") == ["A-weekly-letter"])
        #expect(try work.names("INBOX").isEmpty)
    }

    @Test("marks by hand are set and removed, and the journal names each command")
    func marks() async throws {
        let work = try workplace()
        try await work.synced { session in
            for effect in [HandVerb.Effect.read, .flag, .label("blue")] {
                try await session.byHand(effect, "Lunch")
            }
            let lunch = try #require(try work.client.list(.inbox).first { $0.unique == "100.Lunch" })
            #expect(lunch.flags == [.seen, .flagged] && lunch.keywords == [Keyword("blue")])
            for effect in [HandVerb.Effect.unread, .unflag, .unlabel("blue")] {
                try await session.byHand(effect, "Lunch")
            }
            #expect(
                try session.journal.runs(limit: 9).map(\.command)
                    == ["unlabel", "unflag", "unread", "label", "flag", "read"])
        }
        let lunch = try #require(try work.client.list(.inbox).first { $0.unique == "100.Lunch" })
        #expect(lunch.flags.isEmpty && lunch.keywords.isEmpty)
    }
}
