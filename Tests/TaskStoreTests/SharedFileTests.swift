import Models
import Testing

@testable import TaskStore

@Suite("task files that hold several tasks, or none")
struct SharedFileTests {
    static let list = """
        BEGIN:VCALENDAR
        VERSION:2.0
        BEGIN:VTODO
        UID:a
        SUMMARY:Milk
        END:VTODO
        BEGIN:VTODO
        UID:b
        SUMMARY:Bread
        END:VTODO
        END:VCALENDAR

        """
    static let event = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:e\nEND:VEVENT\nEND:VCALENDAR\n"

    @Test("all tasks of a file are found once, and removed ones are reported")
    func scanned() throws {
        let folder = try Folder()
        try folder.write("next/home.ics", Self.list)
        let first = try folder.scan([])
        #expect(first.files.map(\.todo.summary) == ["Milk", "Bread"] && first.malformed.isEmpty)
        #expect(try folder.scan(first.files).changes.isEmpty)
        try folder.edit("next/home.ics") { $0.replacing("UID:b", with: "UID:c") }
        let second = try folder.scan(first.files)
        #expect(second.changes.map(\.todo.id.rawValue).sorted() == ["b", "c"])
    }

    @Test("a file of events is counted, and is not an error")
    func events() throws {
        let folder = try Folder()
        try folder.write("next/home.ics", Self.list)
        try folder.write("next/fair.ics", Self.event)
        let scan = try folder.scan([])
        #expect(scan.eventFiles == 1 && scan.malformed.isEmpty && scan.files.count == 2)
        #expect(try folder.text("next/fair.ics") == Self.event)
    }

    @Test("a change of one task stays in its lines, and the next scan finds other changes in the file")
    func changed() throws {
        let folder = try Folder()
        try folder.write("next/home.ics", Self.list.replacing("UID:b", with: "UID:b\nPRIORITY:3"))
        var known = try folder.scan([]).files.filter { $0.todo.id == TodoID("a") }
        known = [try folder.store.update(TodoID("a"), TodoPatch(summary: "Oat milk"), now: Folder.now)]
        let text = try folder.text("next/home.ics")
        #expect(text.contains("SUMMARY:Oat milk\n") && text.contains("UID:b\nPRIORITY:3\nSUMMARY:Bread\n"))
        let scan = try folder.scan(known)
        #expect(scan.changes.map(\.todo.id) == [TodoID("b")])
        #expect(scan.files.count == 2)
    }

    @Test("a task that two files claimed is found in the one that is left")
    func merged() throws {
        let folder = try Folder()
        let parts = Self.list.split(separator: "BEGIN:VTODO\nUID:b", omittingEmptySubsequences: false)
        try folder.write("next/a.ics", parts[0] + "END:VCALENDAR\n")
        try folder.write("next/b.ics", "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VTODO\nUID:b" + parts[1])
        let apart = try folder.scan([]).files
        #expect(apart.count == 2)
        try folder.edit("next/a.ics") { _ in Self.list }
        let twice = try folder.scan(apart)
        #expect(twice.malformed.count == 2 && twice.changes.isEmpty)
        #expect(try folder.scan(twice.files).files == twice.files)
        try folder.remove("next/b.ics")
        let together = try folder.scan(twice.files)
        #expect(together.changes.isEmpty && together.malformed.isEmpty)
        #expect(Set(together.files.map(\.path)) == ["next/a.ics"] && together.files.count == 2)
    }

    @Test("a task that shares its file cannot move to another list")
    func moved() throws {
        let folder = try Folder()
        try folder.write("next/home.ics", Self.list)
        let shared = TaskStoreError.sharedFile(path: folder.path("next/home.ics"), tasks: 2)
        let patch = TodoPatch(list: .someday)
        #expect(throws: shared) { try folder.store.update(TodoID("a"), patch, now: Folder.now) }
        #expect(throws: shared) { try folder.store.wouldChange(TodoID("a"), patch, now: Folder.now) }
        #expect(try folder.names() == ["next/home.ics"])
    }

    @Test("a damaged file keeps all of its tasks")
    func broken() throws {
        let folder = try Folder()
        try folder.write("next/home.ics", Self.list)
        let known = try folder.scan([]).files
        try folder.write("next/home.ics", String(Self.list.prefix(60)))
        let scan = try folder.scan(known, allowMassDelete: true)
        #expect(scan.changes.isEmpty && scan.files.count == 2 && scan.malformed.count == 1)
    }

    @Test("a task whose UID is in two files is left alone, and the other tasks of the files are read")
    func duplicate() throws {
        let folder = try Folder()
        try folder.write("next/home.ics", Self.list)
        try folder.write("next/copy.ics", Self.list.replacing("UID:b", with: "UID:c"))
        let scan = try folder.scan([])
        #expect(scan.files.map(\.todo.id.rawValue).sorted() == ["b", "c"])
        #expect(scan.malformed.count == 2)
    }
}
