import Models
import TestSupport
import Testing

@testable import Pipeline

/// The session as a value: the focus is never lost, and undo to the beginning gives the beginning.
@Suite("Inbox: the model")
struct InboxModelTests {
    static func items(_ count: Int) -> [InboxItem] {
        (0..<count).map {
            InboxItem(
                account: AccountID("work"), messages: [EmailID(rawValue: "m\($0)")], from: "Bob \($0)",
                subject: "Number \($0)", date: Timestamp(seconds: 1_773_127_800 - Int64($0)))
        }
    }

    private static let verbs: [InboxVerb] = [
        .archive, .trash, .junk, .deferUntil("friday"), .move(to: "Projects"), .label("red"),
        .task(title: ""), .wait(until: ""), .delegate(to: "bob@acme.example", note: ""), .draft,
        .rule(path: "/x", text: "y"),
    ]

    /// What must hold after each key.
    private func check(_ model: InboxModel, _ what: String) {
        #expect(model.left == model.left.sorted() && Set(model.left).count == model.left.count, "\(what)")
        let shown = model.found.map { found in model.left.filter(found.contains) } ?? model.left
        #expect(model.rows == shown, "\(what)")
        #expect(
            model.rows.isEmpty ? model.focus == 0 && model.focused == nil : model.focused != nil,
            "the focus is lost: \(what)")
        #expect(model.selected.isSubset(of: model.rows), "\(what)")
    }

    @Test(
        "after 1,000 random keys the focus is on an item, and undoing everything restores the beginning",
        arguments: 1...10)
    func random(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let start = InboxModel(items: Self.items(40))
        var model = start
        for step in 0..<1_000 {
            let what = "seed \(seed), key \(step)"
            switch random.below(12) {
            case 0: model.moveFocus(by: random.below(7) - 3)
            case 1: model.setFocus(random.below(50))
            case 2: model.toggleSelection()
            case 3: _ = model.takeBack()
            case 4:
                model.show(
                    only: random.below(3) == 0 ? Set((0..<40).filter { _ in random.below(2) == 0 }) : nil)
            case 5:
                // An order that the account refuses comes back, whenever that is.
                let before = model.focused
                if let order = model.decide(Self.verbs[random.below(Self.verbs.count)]) {
                    if random.below(2) == 0 { model.moveFocus(by: 1) }
                    let focused = model.focused
                    model.refuse(order.number)
                    #expect(model.focused == (focused ?? before), "\(what)")
                }
            case 6: model.clearSelection()
            case _: _ = model.decide(Self.verbs[random.below(Self.verbs.count)])
            }
            check(model, what)
            if model.isEmpty { while random.below(5) > 0, model.takeBack() != nil {} }
        }
        while model.takeBack() != nil { check(model, "undo") }
        model.show(only: nil)
        model.clearSelection()
        model.setFocus(0)
        #expect(model.state == start.state)
    }

    @Test("undoing decisions one by one restores each earlier state")
    func exact() {
        var random = SeededGenerator(seed: 7)
        var model = InboxModel(items: Self.items(30))
        var states: [InboxModel] = []
        while !model.isEmpty, states.count < 100 {
            if random.below(4) == 0 { model.toggleSelection() }
            states.append(model.state)
            let order = model.decide(Self.verbs[random.below(Self.verbs.count)])
            #expect(order != nil)
        }
        while let before = states.popLast() {
            let done = model.takeBack()
            #expect(done != nil && model.state == before)
        }
        #expect(!model.canUndo)
    }

    @Test("the next item gets the focus, and at the end the last one")
    func advance() {
        var model = InboxModel(items: Self.items(3))
        model.setFocus(1)
        let order = model.decide(.archive)
        #expect(order?.items.map(\.subject) == ["Number 1"])
        #expect(model.item?.subject == "Number 2")
        _ = model.decide(.trash)
        #expect(model.item?.subject == "Number 0")
        _ = model.decide(.label("x"))
        #expect(model.item?.subject == "Number 0" && model.labels(of: 0) == ["x"])
        _ = model.decide(.archive)
        let none = model.decide(.archive)
        #expect(model.item == nil && model.isEmpty && none == nil)
        let done = model.takeBack()
        #expect(done?.verb == .archive)
        #expect(model.item?.subject == "Number 0")
        #expect(model.tally.map(\.word) == ["archived", "to the trash", "labelled"])
    }

    @Test("a decision that failed is not counted as done, and can be undone")
    func failed() {
        var model = InboxModel(items: Self.items(3))
        let first = model.items[0].messages[0]
        model.toggleSelection()
        model.toggleSelection()
        let order = model.decide(.archive)
        model.fail(order?.number ?? 0, first)
        model.fail(order?.number ?? 0, first)
        #expect(model.tally.map { "\($0.count) \($0.word)" } == ["1 archived", "1 failed"])
        #expect(model.rows == [2])
        _ = model.takeBack()
        #expect(model.tally.isEmpty && model.rows == [0, 1, 2])
        model.fail(order?.number ?? 0, first)
        #expect(model.tally.isEmpty)
    }

    @Test("undo passes over messages that had departed, and over decisions about nothing else")
    func departed() {
        var model = InboxModel(items: Self.items(4))
        _ = model.decide(.archive)
        model.toggleSelection()
        model.toggleSelection()
        let both = model.decide(.trash)
        model.depart(both?.number ?? 0, model.items[1].messages[0])
        let only = model.decide(.archive)
        model.depart(only?.number ?? 0, model.items[3].messages[0])
        #expect(
            model.isEmpty
                && model.tally.map { "\($0.count) \($0.word)" } == [
                    "1 archived", "1 to the trash", "2 failed",
                ])
        #expect(model.takeBack()?.number == both?.number)
        #expect(model.rows == [2] && model.selected == [2])
        #expect(model.takeBack()?.verb == .archive)
        #expect(model.rows == [0, 2] && !model.canUndo)
        #expect(model.takeBack() == nil)
        #expect(model.tally.map { "\($0.count) \($0.word)" } == ["1 failed"])
    }

    @Test("a decision applies to all selected items, and one undo restores them")
    func selection() {
        var model = InboxModel(items: Self.items(5))
        model.toggleSelection()
        model.moveFocus(by: 1)
        model.toggleSelection()
        let order = model.decide(.archive)
        #expect(order?.items.map(\.subject) == ["Number 0", "Number 2"])
        #expect(model.rows == [1, 3, 4] && model.item?.subject == "Number 3" && model.selected.isEmpty)
        _ = model.takeBack()
        #expect(model.rows == [0, 1, 2, 3, 4] && model.selected == [0, 2])
    }

    @Test("the pace counts decisions, and long pauses only in part")
    func pace() {
        var pace = InboxPace(start: 100)
        #expect(pace.words(left: 14) == "14 left")
        for number in 1...4 { pace.note(at: 100 + Double(number) * 25) }
        #expect(pace.words(left: 14) == "14 left, about 6 min at your pace")
        #expect(pace.words(left: 1) == "1 left, less than a minute at your pace")
        pace.note(at: 10_000)
        #expect(pace.spent == 220)
        #expect(InboxPace(start: 0).words(left: 0) == "0 left")
    }

    @Test("each key has one action, and each action a key")
    func keys() {
        let keys = InboxKeys.table.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        #expect(Set(InboxKeys.table.map(\.command)) == Set(InboxAction.allCases))
        #expect(InboxKeys.help.count == InboxKeys.table.count)
    }
}
