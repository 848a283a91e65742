public import Models
public import Pipeline

/// `opus.tasks/1`
public struct TasksDocument: Encodable, Sendable {
    var schema = "opus.tasks/1"
    var items: [TaskDocument.Fields]
    var malformed: [String]

    public init(_ files: [TodoFile], malformed: [String], session: Session) {
        items = files.map { TaskDocument.Fields($0, session) }
        self.malformed = malformed
    }
}
