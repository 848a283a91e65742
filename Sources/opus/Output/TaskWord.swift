import Models

/// The states of a task in one word each, on the screen and in JSON.
enum TaskWord {
    static func status(_ todo: Todo) -> String {
        if todo.isCompleted { return "completed" }
        return switch todo.status {
        case .needsAction: "open"
        case .inProcess: "in-process"
        case .completed: "completed"
        case .cancelled: "cancelled"
        }
    }
}
