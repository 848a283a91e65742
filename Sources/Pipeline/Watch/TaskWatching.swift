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
    ) async throws {
        var reported = LastReport()
        var ids = ids
        let changes = TaskWatch(root: workspace.tasksFolder).changes()
        var event = try await followOnce(ids)
        if let news = reported.news(event) { report(news) }
        for await _ in changes {
            // A refused login is not repeated: what belongs to that account stays a change until the next run.
            let refused = event.refusedLogins
            ids.removeAll(where: refused.contains)
            event = try await followOnce(ids)
            if let news = reported.news(event) { report(news) }
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

    /// The last report about unreadable files, waiting questions, and a folder that looks wrong.
    private struct LastReport {
        private var malformed: [String] = []
        private var held: [String] = []
        private var problem: String?

        mutating func news(_ event: TaskWatchEvent) -> TaskWatchEvent? {
            switch event {
            case .followed(var report):
                problem = nil
                let (malformed, held) = (report.malformed, report.held)
                if malformed == self.malformed { report.malformed = [] }
                if held == self.held { report.held = [] }
                (self.malformed, self.held) = (malformed, held)
                let isOld = report.isQuiet && report.malformed.isEmpty && report.held.isEmpty
                return isOld ? nil : .followed(report)
            case .stopped(let problem):
                guard problem.message != self.problem else { return nil }
                self.problem = problem.message
                return event
            }
        }
    }
}
