import Foundation
import Glibc
import Models
import TodoCalendar

@testable import TaskStore

/// A task folder of its own, gone when the test ends.
final class Folder {
    static let now = Timestamp(seconds: 1_774_969_200)  // 2026-03-31T15:00:00Z

    let root: String
    var store: TaskFiles

    /// In memory where a test is about thousands of files, and not about the disk.
    init(inMemory: Bool = false) throws {
        let memory = URL(filePath: "/dev/shm")
        let isThere = inMemory && FileManager.default.isWritableFile(atPath: memory.path)
        let base = isThere ? memory : FileManager.default.temporaryDirectory
        let parent = base.appending(path: "opus-tasks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        root = parent.appending(path: "tasks").path
        store = TaskFiles(root: root)
    }

    deinit { try? FileManager.default.removeItem(atPath: (root as NSString).deletingLastPathComponent) }

    func path(_ name: String) -> String { root + "/" + name }

    /// Writes a file as another program would: a new one in place of the old.
    func write(_ name: String, _ text: String) throws {
        let url = URL(filePath: path(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path(name))), as: UTF8.self)
    }

    func edit(_ name: String, _ change: (String) -> String) throws { try write(name, change(try text(name))) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    func move(_ name: String, to other: String) throws {
        let target = URL(filePath: path(other))
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: URL(filePath: path(name)), to: target)
    }

    /// Every name below the root, sorted.
    func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.contains("/") }.sorted()
    }

    func scan(_ known: [TodoFile], allowMassDelete: Bool = false) throws -> TaskScan {
        try store.scan(known: known, now: Self.now, allowMassDelete: allowMassDelete)
    }

    func create(_ todo: Todo) throws -> TodoFile { try store.create(todo, now: Self.now) }

    func update(_ id: String, _ patch: TodoPatch) throws -> TodoFile {
        try store.update(TodoID(id), patch, now: Self.now + 60)
    }

    static func todo(_ id: String, _ list: GTDList = .next, summary: String = "Call Ann") -> Todo {
        var todo = Todo(id: TodoID(id), list: list, summary: summary)
        todo.messageID = MessageID(id + "@example.org")
        todo.categories = ["@phone"]
        return todo
    }

    /// A file of another program.
    static func foreign(_ id: String, _ lines: String...) -> String {
        (["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", "UID:\(id)", "SUMMARY:Foreign"] + lines
            + ["END:VTODO", "END:VCALENDAR", ""]).joined(separator: "\r\n")
    }
}

extension TodoChange {
    /// `completed next/u1`.
    var shown: String {
        switch self {
        case .added(let todo): "added \(todo.list)/\(todo.id)"
        case .completed(let todo): "completed \(todo.list)/\(todo.id)"
        case .reopened(let todo): "reopened \(todo.list)/\(todo.id)"
        case .cancelled(let todo): "cancelled \(todo.list)/\(todo.id)"
        case .startChanged(let todo): "startChanged \(todo.list)/\(todo.id)"
        case .movedList(let todo, from: let list): "moved \(list)->\(todo.list)/\(todo.id)"
        case .edited(let todo): "edited \(todo.list)/\(todo.id)"
        case .deleted(let todo, wasOpen: let wasOpen):
            "deleted \(todo.list)/\(todo.id) \(wasOpen ? "open" : "closed")"
        }
    }
}
