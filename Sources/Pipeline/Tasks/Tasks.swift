import Accounts
import Crypto
import Foundation
import MailStore
public import Models
import TaskStore

/// The task files as commands see them.
extension Session {
    /// Every readable task, by list, due and summary; and what could not be read.
    public func taskFiles() throws -> TaskListing {
        let scan = try Problem.wrap {
            try tasks.list(known: try store.todoFiles(), now: now)
        }
        return TaskListing(
            files: scan.files, malformed: scan.malformed.map { "tasks/\($0.path):\($0.line): \($0.reason)" })
    }

    /// The task that a typed id means: the beginning of its hash (`t:9d4x`), or of its UID.
    /// A number of at most three digits is a row of the last list.
    public func task(_ typed: String) throws -> TodoFile {
        try task(typed, among: try taskFiles().files)
    }

    /// The same for several, each once, read from the folder once.
    public func tasks(_ typed: [String]) throws -> [TodoFile] {
        let files = try taskFiles().files
        var seen: Set<TodoID> = []
        return try typed.map { try task($0, among: files) }.filter { seen.insert($0.todo.id).inserted }
    }

    private func task(_ typed: String, among files: [TodoFile]) throws -> TodoFile {
        if let number = TaskRows.number(typed) { return try row(number, among: files) }
        let prefix = (typed.hasPrefix("t:") ? String(typed.dropFirst(2)) : typed).lowercased()
        let found = files.filter {
            TaskName.hash(of: $0.todo.id).hasPrefix(prefix)
                || $0.todo.id.rawValue.lowercased().hasPrefix(prefix)
        }
        guard let file = found.first, !prefix.isEmpty else {
            throw Problem(
                "no-such-task", exit: .notFound, message: "no task has an id that begins with \(typed)",
                next: ["opus task list"])
        }
        guard found.count == 1 else {
            throw Problem(
                "ambiguous-id", exit: .usage, message: "\(typed) is the beginning of \(found.count) task ids",
                next: [
                    "one of: "
                        + found.map { TaskName.short($0.todo.id, length: prefix.count + 3) }.joined(
                            separator: ", ")
                ])
        }
        return file
    }

    private func row(_ number: Int, among files: [TodoFile]) throws -> TodoFile {
        let id = TaskRows(folder: workspace.storeFolder).id(number)
        guard let file = files.first(where: { $0.todo.id == id }) else {
            throw Problem(
                "no-such-task", exit: .notFound,
                message: "the last list has no task \(number) that is still there",
                next: ["opus task list"])
        }
        return file
    }

    /// What we and a file's user changed to different values: the file keeps its own, ours are kept aside.
    public func taskConflicts() throws -> [TaskConflict] {
        try Problem.wrap { try tasks.conflicts() }.map { TaskConflict($0) }
    }

    /// Settles a conflict: `ours` writes the value that was kept aside, else it is forgotten.
    public func settle(_ conflict: TaskConflict, ours: Bool) throws {
        let kept = conflict.conflict
        if ours {
            let file = try Problem.wrap { try tasks.file(for: kept.todo) }
            // A file that is gone is made again, of what we knew of the task.
            if let file {
                _ = try change(file, kept.patch, command: "task conflicts")
            } else {
                _ = try addTask(kept.wanted, command: "task conflicts")
            }
        }
        tasks.forget(kept)
    }

    /// The folders of the task folder.
    public func taskLists() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tasksFolder)) ?? []
        return names.filter { name in
            var isFolder = ObjCBool(false)
            return !name.hasPrefix(".")
                && FileManager.default.fileExists(atPath: tasksFolder + "/" + name, isDirectory: &isFolder)
                && isFolder.boolValue
        }.sorted()
    }

    public func hasTaskList(_ name: String) -> Bool { taskLists().contains(name) }

    public var tasksFolder: String { workspace.tasksFolder }

    public func path(of file: TodoFile) -> String { tasksFolder + "/" + file.path }
}

/// One property of one task that two sides want to have different values. Every text is anybody's.
public struct TaskConflict: Sendable {
    let conflict: TodoConflict

    init(_ conflict: TodoConflict) { self.conflict = conflict }

    public var id: String { conflict.id }
    public var todo: TodoID { conflict.todo }
    public var summary: String { conflict.summary }
    public var path: String { conflict.path }
    /// `due`, `summary`; nil: the whole task, whose file is gone.
    public var field: String? { conflict.field?.rawValue }
    public var base: String? { conflict.base }
    public var theirs: String? { conflict.theirs }
    public var ours: String? { conflict.ours }
    public var at: Timestamp { conflict.at }
}

public struct TaskListing: Sendable {
    public var files: [TodoFile]
    /// `path:line: reason`
    public var malformed: [String]
}

/// The short names of tasks: a hash of the UID, never a row number.
public enum TaskName {
    public static func hash(of id: TodoID) -> String {
        Crockford.encode(Array(SHA256.hash(Array(id.rawValue.utf8)).prefix(10)))
    }

    public static func short(_ id: TodoID, length: Int = 4) -> String {
        "t:" + hash(of: id).prefix(max(4, length))
    }
}
