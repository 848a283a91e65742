import Accounts
public import Models
import TaskStore

extension TaskWatchEvent {
    fileprivate var refusedLogins: Set<AccountID> {
        guard case .followed(let report) = self else { return [] }
        return Set(report.runs.filter { $0.drain.halt == .loginRefused }.map(\.account))
    }
}

/// The task folder: any program edits or completes a file, and the mail follows soon after.
extension Watching {
    /// Looks at the folder once, then whenever it changed, until the task is cancelled. What is the same as last time is
    /// not reported again.
    ///
    /// - Parameters:
    ///   - ids: the accounts whose mail may follow.
    ///   - report: receives what happens, in its order.
    /// - Throws: when the task is cancelled, or the store fails.
    public func tasks(
        of ids: [AccountID], report: @escaping @Sendable (TaskWatchEvent) -> Void
    ) async throws { try await tasks(of: ids, TaskNews(report)) }

    /// `isReachable`: an account that is away would keep the others waiting; its own round follows its tasks.
    func tasks(
        of ids: [AccountID], _ news: TaskNews, isReachable: @Sendable (AccountID) -> Bool = { _ in true }
    ) async throws {
        var ids = ids
        let changes = FolderWatch(root: workspace.tasksFolder).changes()
        var event = try await followOnce(ids.filter(isReachable))
        news.report(event)
        for await _ in changes {
            // A refused login is not repeated: what belongs to that account stays a change until the next run.
            let refused = event.refusedLogins
            ids.removeAll(where: refused.contains)
            event = try await followOnce(ids.filter(isReachable))
            news.report(event)
        }
    }

    private func followOnce(_ ids: [AccountID]) async throws -> TaskWatchEvent {
        do {
            return .followed(
                try await lock.waiting { try await follow.taskEdits(for: ids, allowMassDelete: false) })
        } catch let problem as Problem {
            try Task.checkCancellation()
            return .stopped(problem)
        }
    }
}
