import Models
import Rules
import Testing

@testable import Planner

/// What rules send by themselves ends at the caps of `send:`; the rest becomes drafts.
@Suite struct SendCapsTests {
    private static func plan(_ count: UInt32, _ allowance: SendAllowance?) -> Plan {
        let text = """
            rules-version: 1
            rules:
              - { id: hand, when: 'subject:1 or subject:3', then: { delegate: { to: bob@x.org, send: now } } }
              - { id: on, when: '*', then: [{ forward: { to: Carl@x.org, send: now } }, { reply: { text: Hi, send: now } }] }
            """
        let (rules, _) = RuleSet.compile(
            [RuleSet.Source(file: "rules/a.yaml", text: text)], accounts: [], readList: { _ in nil })
        let context = RuleContext(now: Sample.now, timeZone: "UTC", allowSend: true)
        var plan = Planning.decide(
            inbox: (1...count).reversed().map { Sample.facts($0, thread: "t\($0)") }, rules: rules,
            context: context, account: Sample.account, rulesDigest: "", mailboxes: [])
        if var allowance { plan.keep(within: &allowance) }
        return plan
    }

    /// What is sent, and to whom, by message from the oldest.
    private static func sent(_ plan: Plan) -> [[String]] {
        plan.items.reversed().map { $0.decisions.compactMap { $0.action.sentTo?.joined() } }
    }

    @Test func `without limits, all mail is sent`() {
        #expect(
            Self.sent(Self.plan(2, nil)) == [
                ["bob@x.org", "carl@x.org", "ana@example.org"], ["carl@x.org", "ana@example.org"],
            ])
    }

    @Test func `an address gets the oldest mails up to its limit, and the rest are drafts`() {
        let plan = Self.plan(
            3, SendAllowance(perHour: 60, perRecipient: 2, sent: 1, sentTo: ["carl@x.org": 1]))
        #expect(
            Self.sent(plan) == [
                ["bob@x.org", "carl@x.org", "ana@example.org"], ["ana@example.org"], ["bob@x.org"],
            ])
        #expect(plan.items.map(\.decisions.count) == [3, 2, 3], "what is not sent is a draft")
        #expect(
            plan.items[1].warnings == [
                "rule on makes a draft instead of sending: 2 mails to carl@x.org were sent within the hour, and "
                    + "max-per-recipient-per-hour allows no more"
            ])
    }

    @Test func `the hourly limit includes mail sent before`() {
        let plan = Self.plan(2, SendAllowance(perHour: 10, perRecipient: 9, sent: 8))
        #expect(Self.sent(plan) == [["bob@x.org", "carl@x.org"], []])
        #expect(plan.items[1].warnings.count == 1)
        #expect(
            plan.items[0].warnings.first
                == "rule on makes a draft instead of sending: 10 mails were sent within the hour, and max-per-hour allows no more"
        )
    }

    @Test func `one command sends at most as many mails as max-per-run says`() {
        var allowance = SendAllowance(perHour: 60, perRecipient: 9)
        allowance.perRun = 1
        let plan = Self.plan(2, allowance)
        #expect(Self.sent(plan) == [["bob@x.org"], []])
        #expect(plan.items[1].warnings.first?.contains("max-per-run allows no more") == true)
    }
}
