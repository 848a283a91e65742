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
        let survey = try await source.survey()
        try store.saveMailboxes(survey.entries.map(\.mailbox), of: account)
        var pass = AccountPass(engine: self)
        let results = try await pass.run(survey)
        var report = SyncReport(account: account)
        for entry in Self.order(survey.entries) {
            let sync = MailboxSync(
                engine: self, mailbox: entry.mailbox, numbers: entry.numbers, tracking: survey.tracking,
                passed: results[entry.mailbox.name])
            report.mailboxes.append(try await sync.run())
        }
        return report
    }

    /// The inbox first, then by name. A mailbox that shows all messages again (`\All`, `\Flagged`) is left out.
    static func order(_ entries: [AccountSurvey.Entry]) -> [AccountSurvey.Entry] {
        entries.filter { $0.mailbox.role != .all && $0.mailbox.role != .flagged }.sorted { a, b in
            (a.mailbox.role == .inbox ? 0 : 1, a.mailbox.displayName)
                < (b.mailbox.role == .inbox ? 0 : 1, b.mailbox.displayName)
        }
    }
}

/// A failure of the connection, not of one mailbox: it ends the sync.
public struct SourceUnavailable: Error {
    public let underlying: any Error

    public init(_ underlying: any Error) { self.underlying = underlying }
}
