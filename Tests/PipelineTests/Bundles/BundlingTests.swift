import MailStore
import Models
import Testing

@testable import Pipeline

/// Bundles of a workspace: their list, how they are cleared, and when their mail is delivered.
@Suite("Bundles of a workspace")
struct BundlingTests {
    private static let rules = [
        "10.yaml": """
        rules-version: 1
        rules:
          - id: letters
            when: subject:letter
            then: { bundle: Reading }
        """
    ]
    /// Saturday, 10:00 in Paris.
    private static let saturday = Workplace.tuesday + 4 * Workplace.day + 5_400
    private static let schedule = "bundles: { Reading: { deliver: saturday 10:00 } }"

    /// A workspace with mail that its rules have bundled.
    private func bundled(_ settings: String, _ subjects: String...) async throws -> Workplace {
        let work = try Workplace(rules: Self.rules)
        if !settings.isEmpty { try work.configure(settings) }
        for subject in subjects { try work.deliver(subject) }
        try await work.run()
        return work
    }

    private func deferred(_ session: Session) throws -> [String] {
        try session.deferrals.list(account: nil).map(\.facts.subject).sorted()
    }

    // MARK: By hand

    @Test("a bundle is cleared in one run that can be undone, and other mail stays")
    func cleared() async throws {
        let work = try await bundled("", "letter 1", "Lunch", "letter 2")
        try await work.with { session in
            #expect(try session.bundling.inbox(account: nil).map(\.words) == ["Reading: 2 from 1 sender"])
            let reports = try await session.bundling.clear(["reading"], account: nil)
            #expect(reports.map(\.queued) == [2] && reports.allSatisfy { $0.drain.failures.isEmpty })
            #expect(try work.names("INBOX") == ["Lunch"] && work.names("Archive").count == 2)
            #expect(try session.journal.runs(limit: 1).map(\.command) == ["clear bundle"])
            #expect(try session.bundling.inbox(account: nil).isEmpty)
        }
    }

    @Test("a wrong name archives nothing, not even the bundle that was named before it")
    func unknown() async throws {
        let work = try await bundled("", "letter 1")
        try await work.with { session in
            var problem = await #expect(throws: Problem.self) {
                _ = try await session.bundling.clear(["Reading", "News"], account: nil)
            }
            #expect(problem?.code == "no-such-bundle" && problem?.next == ["one of: Reading"])
            #expect(try work.names("INBOX") == ["letter-1"])
            try await session.byHand(.archive, "letter 1")
            problem = await #expect(throws: Problem.self) {
                _ = try await session.bundling.clear(["Reading"], account: nil)
            }
            #expect(problem?.next == ["opus list"])
        }
    }

    @Test("a label of opus.yaml makes a bundle, too")
    func labels() async throws {
        let work = try Workplace()
        try work.configure("bundles: { Notes: { labels: [notices] } }")
        try work.deliver("notice 1", "Lunch")
        try await work.run()
        try await work.with { session in
            let bundles = try session.bundling.inbox(account: nil)
            #expect(bundles.map(\.words) == ["Notes: 1 from 1 sender"])
        }
    }

    // MARK: Delivery

    @Test("mail of a bundle with a schedule waits for the next delivery, once")
    func delivered() async throws {
        let work = try await bundled(Self.schedule, "letter 1", "letter 2", "Lunch")
        try await work.with { session in
            let report = try #require(try await session.bundling.schedule(Workplace.account))
            #expect(report.queued == 2 && report.drain.failures.isEmpty)
            #expect(try deferred(session) == ["letter 1", "letter 2"])
            #expect(try await session.bundling.schedule(Workplace.account) == nil)
        }
        _ = try await work.follow(at: Self.saturday - 60)
        #expect(try work.names("INBOX") == ["Lunch"])
        _ = try await work.follow(at: Self.saturday)
        #expect(try work.names("INBOX") == ["Lunch", "letter-1", "letter-2"])
        try await work.with(at: Self.saturday + 60) { session in
            let again = try await session.bundling.schedule(Workplace.account)
            #expect(again == nil, "it has waited")
        }
    }

    @Test("mail that you bring back before the delivery does not wait again")
    func broughtBack() async throws {
        let work = try await bundled(Self.schedule, "letter 1")
        try await work.with { session in
            _ = try await session.bundling.schedule(Workplace.account)
            try await session.byHand(.cancelDeferral, "letter 1")
            #expect(try work.names("INBOX") == ["letter-1"])
            #expect(try await session.bundling.schedule(Workplace.account) == nil)
        }
    }

    @Test("mail that came before the last delivery is not held until the next one")
    func late() async throws {
        let work = try Workplace(rules: Self.rules)
        try work.configure(Self.schedule)
        try work.deliver(SampleMail(subject: "letter old", date: Workplace.tuesday - 5 * Workplace.day))
        try await work.run()
        try await work.with { session in
            let held = try await session.bundling.schedule(Workplace.account)
            let present = try session.bundling.inbox(account: nil)
            #expect(held == nil && present.map(\.counts) == ["1 from 1 sender"])
        }
    }

    @Test("a dry run shows what the schedule would do after the plan, and the run does just that")
    func preview() async throws {
        let work = try Workplace(rules: Self.rules)
        try work.configure(Self.schedule)
        try work.deliver("letter 1", "letter 2", "letter 3", "Lunch")
        try await work.synced { session in
            let plan = try session.plan()
            let gone = try #require(plan.items.first { $0.subject == "letter 3" }?.message)
            let shown = try session.bundling.preview(after: plan, besides: [gone])
            #expect(shown.map(\.names.words) == ["Reading: 2 from 1 sender: Bob"])
            #expect(shown.map(\.until) == [.time(Self.saturday)])
            #expect(try work.names("INBOX").count == 4 && deferred(session).isEmpty)
            _ = try await work.applyRules(session)
            _ = try await session.bundling.schedule(Workplace.account)
            #expect(try deferred(session) == ["letter 1", "letter 2", "letter 3"])
            #expect(try session.bundling.preview(after: session.plan(), besides: []).isEmpty)
        }
    }

    @Test("mail that the plan archives does not wait for its bundle")
    func archived() async throws {
        let work = try Workplace(rules: [
            "10.yaml": """
            rules-version: 1
            rules:
              - id: letters
                when: subject:letter
                then: [{ bundle: Reading }, archive]
            """
        ])
        try work.configure(Self.schedule)
        try work.deliver("letter 1")
        try await work.synced { session in
            let waiting = try session.bundling.preview(after: session.plan(), besides: [])
            #expect(waiting.isEmpty)
        }
    }

    @Test("mail of a bundle does not wait for a delivery that is over")
    func pastDelivery() async throws {
        let work = try await bundled("bundles: { Reading: { deliver: 2020-01-01 } }", "letter 1")
        try await work.with { session in
            _ = try await session.bundling.schedule(Workplace.account)
            let names = try work.names("INBOX")
            #expect(names == ["letter-1"])
        }
    }

    // MARK: Runs

    @Test("in a run, equal changes to a bundle are one line, and other mail has its own")
    func runEntries() async throws {
        let work = try await bundled("", "letter 1", "letter 2")
        try await work.with { session in
            try await session.byHand(.archive, "letter 1")
            let runs = try session.journal.runs(limit: 5).reversed()
            let lines = try runs.map { run in
                try session.bundling.entries(of: session.journal.run(run.id.description).steps, undone: [:])
                    .map { entry in
                        switch entry {
                        case .step(let step): "one step, \(step.state)"
                        case .bundle(let names, let steps): "\(names.words), \(steps.count) steps"
                        }
                    }
            }
            #expect(lines == [["Reading: 2 from 1 sender: Bob, 2 steps"], ["one step, confirmed"]])
        }
    }
}
