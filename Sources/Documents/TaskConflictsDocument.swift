import Models
public import Pipeline

/// `opus.task-conflicts/1`
public struct TaskConflictsDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var id: String
        var task: String
        var summary: String
        var path: String
        var field: String?
        var base: String?
        var theirs: String?
        var ours: String?
        var time: String

        init(_ conflict: TaskConflict, _ session: Session) {
            id = conflict.id
            task = conflict.todo.rawValue
            summary = conflict.summary
            path = conflict.path
            field = conflict.field
            base = conflict.base
            theirs = conflict.theirs
            ours = conflict.ours
            time = session.zone.rfc3339(conflict.at)
        }
    }

    var schema = "opus.task-conflicts/1"
    var items: [Item]

    public init(_ conflicts: [TaskConflict], _ session: Session) {
        items = conflicts.map { Item($0, session) }
    }
}
