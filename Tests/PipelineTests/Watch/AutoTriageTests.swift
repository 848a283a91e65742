import Models
import Synchronization
import Testing

@testable import Accounts
@testable import MailStore
@testable import Pipeline
@testable import Rules

/// What a watch applies by itself: rules with `auto: true`, and nothing that another rule would lose by it.
@Suite("AutoTriage") struct AutoTriageTests {
    private let account = AccountID("work")

    private static let rules = """
        rules-version: 1
        rules:
          - { id: mark, when: 'subject:marked', then: [{ label: seen }] }
          - { id: move, auto: true, when: 'subject:news', then: archive }
          - { id: flag, auto: true, when: 'subject:late', then: flag }
          - { id: rest, when: 'subject:late', then: archive }
        """

    private func applied(_ work: Workplace, times: Int = 1) async throws -> [AutoTriage.Outcome] {
        var outcomes: [AutoTriage.Outcome] = []
        try await work.with { session in
            _ = try await session.sync.account(account)
            let round = session.watch.round
            for _ in 0..<times {
                let library = try #require(round.rules.look(at: session.now).library)
                outcomes.append(try await round.auto.apply(account, library))
            }
        }
        return outcomes
    }

    @Test("a rule with auto moves mail, unless another rule marks the same mail")
    func onlyAuto() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("news one", "news marked", "marked")
        let outcomes = try await applied(work, times: 2)
        #expect(try work.names("INBOX").sorted() == ["marked", "news-marked"])
        #expect(outcomes.first?.report?.queued == 1)
        #expect(outcomes.last?.report == nil, "nothing is left for a second look")
    }

    @Test(
        "a sync of new mail does not wait for the disk; applying a rule waits three times"
    )
    func waits() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("lunch")
        try await work.with { session in
            _ = try await session.sync.account(account)
            try work.deliver("news one")
            let waits = { session.store.file.waits.load(ordering: .relaxed) }
            let before = waits()
            _ = try await session.sync.account(account)
            #expect(waits() - before == 0, "the next sync would find it again")
            let round = session.watch.round
            let library = try #require(round.rules.look(at: session.now).library)
            #expect(try await round.auto.apply(account, library).report?.queued == 1)
            #expect(waits() - before == 3, "the plan, the step, and its proof")
        }
        #expect(try work.names("INBOX") == ["lunch"])
    }

    @Test("mail is kept with a reason if the mailbox of its rule does not exist; other rules' mail has none")
    func kept() async throws {
        let rules = """
            rules-version: 1
            rules:
              - { id: filed, auto: true, when: 'subject:file', then: [flag, { move: Nowhere }] }
              - { id: hand, when: 'subject:hand', then: { move: Nowhere } }
              - { id: move, auto: true, when: 'subject:news', then: archive }
            """
        let work = try Workplace(rules: ["10.yaml": rules])
        try work.deliver("file one", "hand one", "news one")
        let outcomes = try await applied(work, times: 2)
        let kept = try #require(outcomes.first?.kept)
        #expect(kept.map { $0.failures.map(\.rule) } == [["filed"]])
        let reason = "rule filed moves to 'Nowhere', but that mailbox does not exist; the message is kept"
        #expect(kept.first?.failures.first?.reason.hasPrefix(reason) == true)
        #expect(try work.names("INBOX").sorted() == ["file-one", "hand-one"])
    }

    @Test("a reason is reported once per message, and stays until its mailbox exists")
    func keptMails() {
        func mail(_ id: String, _ rule: String = "filed") -> KeptMail {
            KeptMail(
                message: EmailID(rawValue: id), failures: [.init(rule: rule, reason: "rule \(rule) cannot")])
        }
        var mails = KeptMails()
        let missing: Set<String> = ["filed"]
        #expect(
            mails.take([mail("a"), mail("b")], isWhole: true, withoutPlace: missing)
                == ["rule filed cannot (2 messages)"])
        #expect(mails.take([mail("a"), mail("b")], isWhole: true, withoutPlace: missing).isEmpty)
        #expect(
            mails.take([mail("c"), mail("d", "date")], isWhole: false, withoutPlace: missing)
                == ["rule filed cannot", "rule date cannot"])
        #expect(mails.reasons.map(\.rule) == ["filed", "date"])
        // The rule has acted in another way, so it judges its mail no further.
        #expect(mails.take([], isWhole: true, withoutPlace: missing).isEmpty)
        #expect(mails.reasons.map(\.rule) == ["filed"])
        #expect(mails.take([], isWhole: true, withoutPlace: []).isEmpty)
        #expect(mails.reasons.isEmpty)
    }

    @Test("a rule with auto marks a message, even if another rule moves it later")
    func markStays() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("late")
        let outcomes = try await applied(work)
        #expect(outcomes.first?.report?.queued == 1)
        #expect(try work.names("INBOX") == ["late"])
        try await work.run()
        #expect(try work.names("INBOX").isEmpty)
    }

    @Test("if no rule has run before, more than fifty messages are not changed")
    func firstTime() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        for number in 1...51 { try work.deliver("news \(number)") }
        for number in 1...60 { try work.deliver("lunch \(number)") }
        let outcomes = try await applied(work)
        #expect(outcomes.first?.held?.reason.contains("51 messages") == true)
        #expect(try work.names("INBOX").count == 111)
    }

    @Test("broken rules apply nothing, and are reported once")
    func broken() throws {
        let work = try Workplace(rules: ["10.yaml": "rules-version: 1\nrules: [ broken\n"])
        let keeper = RuleKeeper(try work.options().loadWorkspace(), settling: .zero)
        let first = keeper.look(at: Workplace.tuesday)
        #expect(first.library == nil)
        #expect(first.news?.message.contains("opus applies no rules") == true)
        #expect(keeper.look(at: Workplace.tuesday).news == nil)
        try work.write(Self.rules, to: "rules/10.yaml")
        #expect(keeper.look(at: Workplace.tuesday).library?.rules.ruleCount == 4)
        try work.write("rules-version: 1\nrules: [ broken\n", to: "rules/10.yaml")
        let again = keeper.look(at: Workplace.tuesday)
        #expect(again.library?.rules.ruleCount == 4)
        #expect(again.news?.message.contains("last good rules stay in force") == true)
    }

    @Test("a scheduled rule is due at the next time of its schedule")
    func times() throws {
        let zone = try #require(Zone("UTC"))
        let schedule = try #require(Schedule("mon,thu 18:00"))
        let tuesday = try #require(Timestamp(rfc3339: "2026-03-10T08:30:00Z"))
        #expect(schedule.next(after: tuesday, zone: zone) == Timestamp(rfc3339: "2026-03-12T18:00:00Z"))
        let thursday = try #require(Timestamp(rfc3339: "2026-03-12T18:00:00Z"))
        #expect(schedule.next(after: thursday, zone: zone) == Timestamp(rfc3339: "2026-03-16T18:00:00Z"))
    }

    @Test("quiet hours may include midnight")
    func quietHours() {
        let night = WatchSettings.QuietHours(start: 22 * 3_600, end: 7 * 3_600)
        #expect(night.contains(23 * 3_600) && night.contains(0) && !night.contains(7 * 3_600))
        let noon = WatchSettings.QuietHours(start: 12 * 3_600, end: 13 * 3_600)
        #expect(noon.contains(12 * 3_600) && !noon.contains(13 * 3_600))
    }
}
