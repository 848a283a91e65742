public import Models
import TodoCalendar

/// An occurrence of a repeating task that another program completed. Programs do it in three ways, for the same series:
///
/// | program | what it writes | how |
/// |---|---|---|
/// | Tasks.org, Nextcloud's master | the same task, open, on the next day | rolledForward |
/// | todoman | the old task done and without its rule; a new UID continues | cloned |
/// | Thunderbird | the same file with one more done instance | instance |
public struct RepeatedTodo: Hashable, Sendable {
    public enum Way: String, Hashable, Sendable {
        case rolledForward
        case cloned
        case instance
    }

    public var way: Way
    /// The completed task.
    public var done: TodoID
    /// The task that continues: the same one, unless it was cloned.
    public var series: TodoID
    /// The date of the completed occurrence; nil: the file does not contain it.
    public var occurrence: TodoDate?

    /// The completed occurrence between two versions of a task. `added`: the new tasks in the folder.
    static func between(_ old: Todo, _ new: Todo, added: [Todo]) -> RepeatedTodo? {
        guard let rule = old.recurrence else { return nil }
        let day = old.due ?? old.start
        if new.doneInstances.count > old.doneInstances.count {
            return RepeatedTodo(way: .instance, done: new.id, series: new.id, occurrence: nil)
        }
        if new.recurrence != nil, old.isOpen, new.isOpen, isLater(new, than: old, rule) {
            return RepeatedTodo(way: .rolledForward, done: new.id, series: new.id, occurrence: day)
        }
        guard new.recurrence == nil, new.isCompleted, old.isOpen,
            let next = added.first(where: { $0.recurrence == rule && $0.summary == old.summary && $0.isOpen })
        else { return nil }
        return RepeatedTodo(way: .cloned, done: new.id, series: next.id, occurrence: day)
    }

    /// Whether the task is now on a later date of its own series. Checks a year of a daily task.
    private static func isLater(_ new: Todo, than old: Todo, _ rule: String) -> Bool {
        guard let from = old.due ?? old.start, let to = new.due ?? new.start, !ZoneClock.isSame(from, to),
            let series = try? Recurrence(rule)
        else { return false }
        return series.occurrences(from: from, after: from, limit: 366).contains { ZoneClock.isSame($0, to) }
    }
}
