public import Models

/// The events while accounts and the task folder are watched.
public enum WatchedEvent: Sendable {
    case account(AccountID, WatchEvent)
    case tasks(TaskWatchEvent)
    /// The account is no longer watched.
    case ended(AccountID, Problem)
}

extension Watching {
    /// Watches several accounts at once, and the task folder as long as one of them is watched. With `isOnce`, each
    /// account until its first change. Returns the problems that ended accounts.
    public func all(
        _ accounts: [AccountID], isOnce: Bool, tell: @escaping @Sendable (WatchedEvent) -> Void
    ) async -> [Problem] {
        // Ends with this function: the store may be closed after it.
        async let _ = try? await self.tasks(of: accounts) { tell(.tasks($0)) }
        return await withTaskGroup(of: Problem?.self) { group in
            for account in accounts {
                group.addTask {
                    do {
                        try await self.account(account, isOnce: isOnce) { tell(.account(account, $0)) }
                        return nil
                    } catch {
                        if Task.isCancelled { return nil }
                        let problem = Problem(error)
                        tell(.ended(account, problem))
                        return problem
                    }
                }
            }
            return await group.reduce(into: [Problem]()) { failures, failure in
                if let failure { failures.append(failure) }
            }
        }
    }
}
