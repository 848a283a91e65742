import Models
import Testing

@testable import Planner

/// A file that goes on with a task whose file vanished, and UIDs that opus would give.
@Suite struct TodoSuccessionTests {
    private static let mail = EmailID(rawValue: "m1")

    private static func todo(_ id: String, _ summary: String, _ status: TodoStatus = .completed) -> Todo {
        var todo = Todo(id: TodoID(id), list: .next, summary: summary)
        todo.status = status
        return todo
    }

    private static func pairs(
        _ vanished: [(String, String?)], _ appeared: [Todo]
    ) -> [String] {
        TodoSuccession.pairs(
            vanished: vanished.map { .init(id: TodoID($0.0), message: mail, summary: $0.1) },
            appeared: appeared.map { ($0, mail) }
        ).map { "\($0.old) \($0.new.id)" }
    }

    @Test func `one new file with the same mail continues a task`() {
        #expect(Self.pairs([("a", "Pay")], [Self.todo("x", "Paid")]) == ["a x"])
        #expect(Self.pairs([("a", nil)], [Self.todo("x", "Paid")]) == ["a x"])
    }

    @Test func `of several files, the one with the same title continues the task, or none`() {
        let new = [Self.todo("x", "Two"), Self.todo("y", "One")]
        #expect(Self.pairs([("a", "One"), ("b", "Two")], new).sorted() == ["a y", "b x"])
        #expect(Self.pairs([("a", "Pay"), ("b", "Pay")], [Self.todo("x", "Pay")]) == [])
        #expect(Self.pairs([("a", "One"), ("b", "Two")], [Self.todo("x", "Three")]) == [])
    }

    @Test func `the new file counts as a change of the old task`() {
        let old = Self.todo("a", "Pay", .needsAction)
        let new = Self.todo("x", "Pay")
        let changes: [TodoChange] = [.added(new), .deleted(old, wasOpen: true)]
        let pair = TodoSuccession.pairs(
            vanished: [.init(id: old.id, message: Self.mail, summary: "Pay")], appeared: [(new, Self.mail)])
        #expect(TodoSuccession.rewrite(changes, pair) == [.completed(new)])
        #expect(TodoSuccession.rewrite(changes, []) == changes)
    }

    @Test func `a UID belongs to opus only with its own mail and rule`() {
        let account = AccountID("work")
        let id = TodoIdentity.make(
            account: account, messageID: MessageID("a@x"), message: Self.mail, rule: "pay")
        let isOwn = { (messageID: String, rule: String) in
            TodoIdentity.isOwn(
                id, account: account, messageID: MessageID(messageID), message: Self.mail, rule: rule)
        }
        #expect(isOwn("a@x", "pay"))
        #expect(!isOwn("b@x", "pay"))
        #expect(!isOwn("a@x", "other"))
    }
}
