import Foundation
import Glibc
import Models
import Testing

@testable import TaskStore

/// Files that are gone: a person's wish, or an unmounted disk.
@Suite struct TaskDeletionTests {
    @Test("a deleted file is reported, with whether its task was open")
    func deletions() throws {
        let folder = try Folder()
        let known = [
            try folder.create(Folder.todo("u1")), try folder.create(Folder.todo("u2")),
            try folder.create(Folder.todo("u3")),
        ]
        let done = try folder.update("u2", TodoPatch(status: .completed))
        try folder.remove("next/u1.ics")
        try folder.remove("next/u2.ics")
        let scan = try folder.scan([known[0], done, known[2]])
        #expect(scan.changes.map(\.shown) == ["deleted next/u1 open", "deleted next/u2 closed"])
        #expect(scan.files == [known[2]])
    }

    @Test(
        "too many missing files stop the scan",
        arguments: [(20, 5, false), (20, 6, true), (60, 12, false), (60, 13, true)])
    func massDeletion(_ count: Int, _ gone: Int, _ stops: Bool) throws {
        let folder = try Folder()
        let known = try (0..<count).map { try folder.create(Folder.todo("u\($0)")) }
        for file in known.prefix(gone) { try folder.remove(file.path) }
        if stops {
            #expect(throws: TaskStoreError.massDeletion(vanished: gone, known: count)) {
                try folder.scan(known)
            }
        } else {
            #expect(try folder.scan(known).changes.count == gone)
        }
        #expect(try folder.scan(known, allowMassDelete: true).changes.count == gone)
    }

    @Test("a missing or empty root is an unmounted disk")
    func missingRoot() throws {
        let folder = try Folder()
        #expect(try folder.scan([]) == TaskScan())
        let known = [try folder.create(Folder.todo("u1"))]
        try FileManager.default.removeItem(atPath: folder.root)
        let error = TaskStoreError.massDeletion(vanished: 1, known: 1)
        #expect(throws: error) { try folder.scan(known) }
        try FileManager.default.createDirectory(atPath: folder.root, withIntermediateDirectories: false)
        #expect(throws: error) { try folder.scan(known) }
        #expect(
            try folder.scan(known, allowMassDelete: true).changes.map(\.shown) == ["deleted next/u1 open"])
    }

    @Test("a root that is not a folder is always an error")
    func rootIsAFile() throws {
        let folder = try Folder()
        try Data().write(to: URL(filePath: folder.root))
        #expect(throws: TaskStoreError.io(errno: ENOTDIR, path: folder.root)) {
            try folder.scan([], allowMassDelete: true)
        }
    }

    @Test("while a recently damaged file has no UID, no task counts as deleted")
    func nameless() throws {
        let folder = try Folder()
        try folder.write("next/a.ics", Folder.foreign("a"))
        let known = try folder.scan([]).files
        // Before, so that it does not get the inode of the other.
        try folder.write("someday/other.ics", "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\n")
        try folder.remove("next/a.ics")
        let scan = try folder.scan(known)
        #expect(scan.changes.isEmpty && scan.files == known && scan.malformed.count == 1)
        // An hour later it is a broken file like any other.
        let later = Timestamp(seconds: Int64(Date.now.timeIntervalSince1970) + 3_700)
        let again = try folder.store.scan(known: known, now: later, allowMassDelete: false)
        #expect(again.changes.map(\.shown) == ["deleted next/a open"])
    }
}
