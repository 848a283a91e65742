import Models

/// The lock of a workspace, for commands that hold it only briefly, several times.
struct WorkspaceLock: Sendable {
    let path: String
    /// The session holds the lock for its whole lifetime.
    let isHeld: Bool
    /// Closed while another command needs the store; only a watch has a gate.
    var gate: WatchGate?

    /// Another command uses the store: the watch retries at intervals that grow up to this value. Work of
    /// another part of the same watch takes only a moment.
    private static let longestPause = Duration.seconds(2)
    private static let firstPause = Duration.milliseconds(20)

    /// Runs `body` while this process holds the lock; waits until no other command holds it.
    func waiting<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        var pause = Self.firstPause
        while true {
            if !isHeld { try await gate?.passage() }
            do {
                let taken = isHeld ? nil : try StateLock.take(path: path, isBrief: true)
                gate?.beginWork()
                defer {
                    gate?.endWork()
                    withExtendedLifetime(taken) {}
                }
                return try await body()
            } catch let problem as Problem where problem.code == "locked" {
                try await Task.sleep(for: pause)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }
}
