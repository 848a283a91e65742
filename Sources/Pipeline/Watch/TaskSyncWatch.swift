import Accounts
import Models
import Synchronization
import TaskStore

/// Syncs the task folder with a calendar server while a watch runs: soon after each local change, and
/// periodically for changes on the server.
extension Watching {
    /// Runs until the task is cancelled. Failures do not end the watch.
    func syncTasks(_ news: TaskNews) async {
        guard let syncing = TaskSyncing(workspace, clock: clock) else { return }
        let said = SyncNews(TaskSyncState.read(workspace.storeFolder), news)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in FolderWatch(root: workspace.tasksFolder).changes() {
                    guard !Task.isCancelled, let outcome = try? await syncing.runAfterChange() else {
                        continue
                    }
                    said.tell(outcome)
                }
            }
            if let period = syncing.settings.period {
                group.addTask {
                    var failures = 0
                    while !Task.isCancelled {
                        if let outcome = try? await syncing.run(.server) {
                            said.tell(outcome)
                            if case .failed = outcome { failures += 1 } else { failures = 0 }
                        }
                        // A server that cannot be reached is tried at increasing intervals.
                        let seconds = min(period << min(failures, 6), max(period, Self.longestSyncPause))
                        guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
                    }
                }
            }
        }
    }

    private static let longestSyncPause = 15 * 60
}

/// Reports when syncs start to fail and when they work again, even if another process noticed it first.
private final class SyncNews: Sendable {
    /// The last reported reason of a failure; nil: syncs work.
    private let reason: Mutex<String?>
    private let news: TaskNews

    init(_ state: TaskSyncState, _ news: TaskNews) {
        reason = Mutex(state.problem?.message)
        self.news = news
    }

    func tell(_ outcome: TaskSyncing.Outcome) {
        switch outcome {
        case .nothing, .busy: return
        case .synced:
            let isRecovery = reason.withLock { reason in
                defer { reason = nil }
                return reason != nil
            }
            if isRecovery { news.report(.syncRecovered) }
        case .failed(let problem, _):
            let isNews = reason.withLock { reason in
                defer { reason = problem.message }
                return reason != problem.message
            }
            if isNews { news.report(.syncFailed(problem)) }
        }
    }
}
