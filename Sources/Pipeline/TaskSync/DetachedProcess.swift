/// Starts a process that outlives the current one, in a separate session without a terminal.
enum DetachedProcess {
    /// Does nothing if the process cannot be started.
    static func start(_ words: [String]) {
        _ = try? ChildProcess.start(words, .init(), isApart: true)
    }
}
