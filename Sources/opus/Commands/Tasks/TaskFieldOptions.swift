import ArgumentParser
import Models
import Pipeline

/// What `add` and `edit` can say of a task.
struct TaskFieldOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Due then: friday, +2 weeks, \"31 March 17:00\".", valueName: "when"))
    var due: String?

    @Option(name: .long, help: ArgumentHelp("Not before then.", valueName: "when"))
    var start: String?

    @Option(name: .long, help: ArgumentHelp("high, mid, low, none, or 1 to 9.", valueName: "level"))
    var priority: String?

    @Option(
        name: [.long, .customShort("c")],
        help: ArgumentHelp("A context; may be repeated.", valueName: "context"))
    var context: [String] = []

    @Option(name: .long, help: ArgumentHelp("The project: another task.", valueName: "id"))
    var project: String?

    @Option(name: .long, help: ArgumentHelp("Notes below the title.", valueName: "text"))
    var notes: String?

    @Option(name: .long, help: ArgumentHelp("Whom it is about, or whom you wait for.", valueName: "who"))
    var contact: String?

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
