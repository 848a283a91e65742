import MailStore
import Models
import Planner
import TaskStore

/// Restores contexts that another program lost while it rewrote a task file, from a property that opus
/// writes, and keeps that property up to date.
///
/// todoman 4.1 drops CATEGORIES with every edit. Other programs show only CATEGORIES, so after their next
/// edit the loss would look intended.
struct ContextRepair {
    let store: Store
    let tasks: TaskFiles
    let now: Timestamp

    /// `changed`: the changed tasks of this scan. Tasks of accounts that are not in this run, and tasks that
    /// wait for an answer, are checked when their change is processed.
    ///
    /// - Returns: A line for users about each repaired task.
    func repair(
        _ changed: [Todo], _ ids: [AccountID], links: [TodoID: LinkedMail], later: Set<TodoID>
    ) throws -> [String] {
        var lines: [String] = []
        var seen: Set<TodoID> = []
        for todo in changed where !todo.categories.isEmpty && !later.contains(todo.id) {
            guard let account = links[todo.id]?.account, ids.contains(account), seen.insert(todo.id).inserted,
                let content = try? tasks.content(of: todo.id, thorough: true)
            else { continue }
            let isLost = !Self.hasCategories(content.bytes)
            var patch = TodoPatch()
            patch.categories = todo.categories
            // If the file cannot be written now, it is treated as before, and repaired with the next change.
            guard isLost || (try? tasks.wouldChange(todo.id, patch, now: now)) == true,
                let file = try? tasks.update(todo.id, patch, now: now)
            else { continue }
            try store.todos.saveTodoFiles([file], removing: [])
            guard isLost else { continue }
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
