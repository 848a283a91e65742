public import Models
import TodoCalendar

/// A calendar file with one task in it: what is understood, and what a change makes of its bytes.
///
/// For bug reports: the same reader and patcher as for the task folder, on any file, without a workspace.
public struct TaskInspection: Sendable {
    public let todo: Todo
    /// Where its VTODO begins, 1-based.
    public let line: Int
    /// The file is one instance of a series that is elsewhere.
    public let isInstance: Bool
    private let bytes: [UInt8]
    /// Its name, as it was given.
    public let file: String

    /// A larger file is not a task file.
    public static let limit = 1 << 20

    /// - Parameters:
    ///   - bytes: of the whole file.
    ///   - file: its name, for errors.
    /// - Throws: ``Problem``: it is not a task file, and the line that shows it.
    public init(_ bytes: [UInt8], file: String) throws(Problem) {
        self.bytes = bytes
        self.file = file
        do {
            // The list is a folder; a file alone has none.
            let read = try VTodoReader.read(bytes, list: GTDList(""))
            (todo, line, isInstance) = (read.todo, read.line, read.isInstance)
        } catch {
            throw Self.problem(error, file)
        }
    }

    /// The next days of a repeating task; empty when its rule is none that we expand.
    public func occurrences(limit: Int) -> [TodoDate] {
        TodoSeries.occurrences(of: todo, limit: limit)
    }

    /// The file cut into its lines and joined again: its own bytes, or the reader has a fault.
    public func roundTrip() throws(Problem) -> [UInt8] {
        do {
            return try VTodoPatcher.joined(bytes)
        } catch {
            throw Self.problem(error, file)
        }
    }

    /// The change that completes the task: a repeating one moves to its next day.
    public func completion() throws(Problem) -> TodoPatch {
        do {
            return try TodoSeries.completion(of: todo)
        } catch {
            throw Problem("tasks", exit: .badData, message: "\(file):\(line): \(error)")
        }
    }

    /// The bytes after a change.
    public func patched(_ patch: TodoPatch, now: Timestamp) throws(Problem) -> [UInt8] {
        do {
            return try VTodoPatcher.apply(patch, to: bytes, now: now)
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

/// `PROPERTY=VALUE` as it is typed on a command line, in the words of RFC 5545.
public enum TaskAssignment {
    public static let names = [
        "SUMMARY", "DESCRIPTION", "STATUS", "PRIORITY", "DUE", "DTSTART", "CATEGORIES", "CONTACT",
        "RELATED-TO",
        "DEPENDS-ON",
    ]

    /// Adds one assignment to a patch. Without a value the property goes.
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
