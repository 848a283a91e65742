import Models
import Testing

@testable import TaskStore

@Suite struct TaskBatchTests {
    @Test("many tasks are created as one would be, and creating them again changes nothing")
    func batch() throws {
        let folder = try Folder()
        let todos =
            (0..<50).map { Folder.todo("u\($0)", $0.isMultiple(of: 2) ? .next : .waiting) }
            + [Folder.todo("../x"), Folder.todo("bad", GTDList("a/b")), Folder.todo("a\r\nb")]
        let results = folder.store.create(todos, now: Folder.now)
        #expect(results.count == 53)
        let files = try results.prefix(51).map { try $0.get() }
        #expect(throws: TaskStoreError.badListName("a/b")) { try results[51].get() }
        #expect(throws: TaskStoreError.self) { try results[52].get() }
        #expect(try folder.scan(files) == TaskScan(files: files.sorted { $0.path < $1.path }))
        let single = try TaskFiles(root: folder.root).create(todos[3], now: Folder.now + 60)
        #expect(single == files[3])
        #expect(
            try folder.store.create(Array(todos.prefix(51)), now: Folder.now + 60).map { try $0.get() }
                == files)
        #expect(try folder.names().filter { $0.hasSuffix(".ics") }.count == 51)
        #expect(try !folder.names().contains { $0.hasSuffix(".tmp") })
    }

    @Test("a batch does not replace the file of another task")
    func taken() throws {
        let folder = try Folder()
        try folder.write("next/u1.ics", Folder.foreign("someone else"))
        let files = try folder.store.create([Folder.todo("u1"), Folder.todo("u1")], now: Folder.now).map {
            try $0.get()
        }
        #expect(files[0] == files[1] && files[0].path != "next/u1.ics")
        #expect(try folder.text("next/u1.ics") == Folder.foreign("someone else"))
    }
}
