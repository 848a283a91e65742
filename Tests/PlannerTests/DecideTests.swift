import Models
import Rules
import Testing

@testable import Planner

/// The whole way: rule text and facts in, a plan out.
@Suite struct DecideTests {
    static let rules = """
        rules-version: 1
        name: work
        protect:
          - open work: is:flagged
        rules:
          - id: mark
            when: subject:flag
            then:
              - flag
          - id: ask
            when: subject:ask
            then:
              - task: { title: 'Answer {{from.name}}', list: next }
          - id: done
            when: subject:done
            then:
              - archive
        """

    static func plan(_ inbox: [MessageFacts], remembered: Set<RememberedMatch> = []) throws -> Plan {
        let (rules, diagnostics) = RuleSet.compile(
            [RuleSet.Source(file: "rules/work.yaml", text: Self.rules)], accounts: [Sample.account],
            readList: { _ in nil })
        #expect(diagnostics.filter { $0.severity == .error } == [])
        var context = RuleContext(now: Sample.now, timeZone: "Europe/Paris")
        context.mailboxes = [Sample.inbox, Sample.archive]
        context.remembered = remembered
        return Planning.decide(
            inbox: inbox, rules: rules, context: context, account: Sample.account, rulesDigest: "d1",
            mailboxes: [Plan.MailboxVersion(name: .inbox, uidValidity: 1)])
    }

    static func message(_ uid: UInt32, _ subject: String, flags: Set<Flag> = []) -> MessageFacts {
        var facts = Sample.facts(uid)
        facts.subject = subject
        facts.flags = flags
        return facts
    }

    @Test func `rules decide for a message, and older messages of its conversation move too`() throws {
        let plan = try Self.plan([
            Self.message(3, "Re: hello"), Self.message(2, "done"), Self.message(1, "ask"),
        ])
        #expect(plan.items.map(\.disposition) == [.keep, .archive, .keep])
        #expect(plan.items[1].threadKeys.map(\.message.rawValue) == ["m1"])
        #expect(plan.origin == .rules(digest: "d1"))
        #expect(plan.mailboxes == [Plan.MailboxVersion(name: .inbox, uidValidity: 1)])
        #expect(plan.now == Sample.now)
        #expect(
            try Sample.work(plan).steps.map(\.kind.summary) == [
                "task next", "move 1 Archive", "move 2 Archive",
            ])
    }

    @Test func `a remembered match is not planned again`() throws {
        let inbox = [Self.message(1, "ask")]
        let work = try Sample.work(Self.plan(inbox))
        #expect(work.steps.count == 1)
        let again = try Self.plan(inbox, remembered: Set(work.remembered))
        #expect(try Sample.work(again).isEmpty)
    }

    @Test func `a protected message stays when a newer one moves its conversation`() throws {
        let plan = try Self.plan([Self.message(1, "hello", flags: [.flagged]), Self.message(2, "done")])
        #expect(plan.takenAlong.isEmpty)
        #expect(plan.items.first?.protectedBy == "open work")
    }

    @Test func `a message read only in part is flagged at most`() throws {
        var vast = Self.message(1, "ask, done and flag")
        vast.exceededLimits = ["tooManyParts"]
        let plan = try Self.plan([vast, Self.message(2, "done")])
        let item = try #require(plan.items.first)
        #expect(item.decisions.map(\.action).filter { $0 != .keep } == [.flag])
        #expect(item.warnings == ["read only in part (tooManyParts): rules only flag it"])
        #expect(plan.takenAlong.isEmpty)
        let work = try Sample.work(plan)
        #expect(work.steps.map(\.kind.summary).filter { $0.hasPrefix("move 1") } == [])
        #expect(work.remembered.filter { $0.message == vast.id }.map(\.rule) == ["mark"])
    }
}
