import Accounts
import Crypto
import Executor
import MailStore
public import Models
import SyncEngine

/// Bringing the store up to date.
extension Session {
    public func sync(
        _ id: AccountID, progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> SyncReport {
        let account = try requireAccount(id)
        let losses = LossSearch()
        while true {
            do {
                return try await connected(account) {
                    try await sync(account, over: $0, losses: losses, progress: progress)
                }
            } catch {
                // A message at which the server drops the connection is sought over several of them.
                guard !Task.isCancelled, losses.mayGoOn() else { throw error }
            }
        }
    }

    func sync(
        _ account: Account, over connection: AccountConnection, losses: LossSearch = LossSearch(),
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> SyncReport {
        try await Problem.wrap(account) {
            // A file that cannot be read ends the sync: what is judged now is not judged again.
            let trust = try MailTrust(caFile: account.smimeCAFile)
            let report = try await AccountSync(
                account: account.id, source: connection.source, spare: connection.spare, store: store,
                logger: logger, now: now,
                window: account.sync.windowDays.map(SyncWindow.days) ?? .everything,
                exclude: account.sync.exclude, trust: trust, losses: losses,
                progress: progress
            ).run()
            if let imap = connection.imap {
                try store.remember(await IMAPMailSink.canMove(imap) ? .yes : .no, of: account.id)
            }
            return report
        }
    }
}
