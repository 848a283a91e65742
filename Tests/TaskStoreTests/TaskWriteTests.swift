import Files
import Foundation
import Glibc
import Models
import Synchronization
import Testing
import TodoCalendar

@testable import TaskStore

@Suite struct TaskWriteTests {
    @Test("a new task is a file named by its UID in the folder of its list")
    func create() throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo("0f3c-1", .waiting))
        #expect(file.path == "waiting/0f3c-1.ics")
        #expect(try folder.names() == ["waiting/0f3c-1.ics", "waiting/displayname"])
        #expect(try folder.text("waiting/displayname") == "Waiting for")
        #expect(file.todo.messageID == MessageID("0f3c-1@example.org"))
        #expect(file.size == (try folder.text(file.path)).utf8.count)
    }

    @Test("creating a task again changes nothing, wherever its file is")
    func idempotent() throws {
        let folder = try Folder()
        let first = try folder.create(Folder.todo("u1", summary: "first"))
        #expect(try folder.create(Folder.todo("u1", summary: "second")) == first)
        try folder.move("next/u1.ics", to: "someday/renamed by hand.ics")
        let moved = try folder.create(Folder.todo("u1"))
        #expect(moved.path == "someday/renamed by hand.ics")
        #expect(moved.todo.summary == "first")
        // The same for a store that has not seen the folder before.
        #expect(try TaskFiles(root: folder.root).create(Folder.todo("u1"), now: Folder.now) == moved)
        #expect(try folder.names().filter { $0.hasSuffix(".ics") } == ["someday/renamed by hand.ics"])
    }

    @Test(
        "a UID is never a path",
        arguments: [
            "../../etc/passwd", ".hidden", "a/b", "ü", "a b",
            String(repeating: "x", count: 121), "a\\b,c;d",
        ])
    func hostileUID(_ uid: String) throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo(uid))
        #expect(file.path.wholeMatch(of: /next\/[0-9a-f-]{36}\.ics/) != nil)
        #expect(try folder.names().count == 2)
        #expect(try folder.create(Folder.todo(uid)).path == file.path)
        #expect(try folder.scan([file]) == TaskScan(files: [file]))
    }

    @Test("an invalid UID is refused", arguments: ["nul\u{0}x", "a\r\nb", "", " x"])
    func impossibleUID(_ uid: String) throws {
        let folder = try Folder()
        let error = #expect(throws: TaskStoreError.self) { try folder.create(Folder.todo(uid)) }
        guard case .refused(path: _, error: let reason) = error else { throw error ?? .notFound(TodoID(uid)) }
        #expect([.badUID, .noUID].contains(reason.code))
        #expect(try folder.names() == ["next/displayname"])
    }

    @Test("the file of another task is not replaced")
    func nameTaken() throws {
        let folder = try Folder()
        try folder.write("next/u1.ics", Folder.foreign("someone else"))
        let file = try folder.create(Folder.todo("u1"))
        #expect(file.path != "next/u1.ics")
        #expect(try folder.text("next/u1.ics") == Folder.foreign("someone else"))
        #expect(try folder.create(Folder.todo("u1")) == file)
    }

    @Test("a damaged file of the task is not written again", arguments: ["UID:u1\r\n", ""])
    func brokenIsNotDoubled(_ text: String) throws {
        let folder = try Folder()
        try folder.write("waiting/u1.ics", text)
        #expect(throws: TaskStoreError.self) { try folder.create(Folder.todo("u1")) }
        #expect(try folder.names() == ["waiting/u1.ics"])
        // Repaired in place, it is found.
        let handle = try FileHandle(forWritingTo: URL(filePath: folder.path("waiting/u1.ics")))
        try handle.write(contentsOf: Data(Folder.foreign("u1").utf8))
        try handle.close()
        #expect(try folder.create(Folder.todo("u1")).path == "waiting/u1.ics")
    }

    @Test("the name of a list must be one folder name", arguments: ["", "..", "a/b", ".x", "x\n"])
    func badList(_ name: String) throws {
        let folder = try Folder()
        #expect(throws: TaskStoreError.badListName(name)) {
            try folder.create(Folder.todo("u1", GTDList(name)))
        }
        _ = try folder.create(Folder.todo("u2"))
        #expect(throws: TaskStoreError.badListName(name)) {
            try folder.update("u2", TodoPatch(list: GTDList(name)))
        }
    }

    @Test("nothing is written through a list that is a link")
    func linkedList() throws {
        let folder = try Folder()
        try folder.write("../elsewhere/x", "")
        try folder.write("next/x", "")
        #expect(symlink(folder.path("../elsewhere"), folder.path("waiting")) == 0)
        #expect(throws: TaskStoreError.io(errno: ENOTDIR, path: folder.path("waiting"))) {
            try folder.create(Folder.todo("u1", .waiting))
        }
    }

    @Test("an update changes its lines, keeps name and permissions, and leaves no other file")
    func update() throws {
        let folder = try Folder()
        try folder.write("next/by hand.ics", Folder.foreign("u1", "X-KEEP;A=1:x", "LINK:https://example.org"))
        chmod(folder.path("next/by hand.ics"), 0o600)
        let file = try folder.update("u1", TodoPatch(status: .completed))
        #expect(file.path == "next/by hand.ics")
        #expect(file.todo.isCompleted)
        let text = try folder.text("next/by hand.ics")
        #expect(text.contains("X-KEEP;A=1:x\r\nLINK:https://example.org\r\n"))
        #expect(try folder.names() == ["next/by hand.ics"])
        #expect(try SystemCall.version(folder.path(file.path)).mode & 0o777 == 0o600)
        // A second run changes nothing, not even the file's time.
        #expect(try folder.update("u1", TodoPatch(status: .completed)) == file)
    }

    @Test("moving to another list moves the file unchanged")
    func moveList() throws {
        let folder = try Folder()
        let before = try folder.create(Folder.todo("u1"))
        let after = try folder.update("u1", TodoPatch(list: .someday))
        #expect(after.path == "someday/u1.ics")
        #expect(after.digest == before.digest)
        #expect(after.inode == before.inode)
        #expect(try folder.store.file(for: TodoID("u1")) == after)
        #expect(try folder.update("u1", TodoPatch(list: .someday)) == after)
    }

    @Test("a move stops if the other list has a file of the name")
    func moveOntoAnother() throws {
        let folder = try Folder()
        _ = try folder.create(Folder.todo("u1"))
        try folder.write("someday/u1.ics", Folder.foreign("x"))
        #expect(throws: TaskStoreError.nameTaken(path: folder.path("someday/u1.ics"))) {
            try folder.update("u1", TodoPatch(list: .someday))
        }
        #expect(try folder.names().filter { $0.hasSuffix(".ics") } == ["next/u1.ics", "someday/u1.ics"])
    }

    @Test(
        "the error about a task that cannot be changed gives the reason",
        arguments: [
            ("nobody", "no task file has the UID nobody"), ("series", "a repeating task"),
            ("cut", "cut short"),
        ])
    func refusals(_ id: String, _ words: String) throws {
        let folder = try Folder()
        try folder.write(
            "next/series.ics", Folder.foreign("series", "RRULE:FREQ=DAILY", "DTSTART:20260101T000000Z"))
        try folder.write("next/cut.ics", "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:cut\r\n")
        let before = try ["next/series.ics", "next/cut.ics"].map { try folder.text($0) }
        let error = #expect(throws: TaskStoreError.self) {
            try folder.update(id, TodoPatch(status: .completed))
        }
        #expect(error.map { "\($0)".contains(words) } == true)
        #expect(try ["next/series.ics", "next/cut.ics"].map { try folder.text($0) } == before)
    }

    // MARK: Other writers

    static let theirs = Folder.foreign("u1", "DESCRIPTION:theirs")

    @Test(
        "a file changed between the check and the write keeps the other version",
        arguments: [true, false])
    func changedMeanwhile(_ hasExchange: Bool) throws {
        let folder = try Folder()
        _ = try folder.create(Folder.todo("u1"))
        if !hasExchange { folder.store.renaming.exchange = { _, _, _ in EINVAL } }
        folder.store.willReplace = { path in
            try? Data(Self.theirs.utf8).write(to: URL(filePath: path), options: .atomic)
        }
        #expect(throws: TaskStoreError.changedMeanwhile(path: folder.path("next/u1.ics"))) {
            try folder.update("u1", TodoPatch(summary: "ours"))
        }
        #expect(try folder.text("next/u1.ics") == Self.theirs)
        #expect(try folder.names() == ["next/displayname", "next/u1.ics"])
        folder.store.willReplace = nil
        #expect(try folder.update("u1", TodoPatch(summary: "ours")).todo.notes == "theirs")
    }

    @Test("a file removed between the check and the write is not created again")
    func vanishedMeanwhile() throws {
        let folder = try Folder()
        _ = try folder.create(Folder.todo("u1"))
        folder.store.willReplace = { unlink($0) }
        #expect(throws: TaskStoreError.changedMeanwhile(path: folder.path("next/u1.ics"))) {
            try folder.update("u1", TodoPatch(summary: "ours"))
        }
        #expect(try folder.names() == ["next/displayname"])
    }

    @Test("a third version saved between two exchanges is kept")
    func thirdWriter() throws {
        let folder = try Folder()
        _ = try folder.create(Folder.todo("u1"))
        let path = folder.path("next/u1.ics")
        let third = Folder.foreign("u1", "DESCRIPTION:third")
        folder.store.willReplace = { path in
            try? Data(Self.theirs.utf8).write(to: URL(filePath: path), options: .atomic)
        }
        let calls = Mutex(0)
        folder.store.renaming.exchange = { directory, from, to in
            // After the first exchange, and before the one that reverts it.
            if calls.withLock({ count in
                count += 1; return count
            }) == 2 {
                try? Data(third.utf8).write(to: URL(filePath: path), options: .atomic)
            }
            return Renaming.system.exchange(directory, from, to)
        }
        #expect(throws: TaskStoreError.changedMeanwhile(path: path)) {
            try folder.update("u1", TodoPatch(summary: "ours"))
        }
        #expect(try folder.text("next/u1.ics") == third)
        #expect(try folder.names() == ["next/displayname", "next/u1.ics"])
    }

    @Test("the store works on a file system without atomic renames")
    func plainFileSystem() throws {
        let folder = try Folder()
        folder.store.renaming = Renaming(noReplace: { _, _, _ in ENOSYS }, exchange: { _, _, _ in EINVAL })
        _ = try folder.create(Folder.todo("u1"))
        try folder.write("next/u2.ics", Folder.foreign("other"))
        #expect(try folder.create(Folder.todo("u2")).path != "next/u2.ics")
        let file = try folder.update("u1", TodoPatch(list: .someday, summary: "new"))
        #expect(file.todo.summary == "new")
        #expect(try folder.scan([file]).changes.count == 2)
        #expect(try folder.names().filter { $0.contains("tmp") || $0.contains("u1") } == ["someday/u1.ics"])
    }

    @Test("the index notices changes of other programs between calls")
    func indexKeepsUp() throws {
        let folder = try Folder()
        _ = try folder.create(Folder.todo("u1"))
        #expect(try folder.store.file(for: TodoID("u2")) == nil)
        try folder.write("next/x.ics", Folder.foreign("u2"))
        #expect(try folder.store.file(for: TodoID("u2"))?.path == "next/x.ics")
        // In place: the folder's time does not change.
        let handle = try FileHandle(forWritingTo: URL(filePath: folder.path("next/x.ics")))
        try handle.write(contentsOf: Data(Folder.foreign("u3").utf8))
        try handle.close()
        #expect(try folder.store.file(for: TodoID("u3"))?.path == "next/x.ics")
        #expect(try folder.store.file(for: TodoID("u2")) == nil)
        try FileManager.default.removeItem(atPath: folder.path("next"))
        #expect(try folder.store.file(for: TodoID("u1")) == nil)
    }

    @Test("errors of the system have a name and a path")
    func systemErrors() {
        #expect(TaskStoreError(errno: ENOSPC, path: "p") == .noSpace(path: "p"))
        #expect(TaskStoreError(errno: EDQUOT, path: "p") == .noSpace(path: "p"))
        #expect(TaskStoreError(errno: EROFS, path: "p") == .readOnly(path: "p"))
        #expect(TaskStoreError(errno: EACCES, path: "p") == .permission(path: "p"))
        #expect("\(TaskStoreError(errno: EIO, path: "p"))" == "p: input/output error")
    }
}
