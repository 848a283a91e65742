import Documents
import Models
import Pipeline

/// The states of a task in one word each, on the screen and in JSON.
enum TaskWord {
    static func status(_ todo: Todo) -> String { TaskDocument.status(todo) }
}
