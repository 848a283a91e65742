import Accounts
public import Models
import SyncEngine

/// Bringing the store up to date.
extension Session {
    public func sync(
        _ id: AccountID, progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> SyncReport {
        let account = try requireAccount(id)
        let connection = try await connect(account)
        defer { Task { await connection.close() } }
        return try await sync(account, over: connection, progress: progress)
    }

    func sync(
        _ account: Account, over connection: AccountConnection,
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> SyncReport {
        try await Problem.wrap(account) {
            try await AccountSync(
                account: account.id, source: connection.source, store: store, logger: logger, now: now,
                progress: progress
            ).run()
        }
    }
}
