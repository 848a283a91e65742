public import Models

extension AccountSyncing {
    /// Syncs accounts side by side: one that is slow or cannot be reached holds up no other.
    ///
    /// - Parameters:
    ///   - ids: The accounts.
    ///   - progress: Called during the syncs, from several of them.
    ///   - done: Called with each result in the order of `ids`, as soon as those before it are known.
    /// - Throws: what `done` throws, and `CancellationError`; the failure of an account is a result.
    public func accounts(
        _ ids: [AccountID], progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
        done: (AccountID, Result<SyncReport, any Error>) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Result<SyncReport, any Error>).self) { group in
            for (index, id) in ids.enumerated() {
                group.addTask {
                    do {
                        return (index, .success(try await account(id, progress: progress)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var waiting: [Int: Result<SyncReport, any Error>] = [:]
            var next = 0
            while let (index, result) = try await group.next() {
                waiting[index] = result
                while let ready = waiting.removeValue(forKey: next) {
                    try Task.checkCancellation()
                    try done(ids[next], ready)
                    next += 1
                }
            }
        }
    }
}
