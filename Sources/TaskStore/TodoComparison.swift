import Models
import TodoCalendar

/// The changes between two versions of a task: one table.
///
/// | before → after | change |
/// |---|---|
/// | another folder | movedList |
/// | open, cancelled → completed | completed |
/// | open, completed → cancelled | cancelled |
/// | completed, cancelled → open | reopened |
/// | another DTSTART, or another date of a series to do now | startChanged |
/// | any other edit of a person | edited |
///
/// Only the values of a ``Todo`` are compared. So changes to administrative lines (PRODID, DTSTAMP, LAST-MODIFIED,
/// SEQUENCE), to the order or folding of properties, to the form of the same time, to a missing 0 %, or to the order of
/// categories do not count.
enum TodoComparison {
    static func changes(from old: Todo, to new: Todo) -> [TodoChange] {
        guard old != new else { return [] }
        var changes: [TodoChange] = []
        // Mail waits until the date to do now, not for the first one of a series.
        let shown = TodoSeries.shown(new)
        if old.list != new.list { changes.append(.movedList(shown, from: old.list)) }
        let state = (Phase(old), Phase(new))
        switch state {
        case (.open, .open), (.completed, .completed), (.cancelled, .cancelled): break
        case (.open, .completed), (.cancelled, .completed): changes.append(.completed(new))
        case (.open, .cancelled), (.completed, .cancelled): changes.append(.cancelled(new))
        case (.completed, .open), (.cancelled, .open): changes.append(.reopened(new))
        }
        if !ZoneClock.isSame(TodoSeries.shown(old).start, shown.start) {
            changes.append(.startChanged(shown))
        }
        let keepsPhase = state.0 == state.1
        if !ZoneClock.isSame(old.due, new.due) || rest(old, keepsPhase) != rest(new, keepsPhase) {
            changes.append(.edited(new))
        }
        return changes
    }

    enum Phase: Equatable {
        case open
        case completed
        case cancelled

        init(_ todo: Todo) {
            self =
                switch todo.status {
                case .cancelled: .cancelled
                case .needsAction, .inProcess, .completed: todo.isCompleted ? .completed : .open
                }
        }
    }

    /// The task without the properties of the other rows and without administrative data.
    private static func rest(_ todo: Todo, _ keepsPhase: Bool) -> Todo {
        var rest = todo
        rest.list = .inbox
        rest.start = nil
        rest.due = nil
        rest.created = nil
        rest.completed = nil
        rest.timeZone = nil
        rest.unread = nil
        rest.categories = Set(todo.categories.map { $0.lowercased() }).sorted()
        let isOpen = keepsPhase && Phase(todo) == .open
        rest.status = isOpen ? todo.status : .needsAction
        rest.percentComplete = isOpen ? todo.percentComplete ?? 0 : 0
        return rest
    }
}
