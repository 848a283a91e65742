import GRDB
import Testing

@testable import MailStore

/// What a watch asks at each message costs as much as there are tasks, not as there is mail.
@Suite("Queries of tasks")
struct TodoPlanTests {
    @Test(
        "queries for tasks read the tasks first, not the mail",
        arguments: [TodoStore.replies, TodoStore.mailGone])
    func plans(_ sql: String) throws {
        let folder = try StoreFolder()
        let steps = try folder.open().todos.file.reading { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: ["work"]).map { row -> String in
                row["detail"]
            }
        }
        #expect(steps.first?.contains("todo_file") == true, "\(steps)")
        #expect(steps.contains { $0.contains("own USING INTEGER PRIMARY KEY") }, "\(steps)")
    }
}
