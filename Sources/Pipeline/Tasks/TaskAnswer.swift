public import Models

/// The result of a command for one task.
public struct TaskAnswer: Sendable {
    /// The current file; nil: it was not written, or no longer exists.
    public var file: TodoFile?
    public var problem: Problem?
    /// The task was already so: nothing was written.
    public var wasSo = false

    /// A request that was refused before it was queued.
    public init(refused problem: Problem) { self.problem = problem }

    init(_ file: TodoFile?, _ problem: Problem?, wasSo: Bool) {
        (self.file, self.problem, self.wasSo) = (file, problem, wasSo)
    }
}
