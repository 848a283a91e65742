public import Models
import TaskStore

/// One property of one task with different values on two sides. Every text is untrusted.
public struct TaskConflict: Sendable {
    let conflict: TodoConflict

    init(_ conflict: TodoConflict) { self.conflict = conflict }

    public var id: String { conflict.id }
    public var todo: TodoID { conflict.todo }
    public var summary: String { conflict.summary }
    public var path: String { conflict.path }
    /// `due`, `summary`; nil: the whole task, whose file is gone.
    public var field: String? { conflict.field?.rawValue }
    public var base: String? { conflict.base }
    public var theirs: String? { conflict.theirs }
    public var ours: String? { conflict.ours }
    public var at: Timestamp { conflict.at }
}
