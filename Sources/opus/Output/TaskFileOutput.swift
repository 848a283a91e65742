import Inspection
import Models
import Pipeline

/// The properties of each task in a file as opus reads them, one on a line. Unless the file is a single task, also lists
/// its components.
struct TaskFileOutput {
    let console: Console

    func show(_ file: TaskInspection) {
        for (number, task) in file.tasks.enumerated() {
            if number > 0 { console.print("") }
            show(task)
        }
        guard file.components.count(where: { $0.role != .zone }) > 1 || file.tasks.isEmpty else { return }
        if !file.tasks.isEmpty { console.print("") }
        var table = Table([
            .init(title: "LINE", alignsRight: true), .init(title: "COMPONENT"), .init(title: "WHAT IT IS"),
            .init(title: "STATUS"), .init(title: "OCCURRENCE"), .init(title: "UID", isFlexible: true),
            .init(title: "SUMMARY", isFlexible: true),
        ])
        for component in file.components {
            table.add(
                [
                    "\(component.line)", component.name, words(component.role), component.status ?? "",
                    component.recurrenceID ?? "", component.uid ?? "", component.summary ?? "",
                ].map(TerminalText.line))
        }
        console.print(table)
    }

    private func words(_ role: FileComponentRole) -> String {
        switch role {
        case .task: "a task"
        case .series: "a repeating task"
        case .instance: "an instance of a task of this file"
        case .lone: "an instance of a task in another file"
        case .other: "not a task; left alone"
        case .zone: "a time zone"
        }
    }

    private func show(_ task: TaskInspection.Task) {
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

    private func repeats(_ task: TaskInspection.Task) -> String {
        guard let rule = task.todo.recurrence else {
            return task.occurrences(limit: 3).map(\.text).joined(separator: ", ")
        }
        let days = task.occurrences(limit: 3).map(\.text)
        return rule + (days.isEmpty ? "  (not expanded)" : "  on " + days.joined(separator: ", "))
    }

    private func field(_ name: String, _ text: String) {
        guard !text.isEmpty else { return }
        console.print("  " + console.style.dim(TerminalText.padded(name, to: 9)) + TerminalText.line(text))
    }
}
