import Models
import Testing

@testable import Rules

@Suite struct TaskQueryTests {
    private let call: Todo = {
        var todo = Todo(id: TodoID("a"), list: .next, summary: "Call Zoë O’Brien")
        todo.notes = "About the 日本語のメモ12"
        todo.contact = "Ana Ruiz <ana@acme.example>"
        todo.categories = ["@phone"]
        return todo
    }()

    @Test(
        "a query finds tasks by words of the title, notes, contact and contexts, and by their list",
        arguments: [
            ("zoe", true), ("subject:zo", true), ("body:zoe", false), ("body:about", true), ("oë", false),
            ("text:~oë", true), ("o'brien", true), ("メモ", true), ("12", true), ("ana@acme.example", true),
            ("phone", true), ("\"call zoe\"", true), ("\"zoe call\"", false), ("text:/Call Z/", true),
            ("task:list:next", true), ("task:list:someday", false), ("-task:list:someday", true),
            ("zoe -paint", true), ("-zoe", false), ("zoe paint", false), ("paint OR zoe", true),
            ("(paint OR door) zoe", false), ("*", true),
        ])
    func words(_ text: String, _ holds: Bool) throws {
        let query = try query(text)
        #expect(query.matches(call) == holds)
        #expect(query.mailConditions.isEmpty)
    }

    @Test("a condition about mail holds for no task, nor does its negation, and the query names it")
    func mail() throws {
        for text in ["is:unread", "zoe is:unread", "zoe -is:unread", "-from:bob"] {
            #expect(try !query(text).matches(call), "\(text)")
        }
        #expect(try query("zoe OR is:unread").matches(call))
        #expect(try query("zoe -is:unread from:ana").mailConditions == ["is:unread", "from:ana"])
    }

    @Test("definitions are followed")
    func definitions() throws {
        let rules = try rules(
            "define: { calls: 'call', late: 'older:2d call' }\nrules:\n  - { id: r, when: '*', then: flag }\n"
        )
        let (calls, late) = (
            try Query.parse("is:calls", rules: rules).get(), try Query.parse("is:late", rules: rules).get()
        )
        #expect(calls.matches(call) && calls.mailConditions.isEmpty)
        #expect(!late.matches(call) && late.mailConditions == ["is:late"])
    }
}
