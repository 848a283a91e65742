public import Models

/// The result of one scan of the whole task folder.
public struct TaskScan: Hashable, Sendable {
    /// Differences from the known files, sorted by path; deletions last.
    public var changes: [TodoChange]
    /// Every readable task on disk, and the known record of every task whose file is unreadable now.
    public var files: [TodoFile]
    public var malformed: [MalformedTodo]
    /// Occurrences of repeating tasks that other programs completed; `changes` contains these tasks too.
    public var repeated: [RepeatedTodo] = []
    /// The number of calendar files with events and without a task. opus ignores them.
    public var eventFiles = 0

    public init(changes: [TodoChange] = [], files: [TodoFile] = [], malformed: [MalformedTodo] = []) {
        self.changes = changes
        self.files = files
        self.malformed = malformed
    }
}

/// An unreadable file or list folder. opus never writes it and never treats its tasks as deleted.
public struct MalformedTodo: Hashable, Sendable {
    /// Relative to the task folder.
    public var path: String
    /// 1-based; 0 when the finding is about the whole file.
    public var line: Int
    /// A lower-case clause.
    public var reason: String
    /// The task that the file contained when it was last readable.
    public var id: TodoID?

    public init(path: String, line: Int, reason: String, id: TodoID? = nil) {
        self.path = path
        self.line = line
        self.reason = reason
        self.id = id
    }
}
