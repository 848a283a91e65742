public import Models

/// The result of one scan of the whole task folder.
public struct TaskScan: Hashable, Sendable {
    /// Differences from the known files, in the order of their paths; deletions last.
    public var changes: [TodoChange]
    /// Every readable task now on disk, and the known record of every task whose file cannot be read now.
    public var files: [TodoFile]
    public var malformed: [MalformedTodo]
    /// Occurrences of repeating tasks that other programs completed; the changes of these tasks are in `changes` too.
    public var repeated: [RepeatedTodo] = []
    /// How many calendar files hold events and no task. They are left alone.
    public var eventFiles = 0

    public init(changes: [TodoChange] = [], files: [TodoFile] = [], malformed: [MalformedTodo] = []) {
        self.changes = changes
        self.files = files
        self.malformed = malformed
    }
}

/// A file (or a list folder) that was left alone: never written, never taken for deleted.
public struct MalformedTodo: Hashable, Sendable {
    /// Below the task folder.
    public var path: String
    /// 1-based; 0 when the finding is about the whole file.
    public var line: Int
    /// A lower-case clause.
    public var reason: String
    /// The task that the file held when it could be read.
    public var id: TodoID?

    public init(path: String, line: Int, reason: String, id: TodoID? = nil) {
        self.path = path
        self.line = line
        self.reason = reason
        self.id = id
    }
}
