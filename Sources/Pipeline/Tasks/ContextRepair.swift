import MailStore
import Models
import Planner
import TaskStore

/// Restores contexts that another program lost while it rewrote a task file, from opus's own line.
///
/// todoman 4.1 drops CATEGORIES with every edit. Other programs show only that line, so the next of their edits would
/// make the loss look intended.
struct ContextRepair {
    let store: Store
    let tasks: TaskFiles
    let now: Timestamp

    /// `changed`: the tasks of this scan. Those of accounts that this run leaves out, and those that wait for an answer, are
    /// checked when their change is taken over.
    ///
    /// - Returns: a line for people for each task.
    func repair(
        _ changed: [Todo], _ ids: [AccountID], links: [TodoID: LinkedMail], later: Set<TodoID>
    ) throws -> [String] {
        var lines: [String] = []
        var seen: Set<TodoID> = []
        for todo in changed where !todo.categories.isEmpty && !later.contains(todo.id) {
            guard let account = links[todo.id]?.account, ids.contains(account), seen.insert(todo.id).inserted,
                let content = try? tasks.content(of: todo.id, thorough: true),
                !Self.hasCategories(content.bytes)
            else { continue }
            var patch = TodoPatch()
            patch.categories = todo.categories
            // One that cannot be written now is read as before, and written with the next change.
            guard let file = try? tasks.update(todo.id, patch, now: now) else { continue }
            try store.todos.saveTodoFiles([file], removing: [])
            lines.append(
                "another program removed the contexts of task “\(todo.summary)”; opus restored them")
        }
        return lines
    }

    private static func hasCategories(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: 0x0A).contains { line in
            let name = line.prefix(11)
            guard name.count == 11, let end = name.last, end == UInt8(ascii: ":") || end == UInt8(ascii: ";")
            else {
                return false
            }
            return String(decoding: name.dropLast(), as: UTF8.self).uppercased() == "CATEGORIES"
        }
    }
}
