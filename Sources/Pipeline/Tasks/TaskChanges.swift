import Accounts
import Crypto
import Foundation
import MailStore
public import Models
import Rules
import TaskStore

/// What the commands about task files ask and understand: dates, priorities, lists, circles.
extension Session {
    public func board() throws -> (board: TaskBoard, malformed: [String]) {
        let listing = try taskFiles()
        return (TaskBoard(listing.files, now: now, timeZone: workspace.timeZone), listing.malformed)
    }

    /// A date as people say it (`friday`, `+2 weeks`, `31 March 17:00`), in the workspace's zone.
    public func date(_ phrase: String) throws -> TodoDate {
        guard
            let date = DatePhrase.resolve(
                phrase, now: now, timeZone: workspace.timeZone, dayFirst: workspace.dayFirst,
                workdayEnd: workspace.workday.end)
        else {
            throw Problem(
                "bad-date", exit: .usage, message: "\"\(phrase)\" is no date",
                next: ["friday, +2 weeks, 2026-04-03, \"31 March 17:00\" (opus help dates)"])
        }
        return date
    }

    /// `high`, `mid`, `low`, `none`, or 0 to 9.
    public static func priority(_ word: String) throws -> Int {
        switch word.lowercased() {
        case "high": return 1
        case "mid", "medium": return 5
        case "low": return 9
        case "none": return 0
        case let digits:
            guard let number = Int(digits), (0...9).contains(number) else {
                throw Problem(
                    "bad-priority", exit: .usage, message: "\"\(word)\" is no priority",
                    next: ["high, mid, low, none, or 1 (highest) to 9"])
            }
            return number
        }
    }

    /// A list that is there, or one of GTD's, or any folder name where `mayBeNew`.
    public func list(_ name: String, mayBeNew: Bool = false) throws -> GTDList {
        let own: [GTDList] = [.inbox, .next, .waiting, .scheduled, .someday, .reference]
        let list = GTDList(name)
        if own.contains(list) || hasTaskList(name) { return list }
        guard mayBeNew, GTDList.isValid(name) else {
            throw Problem(
                "no-such-list", exit: .notFound, message: "there is no list \"\(name)\"",
                next: ["one of: " + taskLists().joined(separator: ", ")])
        }
        return list
    }

    public static func newTaskID() -> TodoID { TodoID(UUID().uuidString.lowercased()) }

    /// Refuses what would make two tasks wait for each other for ever.
    public func requireNoCircle(_ file: TodoFile, blockedBy other: TodoFile, _ board: TaskBoard) throws {
        guard board.depends(other.todo.id, on: file.todo.id) else { return }
        throw Problem(
            "task-circle", exit: .usage,
            message: "\"\(other.todo.summary)\" waits for \"\(file.todo.summary)\" already",
            next: ["opus task show \(TaskName.short(other.todo.id))"])
    }

    /// The same for projects: a task is not below itself.
    public func requireNoCircle(_ file: TodoFile, below project: TodoFile, _ board: TaskBoard) throws {
        let isBelow =
            file.todo.id == project.todo.id || board.descendants(of: file.todo.id).contains(project.todo.id)
        guard isBelow else { return }
        throw Problem(
            "task-circle", exit: .usage,
            message: "\"\(project.todo.summary)\" is a part of \"\(file.todo.summary)\" already",
            next: ["opus projects"])
    }

    /// Remembers the rows of a list that a person sees.
    public func rememberRows(_ files: [TodoFile]) {
        try? TaskRows(folder: workspace.storeFolder).save(files.map(\.todo.id))
    }
}
