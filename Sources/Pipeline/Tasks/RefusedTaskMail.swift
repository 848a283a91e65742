import MailStore
import Models
import TaskStore

/// Changes of tasks whose mail an account refused to move: they are decided again, as rules and deferrals are. Mail that
/// has left its place since is not touched: another program decided about it.
struct RefusedTaskMail: Sendable {
    let store: Store

    /// - Parameters:
    ///   - ids: The accounts that can be reached now.
    ///   - scan: The tasks as they are now. A change in it comes before an older one.
    /// - Returns: A change for each task that is still in the state that was to move its mail.
    /// - Throws: If the store cannot be read.
    func changes(of ids: [AccountID], _ scan: TaskScan) throws -> [TodoChange] {
        var refused: [TodoID: TaskChange] = [:]
        for move in try ids.flatMap({ try store.runs.refusedTaskMoves(account: $0) }) {
            guard
                try store.messages.places(of: move.message).contains(where: {
                    $0.key == move.place && !$0.isMissing
                })
            else { continue }
            refused[move.todo] = move.change
        }
        guard !refused.isEmpty else { return [] }
        let changed = Set(scan.changes.map(\.todo.id))
        return scan.files.map(\.todo).filter { !changed.contains($0.id) }.compactMap { todo in
            refused[todo.id].flatMap { TodoChange($0, of: todo) }
        }
    }
}

extension TodoChange {
    /// nil: the task has changed again since.
    fileprivate init?(_ change: TaskChange, of todo: Todo) {
        switch change {
        case .done:
            guard todo.isCompleted else { return nil }
            self = .completed(todo)
        case .cancelled:
            guard todo.status == .cancelled else { return nil }
            self = .cancelled(todo)
        case .reopened:
            guard todo.isOpen else { return nil }
            self = .reopened(todo)
        case .start:
            self = .startChanged(todo)
        case .waiting, .scheduled, .someday, .list:
            self = .movedList(todo, from: todo.list)
        case .categories:
            return nil
        }
    }
}
