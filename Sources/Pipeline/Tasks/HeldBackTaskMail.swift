import MailStore
import Models
import TaskStore

/// Tasks that were finished while another task of their conversation was open. Their mail stayed; it follows when the last of
/// these tasks is finished or deleted.
struct HeldBackTaskMail: Sendable {
    let store: Store

    /// The changes of such tasks, to be decided again. Mail that one of them had moved before is not touched: a person
    /// brought it back.
    func changes(_ scan: TaskScan) throws -> [TodoChange] {
        let ended = scan.changes.filter(\.endsTask).map(\.todo.id)
        guard !ended.isEmpty else { return [] }
        let threads = Set(try store.todos.links(for: ended).values.map(\.thread))
        let changed = Set(scan.changes.map(\.todo.id))
        let closed = scan.files.map(\.todo).filter { !$0.isOpen && !changed.contains($0.id) }
        guard !threads.isEmpty, !closed.isEmpty else { return [] }
        let links = try store.todos.links(for: closed.map(\.id))
        return try closed.compactMap { todo in
            guard let link = links[todo.id], threads.contains(link.thread), try !wasMoved(link.message) else {
                return nil
            }
            return todo.status == .cancelled ? .cancelled(todo) : .completed(todo)
        }
    }

    /// Whether a finished task has moved the message before.
    private func wasMoved(_ message: EmailID) throws -> Bool {
        try store.runs.runsMentioning(message).contains { _, step in
            guard step.state == .confirmed, case .move = step.kind, case .task(let change) = step.cause else {
                return false
            }
            return change == .done || change == .cancelled
        }
    }
}

extension TodoChange {
    fileprivate var endsTask: Bool {
        switch self {
        case .completed, .cancelled, .deleted(_, wasOpen: true): true
        case .added, .reopened, .startChanged, .movedList, .edited, .deleted(_, wasOpen: false): false
        }
    }
}
