public import Models

/// The result of a command for one task.
public struct TaskAnswer: Sendable {
    /// The current file; nil: it was not written, or no longer exists.
    public var file: TodoFile?
    public var problem: Problem?

    /// A request that was refused before it was queued.
    public init(refused problem: Problem) { self.problem = problem }

    init(_ file: TodoFile?, _ problem: Problem?) { (self.file, self.problem) = (file, problem) }
}
