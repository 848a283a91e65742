import Models

/// The lock of a workspace, for commands that take it for a moment at a time.
struct WorkspaceLock: Sendable {
    let path: String
    /// The session holds the lock from its beginning to its end.
    let isHeld: Bool
    /// Closed while another command needs the store; only a watch has one.
    var gate: WatchGate?

    /// Another command has the store: the watch tries again after this time, at first sooner. What another part of the
    /// same watch does takes a moment.
    private static let longestPause = Duration.seconds(2)
    private static let firstPause = Duration.milliseconds(20)

    /// Runs `body` while this process holds the lock; waits as long as another command has it.
    func waiting<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        var pause = Self.firstPause
        while true {
            if !isHeld { try await gate?.passage() }
            do {
                let taken = isHeld ? nil : try StateLock.take(path: path, isBrief: true)
                defer { withExtendedLifetime(taken) {} }
                return try await body()
            } catch let problem as Problem where problem.code == "locked" {
                try await Task.sleep(for: pause)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }
}
