public import Models

/// A change of a task file that a command of the user requests.
public enum TaskWish: Hashable, Sendable {
    case add(Todo)
    case change(TodoID, TodoPatch)

    public var todo: TodoID {
        switch self {
        case .add(let todo): todo.id
        case .change(let id, _): id
        }
    }
}

extension Planning {
    /// The steps of such a command. They belong to ``AccountID/tasks``. `token` identifies this one command:
    /// the same request in another command is a new one.
    public static func steps(for wishes: [TaskWish], command: String, token: String) -> [Step] {
        wishes.enumerated().map { number, wish in
            let kind: Step.Kind =
                switch wish {
                case .add(let todo): .createTodo(todo)
                case .change(let id, let patch): .updateTodo(id, patch)
                }
            return Step(
                idempotencyKey: IdempotencyKey.make(
                    account: .tasks, message: nil, kind: "task \(number)", target: wish.todo.rawValue,
                    rule: command, token: token),
                message: nil, cause: .hand(command), kind: kind)
        }
    }
}
