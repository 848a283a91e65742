import ArgumentParser
import Models
import Pipeline

/// The fields of a task that `add`, `edit` and `from` can set.
struct TaskFieldOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Set the due date: friday, +2 weeks, \"31 March 17:00\".", valueName: "when"))
    var due: String?

    @Option(
        name: .long, help: ArgumentHelp("Set the start: the task is hidden until then.", valueName: "when"))
    var start: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Set the priority: high, mid, low, none, or 1 to 9.", valueName: "level"))
    var priority: String?

    @Option(
        name: [.long, .customShort("c")],
        help: ArgumentHelp("Set a context, for example @home; may be repeated.", valueName: "context"))
    var context: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Make the task part of a project, which is another task.", valueName: "id"))
    var project: String?

    @Option(name: .long, help: ArgumentHelp("Set the notes.", valueName: "text"))
    var notes: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Set the person whom the task is about or whom you wait for.", valueName: "who"))
    var contact: String?

    /// Whether no option was given.
    var isEmpty: Bool {
        [due, start, priority, project, notes, contact].allSatisfy { $0 == nil } && context.isEmpty
    }

    func patch(_ session: Session) throws -> TodoPatch {
        var patch = TodoPatch()
        var clears: Set<TodoPatch.Clearable> = []
        if due == "none" {
            clears.insert(.due)
        } else {
            patch.due = try due.map { try session.tasks.date($0) }
        }
        if start == "none" {
            clears.insert(.start)
        } else {
            patch.start = try start.map { try session.tasks.date($0) }
        }
        if project == "none" {
            clears.insert(.parent)
        } else {
            patch.parent = try project.map { try session.tasks.task($0).todo.id }
        }
        patch.priority = try priority.map { try Tasks.priority($0) }
        patch.notes = notes
        patch.contact = contact == "none" ? "" : contact
        if !context.isEmpty { patch.categories = context == ["none"] ? [] : context }
        if !clears.isEmpty { patch.clears = clears }
        if let due = patch.due, let start = patch.start { try session.tasks.require(start, before: due) }
        return patch
    }
}
