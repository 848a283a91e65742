import MailStore
public import Models

/// Why steps that are ready still wait: their account cannot be reached, or refuses the login.
public struct QueueWait: Hashable, Sendable {
    public var halt: DrainReport.Halt
    public var reason: String
    /// When the watch tries the account again; nil: no watch runs, or it waits for the user.
    public var nextTry: Timestamp?
}

extension AccountStatus {
    /// nil: the step waits for something else, such as its time, or for the next run.
    public func wait(of entry: UnfinishedStep, _ watch: WatchStatus, at now: Timestamp) -> QueueWait? {
        guard entry.step.state == .ready, entry.step.reason == nil, entry.step.isDue(at: now) else {
            return nil
        }
        if watch.isRunning, let seen = watch.record?.accounts.first(where: { $0.account == account }),
            let reason = seen.reason
        {
            let halt: DrainReport.Halt = seen.problem == "login-refused" ? .loginRefused : .offline
            return QueueWait(halt: halt, reason: reason, nextTry: seen.nextTry)
        }
        // A later sync reached the account, so the next run tries the steps.
        guard let halt, halt.at >= lastSync ?? halt.at else { return nil }
        return QueueWait(halt: halt.halt, reason: halt.reason)
    }
}
