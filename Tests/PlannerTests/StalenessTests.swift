import Models
import Testing

@testable import Planner

@Suite struct StalenessTests {
    static let archive = Judgement(decisions: [Sample.decision("r", .archive)])

    @Test(arguments: ["nothing", "moved", "gone", "flag", "label", "member", "rules", "untouched moved"])
    func `a saved plan is compared with the mailbox`(_ what: String) {
        let plan = Sample.plan(
            [1, 2, 3].map { Sample.facts($0, thread: $0 == 3 ? "u" : "t") }, [2: Self.archive])
        var current: [EmailID: MessageFacts] = [:]
        for uid in [1, 2, 3] as [UInt32] { current[EmailID(rawValue: "m\(uid)")] = Sample.facts(uid) }
        let second = EmailID(rawValue: "m2")
        var digest = "d1"
        var expected: [StaleItem.Reason] = []
        switch what {
        case "moved":
            current[second]?.key = Sample.key(2, in: Sample.archive)
            expected = [.moved]
        case "gone":
            current[second] = nil
            expected = [.moved]
        case "flag":
            current[second]?.flags = [.seen]
            expected = [.flagsChanged]
        case "label":
            current[second]?.keywords = [Keyword("x")]
            expected = [.flagsChanged]
        case "member":
            current[EmailID(rawValue: "m1")] = nil
            expected = [.memberMoved(EmailID(rawValue: "m1"))]
        case "rules":
            digest = "d2"
            expected = [.rulesChanged]
        case "untouched moved":
            current[EmailID(rawValue: "m3")] = nil
        case _:
            break
        }
        #expect(
            Planning.stale(plan, current: current, origin: .rules(digest: digest)).map(\.reason) == expected)
    }

    @Test(arguments: [(50, 99, false), (51, 99, true), (51, 102, false), (51, 103, false), (60, 100, true)])
    func `a plan that empties the inbox needs confirmation`(_ moved: Int, _ total: Int, _ stops: Bool) {
        let inbox = (1...UInt32(total)).map { Sample.facts($0, thread: "t\($0)") }
        var judgements: [UInt32: Judgement] = [:]
        for uid in 1...UInt32(moved) { judgements[uid] = Self.archive }
        let reason = Brake().check(Sample.plan(inbox, judgements))
        #expect((reason != nil) == stops)
        if let reason { #expect(reason.moved == moved && reason.total == total) }
    }

    @Test func `messages moved with their conversation count as moved`() {
        let inbox = (1...60).map { Sample.facts(UInt32($0)) }
        let reason = Brake().check(Sample.plan(inbox, [60: Self.archive]))
        #expect(reason?.moved == 60)
        #expect(reason?.text == "the plan moves 60 of 60 messages, more than 50 % of the inbox")
    }

    @Test func `each mailbox has its own share, and moves to the trash are limited by number`() {
        let inbox = (1...60).map { Sample.facts(UInt32($0), thread: "t\($0)") }
        var judgements: [UInt32: Judgement] = [:]
        for uid in 1...UInt32(60) { judgements[uid] = Self.archive }
        let plan = Sample.plan(inbox, judgements)
        let source = plan.items[0].key.mailbox
        #expect(Brake().check(plan, totals: [source: 1_000]) == nil)
        #expect(Brake().check(plan, totals: [source: 60, MailboxName("Other"): 5_000]) != nil)
        var trashing = plan
        for index in trashing.items.indices {
            trashing.items[index].decisions = [Plan.Decision(rule: "bin", action: .trash)]
        }
        let reason = Brake().check(trashing, totals: [source: 1_000])
        #expect(reason?.text == "the plan moves 60 messages to trash and junk, more than 50")
        #expect(Brake(maximumTrash: 60).check(trashing, totals: [source: 1_000]) == nil)
    }

    @Test func `messages that are protected now are left out and do not move with others`() {
        let inbox = (1...3).map { Sample.facts(UInt32($0)) }
        let plan = Sample.plan(inbox, [3: Self.archive])
        let judged = Dictionary(uniqueKeysWithValues: plan.items.map { ($0.key, $0) })
        var whole = plan
        #expect(whole.leaveOut(protections: [:], judged: judged, areRulesNew: false).isEmpty)
        #expect(whole == plan)
        let moving = plan.items.first { plan.moves($0) }
        var held = plan
        let out = held.leaveOut(
            protections: [EmailID(rawValue: "m3"): "vip"], judged: judged, areRulesNew: false)
        #expect(out.map(\.reason) == [.protected("vip")])
        #expect(!held.items.contains { held.moves($0) })
        var part = plan
        let members = part.leaveOut(
            protections: [EmailID(rawValue: "m1"): "vip"], judged: judged, areRulesNew: false)
        #expect(members.map(\.reason) == [.memberProtected("vip")])
        #expect(part.items.first { part.moves($0) }?.threadKeys.count == (moving?.threadKeys.count ?? 0) - 1)
    }
}
