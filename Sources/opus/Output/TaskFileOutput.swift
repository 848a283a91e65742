import Inspection
import Models
import Pipeline

/// The properties of a task file as opus reads them, one per line; missing ones are left out.
struct TaskFileOutput {
    let console: Console

    func show(_ task: TaskInspection) {
        let todo = task.todo
        console.print(console.style.bold(TerminalText.line(todo.summary)))
        field("UID", todo.id.rawValue)
        field("Line", "\(task.line)")
        field("Status", TaskWord.status(todo) + (todo.percentComplete.map { ", \($0) %" } ?? ""))
        field("Done", todo.completed?.rfc3339 ?? "")
        field("Start", todo.start?.text ?? "")
        field("Due", todo.due?.text ?? "")
        field("Repeats", repeats(task))
        field("Alarm", todo.alarmSecondsBefore.map { "\($0) s before" } ?? "")
        field("Priority", todo.priority == 0 ? "" : "\(todo.priority)")
        field("Context", todo.categories.joined(separator: ", "))
        field("Contact", todo.contact ?? "")
        field("Parent", todo.parent?.rawValue ?? "")
        for id in todo.dependsOn { field("After", id.rawValue) }
        field("URL", todo.url ?? "")
        field("Mail", todo.messageID?.rawValue ?? "")
        field("Account", todo.account?.rawValue ?? "")
        field("Rule", todo.rule ?? "")
        field("Zone", todo.timeZone ?? "")
        field("Waiting", todo.waitingOn ?? "")
        if task.isInstance { field("Instance", "of a series in another file") }
        if !todo.notes.isEmpty { console.print("\n" + TerminalText.block(todo.notes)) }
    }

    private func repeats(_ task: TaskInspection) -> String {
        guard let rule = task.todo.recurrence else { return "" }
        let days = task.occurrences(limit: 3).map(\.text)
        return rule + (days.isEmpty ? "  (not expanded)" : "  on " + days.joined(separator: ", "))
    }

    private func field(_ name: String, _ text: String) {
        guard !text.isEmpty else { return }
        console.print("  " + console.style.dim(TerminalText.padded(name, to: 9)) + TerminalText.line(text))
    }
}
