public import Models
public import Pipeline

/// `opus.tasks/1`
public struct TasksDocument: Encodable, Sendable {
    var schema = "opus.tasks/1"
    var items: [TaskDocument.Fields]
    var malformed: [String]
    /// The number of calendar files with events and without tasks; opus ignores them.
    var eventFiles: Int?

    /// `waits`: the states of the waits among them.
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
