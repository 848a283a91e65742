/// `opus.task-path/1`
public struct TaskPathDocument: Encodable, Sendable {
    var schema = "opus.task-path/1"
    /// The id of the task; nil: the path is the folder of all lists.
    var id: String?
    var path: String

    public init(id: String?, path: String) {
        self.id = id
        self.path = path
    }
}
