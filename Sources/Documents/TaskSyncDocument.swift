public import Pipeline

/// `opus.task-sync/1`
public struct TaskSyncDocument: Encodable, Sendable {
    var schema = "opus.task-sync/1"
    /// `synced` or `nothing` (another process is syncing).
    var outcome: String
    /// Whether task files changed.
    var filesChanged: Bool
    /// Lists with tasks that the setup did not know, so that they are on no server.
    var listsOnlyHere: [String]

    public init(_ outcome: TaskSyncing.Outcome) {
        if case .synced(_, let files, let onlyHere) = outcome {
            (self.outcome, filesChanged, listsOnlyHere) = ("synced", files, onlyHere)
        } else {
            (self.outcome, filesChanged, listsOnlyHere) = ("nothing", false, [])
        }
    }
}
