public import Models
import TaskStore

/// A property of a task with different values on two sides. None of its text is trusted.
public struct TaskConflict: Sendable {
    let conflict: TodoConflict

    init(_ conflict: TodoConflict) { self.conflict = conflict }

    public var id: String { conflict.id }
    public var todo: TodoID { conflict.todo }
    public var summary: String { conflict.summary }
    public var path: String { conflict.path }
    /// Such as `due` or `summary`; nil: the whole task, whose file was deleted.
    public var field: String? { conflict.field?.rawValue }
    public var base: String? { conflict.base }
    public var theirs: String? { conflict.theirs }
    public var ours: String? { conflict.ours }
    public var at: Timestamp { conflict.at }
}
