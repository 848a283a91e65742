public import Models

extension AccountSyncing {
    /// Syncs accounts concurrently: an account that is slow or cannot be reached does not delay the others.
    ///
    /// - Parameters:
    ///   - ids: The accounts.
    ///   - progress: Called during the syncs, from several of them.
    ///   - done: Called with each result in the order of `ids`, as soon as all earlier ones are known.
    /// - Throws: The errors of `done`, and `CancellationError`. The failure of an account is a result.
    public func accounts(
        _ ids: [AccountID], progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
        done: (AccountID, Result<SyncReport, any Error>) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Ended.self) { group in
            for (index, id) in ids.enumerated() {
                group.addTask { await ended(index, id, progress) }
            }
            var waiting = [Result<SyncReport, any Error>?](repeating: nil, count: ids.count)
            var next = 0
            while let ended = try await group.next() {
                waiting[ended.index] = ended.result
                while next < ids.count, let ready = waiting[next] {
                    try Task.checkCancellation()
                    try done(ids[next], ready)
                    next += 1
                }
            }
        }
    }

    private struct Ended: Sendable {
        let index: Int
        let result: Result<SyncReport, any Error>
    }

    private func ended(
        _ index: Int, _ id: AccountID, _ progress: @escaping @Sendable (SyncProgress) -> Void
    ) async -> Ended {
        let result: Result<SyncReport, any Error>
        do {
            result = .success(try await account(id, progress: progress))
        } catch {
            result = .failure(error)
        }
        return Ended(index: index, result: result)
    }
}
