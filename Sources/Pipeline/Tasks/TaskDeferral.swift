import Accounts
public import Models
import Planner
import Rules
import TodoCalendar

/// The change of a task file when the task is deferred.
extension Tasks {
    /// The change that defers a task without a date.
    public static var someday: TodoPatch {
        var patch = TodoPatch(list: .someday)
        patch.clears = [.start]
        return patch
    }

    /// The change that defers a task until `start`; nil removes the start.
    ///
    /// Tasks on the lists inbox and next become scheduled. A due date that is not after the new start moves
    /// to the day after it.
    public func deferral(of todo: Todo, to start: TodoDate?) -> TodoPatch {
        var patch = TodoPatch()
        guard let start else {
            patch.clears = [.start]
            if todo.list == .scheduled { patch.list = .next }
            return patch
        }
        patch.start = start
        if todo.list == .inbox || todo.list == .next { patch.list = .scheduled }
        patch.due = todo.due.flatMap {
            DueAfterStart.moved($0, behind: start, timeZone: todo.timeZone ?? workspace.timeZone)
        }
        return patch
    }

    /// The date for a typed phrase. Throws if the day is over: a task that starts then does not wait.
    public func futureDate(_ phrase: String) throws -> TodoDate {
        let date = try date(phrase)
        let zone = ZoneClock(zone: workspace.timeZone)
        let end = DatePhrase.instant(of: date, timeZone: workspace.timeZone, secondOfDay: 86_399)
        guard let end, zone.local(end).date < zone.local(clock.now).date else { return date }
        throw Problem(
            "past-date", exit: .usage, message: "\"\(phrase)\" is over",
            next: ["friday, +2 weeks, 2026-04-03, someday (opus help dates)"])
    }

    /// Throws unless the start is before the due date: a file cannot contain both values otherwise.
    public func require(_ start: TodoDate, before due: TodoDate) throws {
        guard DueAfterStart.moved(due, behind: start, timeZone: workspace.timeZone) != nil else { return }
        throw Problem(
            "start-after-due", exit: .usage, message: "a task cannot start on or after its due date",
            next: ["use an earlier --start or a later --due"])
    }
}
