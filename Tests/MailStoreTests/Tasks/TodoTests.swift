import MailStore
import Models
import Testing

@Suite struct TodoTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
    }

    @Test("task files are read back as they were written, replaced by id, and removed")
    func files() throws {
        var todo = Todo(id: TodoID("t1"), list: .waiting, summary: "Ask Zoë")
        todo.due = .local(
            LocalDateTime(date: try #require(CalendarDate("2026-03-31")), hour: 9, minute: 0),
            zone: "Europe/Berlin")
        todo.messageID = MessageID("1@x")
        var file = TodoFile(
            todo: todo, path: "waiting/t1.ics", size: 512, modifiedNanoseconds: .max, inode: .max,
            digest: "ab")
        try store.todos.saveTodoFiles([file], removing: [])
        #expect(try store.todos.todoFiles() == [file])

        file.todo.summary = "Ask again"
        file.path = "next/t1.ics"
        try store.todos.saveTodoFiles([file], removing: [TodoID("t1"), TodoID("nobody")])
        #expect(try store.todos.todoFiles() == [file])
        try store.todos.saveTodoFiles([], removing: [TodoID("t1")])
        #expect(try store.todos.todoFiles() == [])
    }

    @Test("a task is linked to its mail even after its file is removed")
    func links() throws {
        let todo = TodoID("t1")
        #expect(throws: MailStoreError.unknownMessage(id("x"))) {
            try store.todos.linkTodo(todo, to: id("x"), account: work, rule: "r")
        }
        try store.todos.linkTodo(todo, to: id("a"), account: work, rule: "r")
        try store.todos.linkTodo(todo, to: id("b"), account: work, rule: "s")
        try store.todos.saveTodoFiles([], removing: [todo])
        let link = TodoLink(message: id("b"), thread: ThreadID(rawValue: "b"), account: work, rule: "s")
        #expect(try store.todos.links(for: [todo, TodoID("t2")]) == [todo: link])
    }
}
