import Models
import Testing

@Suite("Totals of a plan")
struct PlanTotalsTests {
    private func plan(_ actions: Action...) -> Plan {
        let account = AccountID("work")
        var item = Plan.Item(
            message: EmailID(rawValue: "a"),
            key: MessageKey(account: account, mailbox: .inbox, uidValidity: 7, uid: 1),
            thread: ThreadID(rawValue: "a"), subject: "About a", date: Timestamp(seconds: 1_773_127_800))
        item.decisions = actions.map { Plan.Decision(rule: "rule", action: $0) }
        var plan = Plan(
            account: account, now: Timestamp(seconds: 1_773_127_800), timeZone: "Europe/Paris",
            origin: .hand)
        plan.items = [item]
        return plan
    }

    @Test(
        "every action except keep is a change",
        arguments: [
            .archive, .trash, .junk, .flag, .mark(read: true), .label(Keyword("x")), .notify("x"),
            .unsubscribe,
            .task(TodoDraft(summary: "x")), .deferUntil(Timestamp(seconds: 1_773_200_000)),
        ] as [Action])
    func changes(_ action: Action) {
        #expect(PlanTotals(plan(action)).hasChanges)
    }

    @Test("a message that stays does not count as a change")
    func stays() {
        #expect(!PlanTotals(plan()).hasChanges)
        #expect(!PlanTotals(plan(.keep)).hasChanges)
        #expect(PlanTotals(plan(.keep)).stays == 1)
    }
}
