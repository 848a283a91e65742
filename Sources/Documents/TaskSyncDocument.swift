public import Pipeline

/// `opus.task-sync/1`
public struct TaskSyncDocument: Encodable, Sendable {
    var schema = "opus.task-sync/1"
    /// `synced` or `nothing` (another process is syncing).
    var outcome: String
    /// Whether task files changed.
    var filesChanged: Bool

    public init(_ outcome: TaskSyncing.Outcome) {
        if case .synced(_, let files) = outcome {
            (self.outcome, filesChanged) = ("synced", files)
        } else {
            (self.outcome, filesChanged) = ("nothing", false)
        }
    }
}
