public import Models
import TodoCalendar

/// A calendar file: its tasks, and its bytes after a change.
///
/// For bug reports: it uses the reader and patcher of the task folder on any file, without a workspace.
public struct TaskInspection: Sendable {
    /// A task, and the line of its VTODO.
    public struct Task: Sendable {
        public let todo: Todo
        /// From 1.
        public let line: Int
        public let isInstance: Bool

        /// The next dates of a repeating task; empty: opus cannot expand its rule.
        public func occurrences(limit: Int) -> [TodoDate] { TodoSeries.occurrences(of: todo, limit: limit) }
    }

    /// In the order of the file; empty: a calendar of events.
    public let tasks: [Task]
    /// The components of the file.
    public let components: [FileComponent]
    private let bytes: [UInt8]
    /// The name of the file as given.
    public let file: String

    /// The largest task file, in bytes.
    public static let limit = 1 << 20

    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - file: Its name, for errors.
    ///   - uid: The UID of the only wanted task; nil: all tasks.
    /// - Throws: ``Problem``: it is not a calendar file; names the line.
    public init(_ bytes: [UInt8], file: String, uid: String? = nil) throws(Problem) {
        self.bytes = bytes
        self.file = file
        do {
            // The list is a folder, and a single file has none.
            components = try CalendarComponent.all(bytes).map { FileComponent($0) }
            let read =
                components.contains { $0.name == "VTODO" }
                ? try VTodoReader.all(bytes, list: GTDList("")) : []
            tasks = read.filter { uid == nil || $0.todo.id.rawValue == uid }.map {
                Task(todo: $0.todo, line: $0.line, isInstance: $0.isInstance)
            }
        } catch {
            throw Self.problem(error, file)
        }
        if let uid, tasks.isEmpty {
            throw Problem(
                "no-such-task", exit: .notFound, message: "\(file): no task has the UID \(uid)",
                next: ["opus inspect task \(file)"])
        }
    }

    /// The only task of the file, or the task with the wanted UID.
    public func only() throws(Problem) -> Task {
        guard let task = tasks.first else {
            throw Problem("tasks", exit: .badData, message: "\(file): the file has no task")
        }
        guard tasks.count == 1 else {
            throw Problem(
                "several-tasks", exit: .usage, message: "\(file) holds \(tasks.count) tasks",
                next: ["opus inspect task --uid \(task.todo.id.rawValue) …"])
        }
        return task
    }

    /// The file split into lines and joined again. Other bytes than the file's would be an error of the reader.
    public func roundTrip() throws(Problem) -> [UInt8] {
        do {
            return try VTodoPatcher.joined(bytes)
        } catch {
            throw Self.problem(error, file)
        }
    }

    /// The change that completes the task; a repeating task moves to its next date.
    public func completion() throws(Problem) -> TodoPatch {
        let task = try only()
        do throws(TodoSeriesError) {
            return try TodoSeries.completion(of: task.todo)
        } catch {
            throw Problem("tasks", exit: .badData, message: "\(file):\(task.line): \(error)")
        }
    }

    /// The bytes after a change.
    public func patched(_ patch: TodoPatch, now: Timestamp) throws(Problem) -> [UInt8] {
        let id = try only().todo.id
        do throws(CalendarError) {
            return try VTodoPatcher.apply(patch, to: bytes, of: tasks[0].isInstance ? nil : id, now: now)
        } catch {
            throw Self.problem(error, file)
        }
    }

    private static func problem(_ error: CalendarError, _ file: String) -> Problem {
        Problem(
            "tasks", exit: .badData,
            message: error.line > 0 ? "\(file):\(error.line): \(error)" : "\(file): \(error)")
    }
}

/// A `PROPERTY=VALUE` of the command line, with the names of RFC 5545.
public enum TaskAssignment {
    public static let names = [
        "SUMMARY", "DESCRIPTION", "STATUS", "PRIORITY", "DUE", "DTSTART", "CATEGORIES", "CONTACT",
        "RELATED-TO",
        "DEPENDS-ON",
    ]

    /// Adds one assignment to a patch. An empty value removes the property.
    public static func add(_ text: String, to patch: inout TodoPatch) throws(Problem) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 2 else {
            throw Problem(
                "bad-assignment", exit: .usage, message: "\"\(text)\" is not PROPERTY=VALUE",
                next: ["--set DUE=2026-04-01"])
        }
        let (name, value) = (parts[0].uppercased(), parts[1])
        switch name {
        case "SUMMARY": patch.summary = value
        case "DESCRIPTION": patch.notes = value
        case "STATUS": patch.status = try status(value)
        case "PRIORITY": patch.priority = try priority(value)
        case "DUE":
            patch.due = try date(value)
            if value.isEmpty { clear(.due, in: &patch) }
        case "DTSTART":
            patch.start = try date(value)
            if value.isEmpty { clear(.start, in: &patch) }
        case "CATEGORIES": patch.categories = words(value)
        case "CONTACT": patch.contact = value
        case "RELATED-TO":
            patch.parent = value.isEmpty ? nil : TodoID(value)
            if value.isEmpty { clear(.parent, in: &patch) }
        case "DEPENDS-ON": patch.dependsOn = words(value).map { TodoID($0) }
        case _:
            throw Problem(
                "bad-assignment", exit: .usage, message: "opus does not write \(parts[0])",
                next: ["one of: " + names.joined(separator: ", ")])
        }
    }

    private static func clear(_ property: TodoPatch.Clearable, in patch: inout TodoPatch) {
        patch.clears = (patch.clears ?? []).union([property])
    }

    private static func words(_ value: String) -> [String] { value.split(separator: ",").map(String.init) }

    private static func status(_ value: String) throws(Problem) -> TodoStatus {
        switch value.uppercased() {
        case "NEEDS-ACTION", "": return .needsAction
        case "IN-PROCESS": return .inProcess
        case "COMPLETED": return .completed
        case "CANCELLED": return .cancelled
        case _:
            throw Problem(
                "bad-assignment", exit: .usage, message: "\"\(value)\" is not a STATUS of a task",
                next: ["one of: NEEDS-ACTION, IN-PROCESS, COMPLETED, CANCELLED"])
        }
    }

    private static func priority(_ value: String) throws(Problem) -> Int {
        guard !value.isEmpty else { return 0 }
        guard let number = Int(value), (0...9).contains(number) else {
            throw Problem(
                "bad-assignment", exit: .usage,
                message: "\"\(value)\" is not a PRIORITY: 1 (high) to 9, 0 for none")
        }
        return number
    }

    private static func date(_ value: String) throws(Problem) -> TodoDate? {
        guard !value.isEmpty else { return nil }
        guard let date = TodoDate(value) else {
            throw Problem(
                "bad-assignment", exit: .usage, message: "\"\(value)\" is neither a day nor a time",
                next: ["2026-04-01, 2026-04-01T09:00:00Z, or 2026-04-01T09:00:00[Europe/Paris]"])
        }
        return date
    }
}
