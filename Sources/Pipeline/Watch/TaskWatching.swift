import Accounts
import MailStore
public import Models
import TaskStore

extension TaskWatchEvent {
    fileprivate var refusedLogins: Set<AccountID> {
        guard case .followed(let report) = self else { return [] }
        return Set(report.runs.filter { $0.drain.halt == .loginRefused }.map(\.account))
    }
}

/// The task folder: when any program edits or completes a file, the mail is updated soon after.
extension Watching {
    /// Scans the folder once, and then after every change, until the task is cancelled. Repeated findings are
    /// not reported again.
    ///
    /// - Parameters:
    ///   - ids: The accounts whose mail may be changed.
    ///   - report: Receives the events, in order.
    /// - Throws: If the task is cancelled, or the store fails.
    public func tasks(
        of ids: [AccountID], report: @escaping @Sendable (TaskWatchEvent) -> Void
    ) async throws { try await tasks(of: ids, TaskNews(report)) }

    /// `isReachable`: an account that cannot be reached would delay the others; its own round processes its
    /// tasks. `reschedule` is called when the next answer is late at another time than before.
    func tasks(
        of ids: [AccountID], _ news: TaskNews, isReachable: @Sendable (AccountID) -> Bool = { _ in true },
        reschedule: @Sendable () -> Void = {}
    ) async throws {
        var ids = ids
        let changes = FolderWatch(root: workspace.tasksFolder).changes()
        var event = try await followOnce(ids, isReachable)
        news.report(event)
        var nextLate: Timestamp?
        func schedule() {
            guard let next = try? round.nextLateAnswer(), next != nextLate else { return }
            nextLate = next
            reschedule()
        }
        schedule()
        for await _ in changes {
            // After a refused login, the changes of that account wait until the next run.
            let refused = event.refusedLogins
            ids.removeAll(where: refused.contains)
            event = try await followOnce(ids, isReachable)
            news.report(event)
            schedule()
        }
    }

    private func followOnce(
        _ ids: [AccountID], _ isReachable: @Sendable (AccountID) -> Bool
    ) async throws -> TaskWatchEvent {
        do {
            return .followed(
                try await lock.waiting {
                    guard store.isInPlace else { throw Problem.storeGone(workspace) }
                    round.whole.begin(as: .watch)
                    defer { round.whole.end() }
                    // A server may have become silent while this waited for the lock.
                    return try await follow.taskEdits(for: ids.filter(isReachable), allowMassDelete: false)
                })
        } catch let problem as Problem {
            try Task.checkCancellation()
            return .stopped(problem)
        }
    }
}
