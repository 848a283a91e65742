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
    let window: SyncWindow
    /// Told now and then how far it is.
    let progress: @Sendable (SyncProgress) -> Void

    public init(
        account: AccountID, source: any MailSource, store: MailStore, logger: Logger, now: Timestamp,
        window: SyncWindow = .everything, progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) {
        self.account = account
        self.source = source
        self.store = store
        self.logger = logger
        self.now = now
        self.window = window
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
        let entries = Self.order(survey)
        var moves = try MoveWatch(entries, engine: self)
        var pass = AccountPass(engine: self)
        let results = survey.tracking == .qresync ? try await pass.run(entries, moves) : [:]
        var report = SyncReport(account: account)
        for entry in entries {
            let name = entry.mailbox.name
            let sync = MailboxSync(
                engine: self, mailbox: entry.mailbox, numbers: entry.numbers, tracking: survey.tracking,
                passed: results[name], expectsMoves: moves.mayBring(to: name))
            let done = try await sync.run()
            if done.removed > 0 { moves.noteLoss(of: name) }
            report.mailboxes.append(done)
        }
        _ = try store.cleanUp(now: now)
        return report
    }

    /// The inbox first, then by name. One that shows all messages again (`\All`) comes last, and is left out where the
    /// server does not name its messages; so is one that shows some of them again.
    static func order(_ survey: AccountSurvey) -> [AccountSurvey.Entry] {
        func rank(_ entry: AccountSurvey.Entry) -> Int {
            entry.mailbox.role == .inbox ? 0 : entry.mailbox.role == .all ? 2 : 1
        }
        let wanted = survey.entries.filter { entry in
            !entry.isView && entry.mailbox.role != .flagged
                && (entry.mailbox.role != .all || survey.namesMessages)
        }
        return wanted.sorted { a, b in
            (rank(a), a.mailbox.displayName) < (rank(b), b.mailbox.displayName)
        }
    }
}

/// A failure of the connection, not of one mailbox: it ends the sync.
public struct SourceUnavailable: Error {
    public let underlying: any Error

    public init(_ underlying: any Error) { self.underlying = underlying }
}
