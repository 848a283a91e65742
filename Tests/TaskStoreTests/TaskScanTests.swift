import Foundation
import Glibc
import Models
import Testing

@testable import TaskStore

@Suite struct TaskScanTests {
    struct Edit: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var replace: [(String, String)]
        var path = "next/u1.ics"
        var changes: [String]

        init(
            _ name: String, _ replace: [(String, String)], to path: String = "next/u1.ics",
            _ changes: String...
        ) {
            testDescription = name
            self.replace = replace
            self.path = path
            self.changes = changes
        }
    }

    @Test(
        "each change of a file is reported as what it is",
        arguments: [
            Edit("nothing", []),
            Edit(
                "done by STATUS", [("STATUS:NEEDS-ACTION", "STATUS:COMPLETED")], "completed next/u1"),
            Edit(
                "done by percent", [("STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:100")], "completed next/u1"),
            Edit("dropped", [("STATUS:NEEDS-ACTION", "STATUS:CANCELLED")], "cancelled next/u1"),
            Edit("begun", [("STATUS:NEEDS-ACTION", "STATUS:IN-PROCESS")], "edited next/u1"),
            Edit("renamed", [("SUMMARY:Call Ann", "SUMMARY:Call Bob")], "edited next/u1"),
            Edit("a due date", [("STATUS", "DUE;VALUE=DATE:20260410\r\nSTATUS")], "edited next/u1"),
            Edit("a start", [("STATUS", "DTSTART;VALUE=DATE:20260410\r\nSTATUS")], "startChanged next/u1"),
            Edit("moved", [], to: "someday/u1.ics", "moved next->someday/u1"),
            Edit("moved under another name", [], to: "waiting/x y.ics", "moved next->waiting/u1"),
            Edit("another name in the same list", [], to: "next/other.ics"),
            Edit(
                "moved and done", [("STATUS:NEEDS-ACTION", "STATUS:COMPLETED")], to: "done/u1.ics",
                "moved next->done/u1", "completed done/u1"),
            Edit(
                "done and renamed",
                [("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"), ("SUMMARY:Call Ann", "SUMMARY:Called")],
                "completed next/u1", "edited next/u1"),
            Edit(
                "only bookkeeping",
                [
                    ("PRODID:-//Magnum Opus//opus//EN", "PRODID:-//Other//EN"),
                    ("DTSTAMP:20260331T150000Z", "DTSTAMP:20270101T000000Z"),
                    ("CREATED:20260331T150000Z\r\n", ""), ("STATUS", "SEQUENCE:9\r\nSTATUS"),
                    ("STATUS", "PERCENT-COMPLETE:0\r\nX-OTHER:1\r\nSTATUS"),
                ]),
            Edit("categories lost by an old program", [("CATEGORIES:@phone\r\n", "")]),
        ])
    func edits(_ edit: Edit) throws {
        let folder = try Folder()
        let known = [try folder.create(Folder.todo("u1"))]
        for (old, new) in edit.replace {
            try folder.edit("next/u1.ics") { text in
                #expect(text.contains(old))
                return text.replacing(old, with: new, maxReplacements: 1)
            }
        }
        if edit.path != "next/u1.ics" { try folder.move("next/u1.ics", to: edit.path) }
        let scan = try folder.scan(known)
        #expect(scan.changes.map(\.shown) == edit.changes)
        #expect(scan.files.map(\.path) == [edit.path])
        #expect(scan.malformed.isEmpty)
        // A second look finds nothing new.
        #expect(try folder.scan(scan.files) == TaskScan(files: scan.files))
    }

    @Test("reopening a completed or cancelled task and cancelling a completed one are reported")
    func phases() throws {
        let folder = try Folder()
        try folder.write("next/a.ics", Folder.foreign("a", "STATUS:COMPLETED"))
        try folder.write("next/b.ics", Folder.foreign("b", "STATUS:CANCELLED"))
        try folder.write("next/c.ics", Folder.foreign("c", "COMPLETED:20260101T000000Z"))
        let known = try folder.scan([]).files
        try folder.write("next/a.ics", Folder.foreign("a"))
        try folder.write("next/b.ics", Folder.foreign("b", "STATUS:NEEDS-ACTION"))
        try folder.write("next/c.ics", Folder.foreign("c", "STATUS:CANCELLED"))
        #expect(
            try folder.scan(known).changes.map(\.shown)
                == ["reopened next/a", "reopened next/b", "cancelled next/c"])
    }

    @Test("the same time in another form is not a change")
    func sameMoment() throws {
        let folder = try Folder()
        try folder.write(
            "next/a.ics",
            Folder.foreign(
                "a", "DTSTART;TZID=Europe/Berlin:20260401T090000", "DUE;TZID=Europe/Berlin:20260402T090000"))
        let known = try folder.scan([]).files
        try folder.write(
            "next/a.ics", Folder.foreign("a", "DTSTART:20260401T070000Z", "DUE:20260402T070000Z"))
        #expect(try folder.scan(known).changes.isEmpty)
    }

    @Test("a file written by opus is not a change, even after an update and a move")
    func echo() throws {
        let folder = try Folder()
        let first = try folder.create(Folder.todo("u1"))
        #expect(try folder.scan([first]) == TaskScan(files: [first]))
        let second = try folder.update("u1", TodoPatch(status: .completed, list: .reference))
        #expect(second.path == "reference/u1.ics")
        #expect(try folder.scan([second]) == TaskScan(files: [second]))
    }

    @Test("tasks of other programs are added; other files are ignored")
    func foreign() throws {
        let folder = try Folder()
        try folder.write("next/a.ics", Folder.foreign("a"))
        try folder.write("my list/b@host.ics", Folder.foreign("b"))
        try folder.write("next/displayname", "Next")
        try folder.write("next/.c.ics", Folder.foreign("c"))
        try folder.write("next/d.ics.tmp", Folder.foreign("d"))
        try folder.write(".hidden/e.ics", Folder.foreign("e"))
        try folder.write("f.ics", Folder.foreign("f"))
        try folder.write("next/sub/g.ics", Folder.foreign("g"))
        try folder.write(
            "next/h.ics", Folder.foreign("h", "RECURRENCE-ID:20260101T000000Z", "STATUS:COMPLETED"))
        let scan = try folder.scan([])
        #expect(scan.changes.map(\.shown) == ["added my list/b", "added next/a"])
        #expect(scan.malformed.isEmpty)
    }

    @Test("an unchanged file is not read again")
    func unchangedIsTrusted() throws {
        let folder = try Folder()
        var file = try folder.create(Folder.todo("u1"))
        // A record that lies about the content shows that the content was not looked at.
        file.todo.summary = "from the record"
        #expect(try folder.scan([file]).files.first?.todo.summary == "from the record")
        file.inode += 1
        file.digest = "other"
        #expect(try folder.scan([file]).changes.map(\.shown) == ["edited next/u1"])
    }

    // MARK: What is left alone

    @Test(
        "a damaged file keeps its task: no change, no deletion, the same bytes",
        arguments: [
            ("", 1, "the file is empty"), ("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u1\r\n", 2, "cut short"),
            ("<<<<<<< ours\n", 1, "NAME:value"),
            (String(repeating: "x", count: 1_100_000), 0, "bytes are more"),
        ])
    func malformed(_ text: String, _ line: Int, _ words: String) throws {
        let folder = try Folder()
        let known = [try folder.create(Folder.todo("u1")), try folder.create(Folder.todo("u2"))]
        try folder.write("next/u1.ics", text)
        let scan = try folder.scan(known)
        #expect(scan.changes.isEmpty)
        #expect(scan.files == known)
        let found = try #require(scan.malformed.first)
        #expect(scan.malformed.count == 1)
        #expect(found.path == "next/u1.ics")
        #expect(found.line == line)
        #expect(found.reason.contains(words))
        #expect(found.id == TodoID("u1"))
        #expect(try folder.text("next/u1.ics") == text)
    }

    @Test("a file that was moved and damaged is recognised by its inode or its UID line")
    func movedAndBroken() throws {
        let folder = try Folder()
        let known = [try folder.create(Folder.todo("u1")), try folder.create(Folder.todo("u2"))]
        try folder.remove("next/u1.ics")
        try folder.write("waiting/copy.ics", "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u1\r\n")
        try folder.move("next/u2.ics", to: "waiting/u2.ics")
        let handle = try FileHandle(forWritingTo: URL(filePath: folder.path("waiting/u2.ics")))
        try handle.truncate(atOffset: 10)
        try handle.close()
        let scan = try folder.scan(known)
        #expect(scan.changes.isEmpty)
        #expect(scan.files == known)
        #expect(scan.malformed.map(\.id) == [TodoID("u1"), TodoID("u2")])
    }

    @Test("if two files have the same UID, neither is changed")
    func duplicates() throws {
        let folder = try Folder()
        let known = [try folder.create(Folder.todo("u1"))]
        try folder.write(
            "waiting/copy.ics", folder.text("next/u1.ics").replacing("NEEDS-ACTION", with: "COMPLETED"))
        let scan = try folder.scan(known)
        #expect(scan.changes.isEmpty)
        #expect(scan.files == known)
        #expect(
            scan.malformed.map(\.reason) == [
                "the same UID as waiting/copy.ics; keep one", "the same UID as next/u1.ics; keep one",
            ])
        #expect(throws: TaskStoreError.self) { try folder.update("u1", TodoPatch(status: .completed)) }
        try folder.remove("waiting/copy.ics")
        #expect(try folder.scan(known) == TaskScan(files: known))
    }

    @Test("links, pipes and linked lists are not read, and no task counts as deleted")
    func notPlainFiles() throws {
        let folder = try Folder()
        let known = [
            try folder.create(Folder.todo("u1")), try folder.create(Folder.todo("u2")),
            try folder.create(Folder.todo("u3", .waiting)),
        ]
        try folder.write("outside", Folder.foreign("u1"))
        try folder.remove("next/u1.ics")
        #expect(symlink(folder.path("outside"), folder.path("next/u1.ics")) == 0)
        try folder.remove("next/u2.ics")
        #expect(mkfifo(folder.path("next/u2.ics"), 0o600) == 0)
        try folder.move("waiting", to: "../elsewhere")
        #expect(symlink(folder.path("../elsewhere"), folder.path("waiting")) == 0)
        let scan = try folder.scan(known)
        #expect(scan.changes.isEmpty)
        #expect(Set(scan.files) == Set(known))
        #expect(scan.malformed.map(\.path) == ["next/u1.ics", "next/u2.ics", "waiting"])
    }

    @Test(
        "an unreadable list or file keeps its tasks",
        .enabled(if: geteuid() != 0, "root reads everything"))
    func unreadable() throws {
        let folder = try Folder()
        let known = [try folder.create(Folder.todo("u1")), try folder.create(Folder.todo("u2", .waiting))]
        try folder.edit("next/u1.ics") { $0 + "\r\n" }
        chmod(folder.path("next/u1.ics"), 0)
        chmod(folder.path("waiting"), 0)
        defer { chmod(folder.path("waiting"), 0o755) }
        let scan = try folder.scan(known)
        #expect(scan.changes.isEmpty)
        #expect(scan.files == known)
        #expect(
            scan.malformed.map(\.reason) == [
                "permission denied; change its owner or mode", "permission denied; change its owner or mode",
            ])
        chmod(folder.root, 0)
        defer { chmod(folder.root, 0o755) }
        #expect(throws: TaskStoreError.permission(path: folder.root)) {
            try folder.scan(known, allowMassDelete: true)
        }
    }

    @Test("thousands of unchanged files are scanned quickly", .timeLimit(.minutes(5)))
    func many() throws {
        let folder = try Folder()
        try folder.write("next/x.ics", Folder.foreign("x"))
        for number in 0..<2_000 {
            let text = Folder.foreign("n\(number)", "DUE:20260401T000000Z")
            try Data(text.utf8).write(to: URL(filePath: folder.path("next/\(number).ics")))
        }
        let files = try folder.scan([]).files
        #expect(files.count == 2_001)
        var changes: [TodoChange]?
        let time = try ContinuousClock().measure { changes = try folder.scan(files).changes }
        #expect(changes == [])
        #expect(time < .seconds(30))
    }
}
