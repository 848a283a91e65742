import Foundation
import GRDB
import Models
import Testing

@testable import MailStore

@Suite struct TodoRecordTests {
    /// A task that says something in each of its fields.
    private func full() throws -> Todo {
        let day = try #require(CalendarDate("2026-03-31"))
        var todo = Todo(id: TodoID("u\u{0}1"), list: GTDList("Bücher"), summary: "Ask Zoë 🙂")
        todo.notes = String(repeating: "line\n", count: 100)
        todo.status = .inProcess
        todo.completed = Timestamp(seconds: -1)
        todo.percentComplete = 50
        todo.priority = 9
        todo.due = .local(LocalDateTime(date: day, hour: 9, minute: 0), zone: "Europe/Berlin")
        todo.start = .date(day)
        todo.categories = ["@office", ""]
        todo.url = "mid:1@x"
        todo.contact = ""
        todo.alarmSecondsBefore = 900
        todo.parent = TodoID("p")
        todo.dependsOn = [TodoID("d1"), TodoID("d2")]
        todo.recurrence = "FREQ=DAILY"
        todo.doneInstances = ["20260330"]
        todo.created = Timestamp(seconds: 1_774_969_200)
        todo.messageID = MessageID("1@x")
        todo.account = AccountID("work")
        todo.rule = "r"
        todo.timeZone = "Europe/Paris"
        todo.waitingOn = "Bob"
        todo.delegatedMessageID = MessageID("2@x")
        todo.onReply = .close
        todo.excludedDates = [.date(day), .instant(Timestamp(seconds: 7))]
        todo.addedDates = [.local(LocalDateTime(date: day, hour: 1, minute: 2), zone: "UTC")]
        todo.unread = ["SUMMARY": "a1", "DUE": ""]
        return todo
    }

    @Test("every field of a task is stored, and an empty task stays empty")
    func fields() throws {
        let todo = try full()
        for field in Mirror(reflecting: todo).children {
            let isNil =
                Mirror(reflecting: field.value).displayStyle == .optional
                && Mirror(reflecting: field.value).children.isEmpty
            #expect(!isNil, "\(field.label ?? "") is to be set here, so that it is seen to be kept")
        }
        #expect(try TodoRecord.decode(TodoRecord.encode(todo)) == todo)
        let bare = Todo(id: TodoID(""), list: .next, summary: "")
        #expect(try TodoRecord.decode(TodoRecord.encode(bare)) == bare)
    }

    @Test("each form of a date is read back in the same form")
    func dates() throws {
        let day = try #require(CalendarDate("1969-12-31"))
        let reading = LocalDateTime(date: day, hour: 23, minute: 59)
        let dates: [TodoDate] = [
            .date(day), .instant(Timestamp(seconds: .min)), .local(reading, zone: nil),
            .local(reading, zone: ""), .local(reading, zone: "Europe/Paris"),
        ]
        for date in dates {
            var todo = try full()
            (todo.due, todo.start) = (date, date)
            #expect(try TodoRecord.decode(TodoRecord.encode(todo)) == todo)
        }
    }

    @Test("bytes that are not a record are an error")
    func damaged() throws {
        let todo = try full()
        let whole = TodoRecord.encode(todo)
        for count in 0..<whole.count {
            let part = try? TodoRecord.decode(whole.prefix(count))
            #expect(part != todo, "the first \(count) bytes are not the whole task")
        }
        for bytes: [UInt8] in [[], [1], [2, 0], [1, 0, 0, 0], [1, 2, 0x61, 2, 0x62, 200]] {
            #expect(throws: DecodingError.self) { try TodoRecord.decode(Data(bytes)) }
        }
    }

    @Test("tasks in the JSON of an older version are read, and each file is scanned again once")
    func json() throws {
        let folder = try StoreFolder()
        let file = TodoFile(
            todo: try full(), path: "next/a.ics", size: 7, modifiedNanoseconds: 1, inode: 1, digest: "ab")
        let first = try folder.open()
        try first.todos.saveTodoFiles([file], removing: [])
        first.close()
        let queue = try DatabaseQueue(path: folder.path)
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: "UPDATE todo_file SET content = ?", arguments: [try JSONEncoder().encode(file.todo)])
            try db.execute(sql: "\(Downgrade.stepWords) PRAGMA user_version = 10")
        }
        try queue.close()
        let later = try folder.open()
        let read = try #require(try later.todos.todoFiles().first)
        #expect(read.todo == file.todo && read.size == -1)
        #expect(try later.todos.todoFile(file.todo.id) == read)
        try later.todos.saveTodoFiles([file], removing: [])
        #expect(try later.todos.todoFiles() == [file])
    }
}
