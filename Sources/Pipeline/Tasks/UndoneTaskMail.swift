import MailStore
import Models
import TaskStore

/// Task files that an undo restored after the effect of the edit on the mail was undone, too. The mail is already as it was
/// before the edit, so it does not follow the restored file.
struct UndoneTaskMail: Sendable {
    let store: Store

    func todos(among scan: TaskScan) throws -> Set<TodoID> {
        let changed = Set(scan.changes.map(\.todo.id))
        let files = scan.files.filter { changed.contains($0.todo.id) }
        let links = try store.todos.links(for: files.map(\.todo.id))
        return Set(
            try files.filter { file in
                guard let message = links[file.todo.id]?.message else { return false }
                return try isUndone(of: message) && isRestored(file)
            }.map(\.todo.id))
    }

    /// Whether the file is as the last undo left it.
    private func isRestored(_ file: TodoFile) throws -> Bool {
        let last = try store.runs.notes(of: file.todo.id, after: 0).first
        return last?.cause == .undo && last?.outcome.digest == file.digest && last?.outcome.path == file.path
    }

    /// Whether the last move or date that a task gave the message was undone.
    private func isUndone(of message: EmailID) throws -> Bool {
        let steps = try store.runs.runsMentioning(message).lazy.map(\.step)
        let last = steps.first { step in
            guard step.state == .confirmed, case .task = step.cause else { return false }
            return step.kind.decidesPlace
        }
        guard let row = last?.id else { return false }
        return try store.runs.undone(of: [row])[row] != nil
    }
}
