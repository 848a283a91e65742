public import Crypto
public import Logging
public import MailStore
public import Models
import SyncPlanner

/// Updates the store from one account: every mailbox, step by step, according to ``SyncTable``.
///
/// A mailbox that fails is reported and tried again next time; the others continue. Stored messages stay: if
/// the process is killed, the next sync reads only the last batches again.
public struct AccountSync: Sendable {
    let context: SyncContext
    private let threads: ThreadSettings
    private let needed: @Sendable () throws -> Set<MailboxName>

    /// `needed`: called when the mailboxes are known; the names of those that are fetched whole and never excluded. `oldest`:
    /// the oldest mail that another store of this account holds, by mailbox.
    public init(
        account: AccountID, source: any MailSource, spare: SpareSource? = nil, store: Store,
        logger: Logger,
        now: Timestamp, window: SyncWindow = .everything, exclude: MailboxExclusion = .nothing,
        needed: @escaping @Sendable () throws -> Set<MailboxName> = { [] },
        oldest: [MailboxName: Timestamp] = [:], trust: MailTrust? = nil,
        threads: ThreadSettings = ThreadSettings(),
        losses: LossSearch = LossSearch(),
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) {
        self.threads = threads
        self.needed = needed
        context = SyncContext(
            account: account, source: source, spare: spare, store: store, logger: logger, now: now,
            scope: SyncScope(window: window, oldest: oldest),
            exclude: exclude, losses: losses, signatures: trust.map { SignatureCheck(trust: $0, now: now) },
            progress: progress)
    }

    private var account: AccountID { context.account }
    private var source: any MailSource { context.source }
    private var store: Store { context.store }

    /// If the connection is lost, throws the source's own error.
    public func run() async throws -> SyncReport {
        do {
            let report = try await synchronize()
            try ThreadUpdate(store: store, account: account, settings: threads).run()
            return report
        } catch let error as SourceUnavailable {
            // Messages that were stored before the connection was lost are used anyway.
            try ThreadUpdate(store: store, account: account, settings: threads).run()
            throw error.underlying
        }
    }

    private func synchronize() async throws -> SyncReport {
        let survey = try await source.survey()
        try IdentityUpgrade(store: store, account: account).run()
        let missing = try store.sync.saveMailboxes(survey.entries.map(\.mailbox), of: account)
        var context = context
        context.scope.needed = try needed()
        if context.scope.window != .everything {
            context.scope.names = try store.messages.remoteNames(of: account)
        }
        let entries = Self.order(survey, without: context.exclude, needed: context.scope.needed)
        if context.scope.window != .everything, try store.sync.lastSync(of: account) != nil,
            try entries.contains(where: isFirstSync)
        {
            context.scope.oldestStored = try store.messages.oldest(of: account)
        }
        let read = Set(entries.map(\.mailbox.name))
        for entry in survey.entries where !read.contains(entry.mailbox.name) {
            try LeftOutMailbox(entry.mailbox, store: store).forget()
        }
        var moves = try MoveWatch(entries, context: context)
        var pass = AccountPass(context: context)
        let results = survey.tracking == .qresync ? try await pass.run(entries, moves) : [:]
        var report = SyncReport(account: account)
        var isDone = false
        // The report of a later attempt includes the results of this one.
        defer { if !isDone { report.mailboxes.forEach(context.losses.keep) } }
        let jobs = entries.map { entry in
            MailboxJob(
                entry: entry, tracking: survey.tracking, passed: results[entry.mailbox.name],
                expectsMoves: moves.mayBring(to: entry.mailbox.name))
        }
        let first = try jobs.filter { job in
            try job.entry.mailbox.role != .all && isFirstSync(of: job.entry)
        }
        let lanes = try await MailboxLanes(context: context, jobs: first).run()
        for var job in jobs {
            let name = job.entry.mailbox.name
            if let done = lanes[name] {
                report.mailboxes.append(done)
                continue
            }
            job.expectsMoves = moves.mayBring(to: name)
            let done = try await job.run(context)
            if done.removed > 0 { moves.noteLoss(of: name) }
            report.mailboxes.append(done)
        }
        if report.mailboxes.allSatisfy({ $0.problem == nil }) {
            // Renamed or deleted by another program: two lists without it, and all others were read.
            for mailbox in missing { try LeftOutMailbox(mailbox, store: store).forget() }
        }
        _ = try store.messages.cleanUp(now: context.now)
        // Messages that an earlier version stored; if the sync is stopped, the next one continues.
        while try store.index.catchUp() { try Task.checkCancellation() }
        context.losses.complete(&report)
        isDone = true
        return report
    }

    /// The mailboxes that no sync reads: the configuration excludes them, or they show messages of other
    /// mailboxes. `needed`: those that opus needs.
    public static func leftOut(
        _ source: any MailSource, exclude: MailboxExclusion, needed: Set<MailboxName> = []
    ) async throws -> [Mailbox] {
        do {
            let survey = try await source.survey()
            let read = Set(order(survey, without: exclude, needed: needed).map(\.mailbox.name))
            return survey.entries.map(\.mailbox).filter { !read.contains($0.name) }
        } catch let error as SourceUnavailable {
            throw error.underlying
        }
    }

    private func isFirstSync(of entry: AccountSurvey.Entry) throws -> Bool {
        try store.sync.syncState(of: account, mailbox: entry.mailbox.name) == nil
    }

    /// The inbox first, then by name. A mailbox that shows all messages (`\All`) is last; it is left out if
    /// the server has no ids for messages. Mailboxes that show some messages of others, and excluded
    /// mailboxes, are left out, too. Drafts and sent mail are always read: without them, a draft seems to be discarded, and a
    /// sent mail to be unsent.
    static func order(
        _ survey: AccountSurvey, without exclude: MailboxExclusion = .nothing,
        needed: Set<MailboxName> = []
    ) -> [AccountSurvey.Entry] {
        func rank(_ entry: AccountSurvey.Entry) -> Int {
            entry.mailbox.role == .inbox ? 0 : entry.mailbox.role == .all ? 2 : 1
        }
        let wanted = survey.entries.filter { entry in
            !entry.isView && entry.mailbox.role != .flagged
                && (!exclude.contains(entry.mailbox) || needed.contains(entry.mailbox.name)
                    || entry.mailbox.role == .drafts || entry.mailbox.role == .sent)
                && (entry.mailbox.role != .all || survey.namesMessages)
        }
        return wanted.sorted { a, b in
            (rank(a), a.mailbox.displayName) < (rank(b), b.mailbox.displayName)
        }
    }
}
