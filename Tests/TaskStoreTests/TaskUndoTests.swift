import Foundation
import Glibc
import Models
import Synchronization
import Testing

@testable import TaskStore

/// A file of ours is taken back while it is as we left it; a later change of another program stays.
@Suite struct TaskUndoTests {
    @Test func `an unchanged task is removed, and removing it again is not an error`() throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo("u1"))
        _ = try folder.create(Folder.todo("u2"))
        try folder.store.remove(file.todo.id, digest: file.digest)
        try folder.store.remove(file.todo.id, digest: file.digest)
        #expect(try folder.names() == ["next/displayname", "next/u2.ics"])
        #expect(try folder.store.content(of: file.todo.id) == nil)
    }

    @Test func `an edited task is not removed, even if it was moved`() throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo("u1"))
        try folder.edit("next/u1.ics") { $0.replacing("SUMMARY:", with: "SUMMARY:Edited ") }
        let edited = try folder.text("next/u1.ics")
        #expect(throws: TaskStoreError.changedMeanwhile(path: folder.path("next/u1.ics"))) {
            try folder.store.remove(file.todo.id, digest: file.digest)
        }
        #expect(try folder.text("next/u1.ics") == edited)
    }

    @Test func `an edit between the check and the removal is never lost`() throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo("u1"))
        folder.store.willReplace = { path in
            try? Data("BEGIN:VCALENDAR another version".utf8).write(to: URL(filePath: path), options: .atomic)
        }
        #expect(throws: TaskStoreError.self) { try folder.store.remove(file.todo.id, digest: file.digest) }
        #expect(try folder.text("next/u1.ics") == "BEGIN:VCALENDAR another version")
        #expect(try folder.names() == ["next/displayname", "next/u1.ics"])
    }

    @Test func `a removed task is restored byte for byte, and restoring it again is not an error`() throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo("u1"))
        let before = try #require(try folder.store.content(of: file.todo.id))
        try folder.store.remove(file.todo.id, digest: file.digest)
        for _ in 1...2 {
            let back = try folder.store.restore(
                file.todo.id, path: before.path, content: before.bytes, digest: nil)
            #expect(back.digest == file.digest)
            #expect(back.path == file.path)
        }
        #expect(try folder.names() == ["next/displayname", "next/u1.ics"])
    }

    @Test func `a changed task gets its former bytes and list`() throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo("u1"))
        let before = try #require(try folder.store.content(of: file.todo.id))
        let changed = try folder.update("u1", TodoPatch(status: .completed, list: .someday))
        let back = try folder.store.restore(
            file.todo.id, path: before.path, content: before.bytes, digest: changed.digest)
        #expect(back.path == "next/u1.ics")
        #expect(Array(try folder.text("next/u1.ics").utf8) == before.bytes)
        #expect(try folder.names().filter { $0.hasSuffix(".ics") } == ["next/u1.ics"])
    }

    @Test func `a task edited since the change is not changed`() throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo("u1"))
        let before = try #require(try folder.store.content(of: file.todo.id))
        let changed = try folder.update("u1", TodoPatch(status: .completed))
        try folder.edit("next/u1.ics") { $0.replacing("SUMMARY:", with: "SUMMARY:Edited ") }
        let edited = try folder.text("next/u1.ics")
        #expect(throws: TaskStoreError.self) {
            try folder.store.restore(
                file.todo.id, path: before.path, content: before.bytes, digest: changed.digest)
        }
        #expect(throws: TaskStoreError.self) {
            try folder.store.restore(file.todo.id, path: before.path, content: before.bytes, digest: nil)
        }
        #expect(try folder.text("next/u1.ics") == edited)
    }

    @Test func `an edit between the check and the replacement is never lost`() throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo("u1"))
        let before = try #require(try folder.store.content(of: file.todo.id))
        let changed = try folder.update("u1", TodoPatch(status: .completed))
        folder.store.willReplace = { path in
            try? Data("BEGIN:VCALENDAR another version".utf8).write(to: URL(filePath: path), options: .atomic)
        }
        #expect(throws: TaskStoreError.self) {
            try folder.store.restore(
                file.todo.id, path: before.path, content: before.bytes, digest: changed.digest)
        }
        #expect(try folder.text("next/u1.ics") == "BEGIN:VCALENDAR another version")
    }

    @Test(arguments: [
        "../u1.ics", "next/../../u1.ics", "next/u1", "next/.u1.ics", "/next/u1.ics", "u1.ics", "",
    ])
    func `nothing is restored outside the lists`(_ path: String) throws {
        let folder = try Folder()
        let file = try folder.create(Folder.todo("u1"))
        let before = try #require(try folder.store.content(of: file.todo.id))
        try folder.store.remove(file.todo.id, digest: file.digest)
        #expect(throws: TaskStoreError.badListName(path)) {
            try folder.store.restore(file.todo.id, path: path, content: before.bytes, digest: nil)
        }
    }
}
