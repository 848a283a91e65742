public import Logging
public import MailStore
public import Models
import SyncPlanner

/// Brings the store up to date with one account: every mailbox, step by step, as ``SyncTable`` says.
///
/// A mailbox that fails is reported and tried again next time; the others go on. What was stored stays:
/// a kill costs one batch.
public struct AccountSync: Sendable {
    let account: AccountID
    let source: any MailSource
    let store: MailStore
    let logger: Logger
    let now: Timestamp
    /// Told now and then how far it is.
    let progress: @Sendable (SyncProgress) -> Void

    public init(
        account: AccountID, source: any MailSource, store: MailStore, logger: Logger, now: Timestamp,
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) {
        self.account = account
        self.source = source
        self.store = store
        self.logger = logger
        self.now = now
        self.progress = progress
    }

    /// A lost connection is thrown as the source's own error.
    public func run() async throws -> SyncReport {
        do {
            return try await synchronize()
        } catch let error as SourceUnavailable {
            throw error.underlying
        }
    }

    private func synchronize() async throws -> SyncReport {
        let mailboxes = try await source.mailboxes()
        try store.saveMailboxes(mailboxes, of: account)
        var report = SyncReport(account: account)
        for mailbox in Self.order(mailboxes) {
            let sync = MailboxSync(engine: self, mailbox: mailbox)
            report.mailboxes.append(try await sync.run())
        }
        return report
    }

    /// The inbox first, then by name. A mailbox that shows all messages again (`\All`, `\Flagged`) is left out.
    static func order(_ mailboxes: [Mailbox]) -> [Mailbox] {
        mailboxes.filter { $0.role != .all && $0.role != .flagged }.sorted { a, b in
            (a.role == .inbox ? 0 : 1, a.displayName) < (b.role == .inbox ? 0 : 1, b.displayName)
        }
    }
}

/// A failure of the connection, not of one mailbox: it ends the sync.
public struct SourceUnavailable: Error {
    public let underlying: any Error

    public init(_ underlying: any Error) { self.underlying = underlying }
}
