import Crypto
public import Models

/// A property that opus and the file changed to different values. The file keeps its value; this is opus's.
public struct TodoConflict: Codable, Hashable, Sendable {
    /// Twelve digits, derived from the task, the field and opus's value, so that the same conflict always has the same
    /// id.
    public var id: String
    public var todo: TodoID
    /// The title of the task at the time of the conflict.
    public var summary: String
    /// The path of the file at that time, relative to the task folder.
    public var path: String
    /// nil: opus changed the task, and its file is gone.
    public var field: TodoField?
    /// The values for display; nil: no value.
    public var base: String?
    public var theirs: String?
    public var ours: String?
    /// opus's change of this field.
    public var patch: TodoPatch
    /// The task with opus's change, to create its file again.
    public var wanted: Todo
    public var at: Timestamp

    init(_ field: TodoField?, base: TodoFile, file: TodoFile?, wanted: Todo, patch: TodoPatch, at: Timestamp)
    {
        todo = base.todo.id
        summary = (file ?? base).todo.summary
        path = (file ?? base).path
        self.field = field
        self.base = field?.text(of: base.todo)
        theirs = file.flatMap { file in field?.text(of: file.todo) }
        ours = field?.text(of: wanted)
        self.patch = field.map(patch.only) ?? patch
        self.wanted = wanted
        self.at = at
        let name = "\(base.todo.id)\u{0}\(field?.rawValue ?? "file")\u{0}\(ours ?? "")"
        id = String(Hex.encode(SHA256.hash(Array(name.utf8))).prefix(12))
    }
}

/// The result of a change by opus.
public struct TaskMerge: Hashable, Sendable {
    /// The task's file now; nil: it is gone and stays gone.
    public var file: TodoFile?
    /// The version to remember. If the user changed the file too, it has the known values, so that the next scan finds
    /// the user's change and the mail follows it.
    public var agreed: TodoFile?
    /// The conflicts kept aside.
    public var conflicts: [TodoConflict]
}
