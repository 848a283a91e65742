import Accounts
import Crypto
import Executor
import Logging
import MailStore
public import Models
import SyncEngine

/// Updates the store from an account.
public struct AccountSyncing: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store
    let clock: SessionClock
    let zone: ZoneClock
    let logger: Logger

    /// Syncs one account into the store.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - oldest: The oldest mail that another store of the account holds, by mailbox: see `sync.window` in opus.yaml.
    ///   - progress: Called during the sync.
    /// - Returns: The new, changed and removed messages.
    /// - Throws: ``Problem`` if the account cannot be reached, or the store fails.
    public func account(
        _ id: AccountID, oldest: [MailboxName: Timestamp] = [:],
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> SyncReport {
        let account = try accounts.require(id)
        let losses = LossSearch()
        while true {
            do {
                return try await connections.connected(account) {
                    try await self.account(
                        account, over: $0, oldest: oldest, losses: losses, progress: progress)
                }
            } catch {
                // Finding a message at which the server drops the connection takes several connections.
                guard !Task.isCancelled, losses.mayGoOn() else { throw error }
            }
        }
    }

    /// The same over an open connection.
    func account(
        _ account: Account, over connection: AccountConnection, oldest: [MailboxName: Timestamp] = [:],
        losses: LossSearch = LossSearch(),
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> SyncReport {
        try await Problem.wrap(account) {
            // If the file cannot be read, the sync fails, because signatures that were checked once are not
            // checked again.
            let trust = try MailTrust(caFile: account.smimeCAFile)
            let report = try await AccountSync(
                account: account.id, source: connection.source, spare: connection.spare, store: store,
                logger: logger, now: clock.now,
                window: account.sync.windowDays.map(SyncWindow.days) ?? .everything,
                exclude: account.sync.exclude,
                needed: { [accounts, store] in
                    try accounts.needed(by: account, among: store.sync.mailboxes(of: account.id))
                }, oldest: oldest, trust: trust,
                threads: accounts.workspace.threads, losses: losses,
                progress: progress
            ).run()
            if let imap = connection.imap {
                try store.accounts.remember(await IMAPMailSink.canMove(imap) ? .yes : .no, of: account.id)
            }
            if report.problems.isEmpty { try store.sync.noteSync(of: account.id, at: clock.now) }
            try store.deferrals.findRenamedMailbox(of: account.id)
            try noteInbox(of: account.id)
            OriginalCache(accounts.workspace).trim()
            let workspace = accounts.workspace
            try await FileTexts(
                workspace.fileText, store: store, scratch: workspace.storeFolder, logger: logger
            ).read(of: account.id, over: connection)
            return report
        }
    }

    /// Call after the user edited threads.
    func updateThreads(of id: AccountID) throws {
        try ThreadUpdate(store: store, account: id, settings: accounts.workspace.threads).run()
    }

    /// Notes the size of the inbox today, for the trend in the briefing.
    func noteInbox(of id: AccountID) throws {
        try store.sync.noteInbox(of: id, on: zone.local(clock.now).date)
    }

    /// Syncs once more. Continues if the account cannot be reached, because each step checks the account
    /// before it acts.
    func lookAgain(_ id: AccountID) async throws {
        do {
            _ = try await account(id)
        } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
            logger.notice("the account could not be checked again", metadata: ["error": "\(problem.message)"])
        }
    }
}
