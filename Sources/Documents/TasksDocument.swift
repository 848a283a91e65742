public import Models
public import Pipeline

/// `opus.tasks/1`
public struct TasksDocument: Encodable, Sendable {
    var schema = "opus.tasks/1"
    var items: [TaskDocument.Fields]
    var malformed: [String]
    /// Calendar files that hold events and no task; they are left alone.
    var eventFiles: Int?

    /// `waits`: how the waits among them are.
    public init(
        _ files: [TodoFile], malformed: [String], eventFiles: Int? = nil, waits: [TodoID: Wait] = [:],
        session: Session
    ) {
        items = files.map { file in
            var fields = TaskDocument.Fields(file, session)
            fields.wait = waits[file.todo.id].map { WaitFields($0, session.zone) }
            return fields
        }
        self.malformed = malformed
        self.eventFiles = eventFiles
    }
}
