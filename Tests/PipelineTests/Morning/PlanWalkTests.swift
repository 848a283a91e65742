import Models
import Testing

@testable import Pipeline

/// A plan gone through item by item: what is not decided is not in what is applied.
@Suite("Plan, item by item")
struct PlanWalkTests {
    private func plan(_ rules: String?...) -> Plan {
        var plan = Plan(
            account: AccountID("work"), now: Workplace.tuesday, timeZone: "UTC", origin: .rules(digest: "d"))
        plan.items = rules.enumerated().map { index, rule in
            var item = Plan.Item(
                message: EmailID(rawValue: "m\(index)"),
                key: MessageKey(
                    account: AccountID("work"), mailbox: .inbox, uidValidity: 1, uid: UInt32(index)),
                thread: ThreadID(rawValue: "t\(index)"), subject: "Number \(index)", date: Workplace.tuesday)
            item.decisions = [Plan.Decision(rule: rule ?? "stay", action: rule == nil ? .keep : .archive)]
            return item
        }
        return plan
    }

    private func applied(_ walk: PlanWalk) -> [String] { walk.choice.plan.items.map(\.message.rawValue) }

    @Test("yes and skip decide one item, and stop leaves the rest undecided")
    func stop() {
        var walk = PlanWalk(plan("a", nil, "b", "a", "c"))
        #expect(walk.items.count == 4 && walk.rule == "a")
        walk.yes()
        walk.skip()
        walk.stop()
        #expect(walk.item == nil && applied(walk) == ["m0", "m1"])
        #expect(walk.choice.left == 3 && !walk.choice.isWhole)
    }

    @Test("A answers yes to all later items of the same rule, and no other rule")
    func all() {
        var walk = PlanWalk(plan("a", "b", "a", "b", "a"))
        walk.skip()
        walk.all()
        #expect(walk.item?.message.rawValue == "m2")
        walk.stop()
        #expect(applied(walk) == ["m1", "m3"] && walk.choice.left == 3)
    }

    @Test("another action removes the item from the plan and is done by hand")
    func other() {
        var walk = PlanWalk(plan("a", "b"))
        walk.choose(.verb(HandVerb(.trash)))
        walk.yes()
        #expect(walk.item == nil && applied(walk) == ["m1"] && walk.choice.isWhole)
        #expect(
            walk.choice.byHand == [.init(action: .verb(HandVerb(.trash)), message: EmailID(rawValue: "m0"))])
    }

    @Test("a skipped message does not move with another one of its conversation")
    func conversation() {
        var whole = plan("a", "b", "c")
        whole.items[0].threadKeys = [1, 2].map {
            Plan.ThreadMember(message: whole.items[$0].message, key: whole.items[$0].key)
        }
        var walk = PlanWalk(whole)
        walk.yes()
        walk.skip()
        walk.yes()
        #expect(applied(walk) == ["m0", "m2"] && walk.choice.left == 1)
        #expect(walk.choice.plan.items[0].threadKeys.map(\.message.rawValue) == ["m2"])
        #expect(walk.choice.shown == Set(whole.items.map(\.key)))
    }

    @Test("without a decision, nothing is applied")
    func nothing() {
        #expect(applied(PlanWalk(plan("a", nil))) == ["m1"])
        #expect(PlanWalk(plan(nil)).item == nil)
    }

    @Test(
        "typed actions are recognised",
        arguments: [
            ("archive", "archive"), ("Trash", "trash"), ("defer friday", "defer"), ("move: Old mail", "move"),
            ("label red", "label"), ("read", "read"), ("defer", nil), ("archive now", nil), ("", nil),
            ("fly", nil),
        ] as [(String, String?)])
    func typed(_ text: String, _ name: String?) {
        guard case .verb(let verb)? = PlanAction(typed: text) else {
            #expect(name == nil && PlanAction(typed: text) == nil)
            return
        }
        #expect(verb.name == name)
    }

    @Test("a task may have a title, and a delegation needs a person")
    func typedTasks() {
        #expect(PlanAction(typed: "task") == .task(title: ""))
        #expect(PlanAction(typed: "task Call Bob") == .task(title: "Call Bob"))
        #expect(PlanAction(typed: "delegate bob@acme.example") == .delegate(to: "bob@acme.example"))
        #expect(PlanAction(typed: "delegate") == nil)
    }
}
