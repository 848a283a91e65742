public import Models

/// The result of a command for one task.
public struct TaskAnswer: Sendable {
    /// As it is now; nil: it was not written, or is gone.
    public var file: TodoFile?
    public var problem: Problem?

    /// A request that was refused before it was queued.
    public init(refused problem: Problem) { self.problem = problem }

    init(_ file: TodoFile?, _ problem: Problem?) { (self.file, self.problem) = (file, problem) }
}
