import Models
import Testing

@testable import Pipeline

/// Brakes: a plan that looks like a mistake is applied only when its id is given.
@Suite("Brakes")
struct BrakeCheckTests {
    private func planned(
        _ count: Int, limits: String, _ body: (Session, Plan) throws -> Void
    ) async throws {
        let work = try Workplace()
        try work.write(try work.read("opus.yaml") + "brakes: \(limits)\n", to: "opus.yaml")
        for number in 0..<count { try work.deliver("Invoice \(number)") }
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            try body(
                session, try session.triage.plan(for: AccountID("work"), rules: try session.rules.library()))
        }
    }

    @Test("a plan beyond the limits needs its id, and the error names the id")
    func held() async throws {
        try await planned(4, limits: "{ share: 50, count: 2 }") { session, plan in
            let problem = try #require(
                try session.brakes.problem(with: plan, said: [], command: "opus triage --yes"))
            #expect(problem.code == "brake" && problem.exit == .someFailed)
            let name = plan.name
            #expect(problem.next.first == "to apply it anyway: opus triage --yes --plan \(name)")
            #expect(plan.warnings.contains { $0.hasSuffix("check the plan before you apply it") })
        }
    }

    @Test("the id of a plan releases it, with or without its prefix, in any case")
    func released() async throws {
        try await planned(4, limits: "{ share: 50, count: 2 }") { session, plan in
            let name = plan.name
            for said in [name, String(name.dropFirst(2)), name.dropFirst(2).uppercased()] {
                let problem = try session.brakes.problem(with: plan, said: [said], command: "opus triage")
                #expect(problem == nil)
            }
        }
    }

    @Test("the id of another plan is refused")
    func other() async throws {
        try await planned(1, limits: "{ share: 50, count: 2 }") { session, plan in
            let refusal = TriageTests.refusal {
                try session.brakes.requireKnown(["p:000000"], among: [plan], command: "opus triage")
            }
            #expect(refusal == "other-plan 3")
        }
    }

    @Test("a plan within the limits needs no id")
    func within() async throws {
        try await planned(2, limits: "{ share: 50, count: 2 }") { session, plan in
            let problem = try session.brakes.problem(with: plan, said: [], command: "opus triage")
            #expect(problem == nil)
        }
    }

    private func brake(_ limits: String, rules: String, _ subjects: [String]) async throws -> Problem? {
        let work = try Workplace(rules: ["10.yaml": "rules-version: 1\nrules:\n" + rules])
        try work.configure("allow-send: true\nbrakes: \(limits)")
        for subject in subjects { try work.deliver(subject) }
        var problem: Problem?
        try await work.synced { session in
            problem = try session.brakes.problem(
                with: try session.plan(), said: [], command: "opus triage --yes")
        }
        return problem
    }

    @Test("a plan that trashes more messages than the limit needs its id, and the error names the rule")
    func trash() async throws {
        let rules =
            "  - { id: bin, when: subject:spam, then: trash }\n  - { id: odd, when: subject:junk, then: junk }\n"
        let mail = ["Spam 1", "Spam 2", "Junk 1", "Hello 1", "Hello 2", "Hello 3", "Hello 4"]
        let problem = try #require(try await brake("{ share: 100, trash: 2 }", rules: rules, mail))
        #expect(
            problem.message == "the plan moves 3 messages to trash and junk, more than 2; nothing was done")
        #expect(problem.details == ["rule bin: 2"])
        #expect(try await brake("{ share: 100, trash: 3 }", rules: rules, mail) == nil)
    }

    @Test("a plan that sends more mails than the limit needs its id")
    func sends() async throws {
        let rules =
            "  - { id: hand, when: subject:support, then: { delegate: { to: carl@acme.example, send: now } } }\n"
        let problem = try #require(
            try await brake("{ sends: 1 }", rules: rules, ["Support 1", "Support 2", "Hello"]))
        #expect(problem.message == "the plan sends 2 mails, more than 1; nothing was done")
        #expect(try await brake("{ sends: 2 }", rules: rules, ["Support 1", "Support 2"]) == nil)
    }

    @Test("changes by hand are limited by number alone, with all messages of conversations")
    func byHand() async throws {
        let work = try Workplace()
        try work.configure("brakes: { share: 100, count: 2 }")
        try work.deliver(SampleMail(subject: "Hello", date: Workplace.tuesday - 7_200))
        try work.deliver(SampleMail(subject: "Re: Hello", answers: "Hello"))
        try work.deliver("Lunch")
        for number in 1...20 { try work.deliver("Other \(number)") }
        try await work.synced { session in
            let verb = HandVerb(.archive)
            func held(_ ids: [String]) throws -> Problem? {
                let plan = try #require(try session.byHand.plans(for: verb, ids: ids).first)
                return try session.brakes.problem(with: plan, said: [], command: "opus archive")
            }
            #expect(try held(try session.ids("Re: Hello")) == nil)
            let problem = try #require(try held(try session.ids("Re: Hello", "Lunch")))
            #expect(problem.message == "that is 3 messages, more than 2; nothing was done")
        }
    }

    @Test("each other mailbox has its own share")
    func otherMailbox() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nrules:\n"
                + "  - { id: tidy, mailboxes: [Lists], when: subject:digest, then: archive }\n"
        ])
        try work.configure("brakes: { share: 60, count: 1 }")
        for number in 1...3 { try work.deliver("Digest \(number)", to: MailboxName("Lists")) }
        for number in 1...20 { try work.deliver("Hello \(number)") }
        try await work.synced { session in
            let problem = try session.brakes.problem(with: try session.plan(), said: [], command: "opus run")
            #expect(
                problem?.message
                    == "the plan moves 3 of 3 messages, more than 60 % of Lists; nothing was done")
        }
    }
}
