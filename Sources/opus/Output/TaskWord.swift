import Documents
import Models
import Pipeline

/// The state of a task in one word, on the screen and in JSON.
enum TaskWord {
    static func status(_ todo: Todo) -> String { TaskDocument.status(todo) }

    static func wait(_ state: WaitState) -> String {
        switch state {
        case .drafted: "draft"
        case .sent: "sent"
        case .answered: "answered"
        case .overdue: "overdue"
        case .undelivered: "not delivered"
        case .closed: "closed"
        }
    }
}
