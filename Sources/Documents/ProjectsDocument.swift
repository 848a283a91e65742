public import Models
public import Pipeline

/// `opus.projects/1`
public struct ProjectsDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var project: TaskDocument.Fields
        var open: Int
        var done: Int
        /// The UID of the next action; nil: the project has none.
        var next: String?
    }

    var schema = "opus.projects/1"
    var items: [Item]

    public init(_ projects: [TodoFile], _ board: TaskBoard, _ session: Session) {
        items = projects.map { file in
            let parts = board.children(of: file.todo.id)
            return Item(
                project: TaskDocument.Fields(file, session), open: parts.count(where: \.isOpen),
                done: parts.count(where: \.isCompleted), next: board.nextAction(of: file.todo.id)?.id.rawValue
            )
        }
    }
}
