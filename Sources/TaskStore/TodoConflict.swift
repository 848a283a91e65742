import Crypto
public import Models

/// A property that was changed here and in the file, to different values: the file keeps its own, opus's value is kept
/// here.
public struct TodoConflict: Codable, Hashable, Sendable {
    /// Twelve digits, from the task, the field and our value: the same conflict met again is the same.
    public var id: String
    public var todo: TodoID
    /// The task's title when we met it.
    public var summary: String
    /// Below the task folder; where the file was when we met it.
    public var path: String
    /// nil: we changed the task, and its file is gone.
    public var field: TodoField?
    /// Both values, for display; nil: no value.
    public var base: String?
    public var theirs: String?
    public var ours: String?
    /// Our change of that field.
    public var patch: TodoPatch
    /// The task with our change, to make its file again.
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
    /// The task's file as it is now; nil: it is gone, and stays gone.
    public var file: TodoFile?
    /// The version to remember. Where the file's user changed something too it says what we know of, so that the next
    /// scan finds their change and the mail follows it.
    public var agreed: TodoFile?
    /// Kept aside.
    public var conflicts: [TodoConflict]
}
