public import Crypto
public import Logging
public import MailStore
public import Models
public import SyncPlanner

/// Brings the store up to date with one account: every mailbox, step by step, as ``SyncTable`` says.
///
/// A mailbox that fails is reported and tried again next time; the others go on. What was stored stays:
/// a kill costs one batch.
public struct AccountSync: Sendable {
    let account: AccountID
    var source: any MailSource
    /// nil: there is one connection.
    let spare: SpareSource?
    let store: MailStore
    let logger: Logger
    let now: Timestamp
    let window: SyncWindow
    /// Mailboxes that the user leaves out.
    let exclude: MailboxExclusion
    /// Over all attempts of this sync.
    let losses: LossSearch
    let turn = IntakeTurn()
    /// nil: nobody looks at signatures.
    let signatures: SignatureCheck?
    /// Told now and then how far it is.
    let progress: @Sendable (SyncProgress) -> Void

    public init(
        account: AccountID, source: any MailSource, spare: SpareSource? = nil, store: MailStore,
        logger: Logger,
        now: Timestamp, window: SyncWindow = .everything, exclude: MailboxExclusion = .nothing,
        trust: MailTrust? = nil,
        losses: LossSearch = LossSearch(),
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) {
        self.account = account
        self.source = source
        self.spare = spare
        self.store = store
        self.logger = logger
        self.now = now
        self.window = window
        self.exclude = exclude
        self.losses = losses
        signatures = trust.map { SignatureCheck(trust: $0, now: now) }
        self.progress = progress
    }

    /// A lost connection is thrown as the source's own error.
    public func run() async throws -> SyncReport {
        do {
            let report = try await synchronize()
            try ConversationUpdate(store: store, account: account).run()
            return report
        } catch let error as SourceUnavailable {
            // What came before the loss is acted on all the same.
            try ConversationUpdate(store: store, account: account).run()
            throw error.underlying
        }
    }

    private func synchronize() async throws -> SyncReport {
        let survey = try await source.survey()
        try IdentityUpgrade(store: store, account: account).run()
        try store.saveMailboxes(survey.entries.map(\.mailbox), of: account)
        let entries = Self.order(survey, without: exclude)
        let read = Set(entries.map(\.mailbox.name))
        for entry in survey.entries where !read.contains(entry.mailbox.name) {
            try LeftOutMailbox(entry.mailbox, store: store).forget()
        }
        var moves = try MoveWatch(entries, engine: self)
        var pass = AccountPass(engine: self)
        let results = survey.tracking == .qresync ? try await pass.run(entries, moves) : [:]
        var report = SyncReport(account: account)
        var isDone = false
        // A later attempt reports what this one did, too.
        defer { if !isDone { report.mailboxes.forEach(losses.keep) } }
        let jobs = entries.map { entry in
            Job(
                entry: entry, tracking: survey.tracking, passed: results[entry.mailbox.name],
                expectsMoves: moves.mayBring(to: entry.mailbox.name))
        }
        let first = try jobs.filter { job in
            try job.entry.mailbox.role != .all && isFirstSync(of: job.entry)
        }
        let lanes = try await MailboxLanes(engine: self, jobs: first).run()
        for var job in jobs {
            let name = job.entry.mailbox.name
            if let done = lanes[name] {
                report.mailboxes.append(done)
                continue
            }
            job.expectsMoves = moves.mayBring(to: name)
            let done = try await run(job)
            if done.removed > 0 { moves.noteLoss(of: name) }
            report.mailboxes.append(done)
        }
        _ = try store.cleanUp(now: now)
        losses.complete(&report)
        isDone = true
        return report
    }

    /// The mailboxes that no sync reads: the user leaves them out, or they show the messages of others again.
    public static func leftOut(
        _ source: any MailSource, exclude: MailboxExclusion
    ) async throws -> [Mailbox] {
        do {
            let survey = try await source.survey()
            let read = Set(order(survey, without: exclude).map(\.mailbox.name))
            return survey.entries.map(\.mailbox).filter { !read.contains($0.name) }
        } catch let error as SourceUnavailable {
            throw error.underlying
        }
    }

    /// One mailbox that is to be synced.
    struct Job: Sendable {
        var entry: AccountSurvey.Entry
        var tracking: ChangeTracking
        var passed: AccountPass.Result?
        var expectsMoves = false
    }

    func run(_ job: Job) async throws -> SyncReport.MailboxReport {
        try LeftOutMailbox(job.entry.mailbox, store: store).comeBack()
        return try await MailboxSync(
            engine: self, mailbox: job.entry.mailbox, numbers: job.entry.numbers, tracking: job.tracking,
            passed: job.passed, expectsMoves: job.expectsMoves
        ).run()
    }

    private func isFirstSync(of entry: AccountSurvey.Entry) throws -> Bool {
        try store.syncState(of: account, mailbox: entry.mailbox.name) == nil
    }

    /// The inbox first, then by name. One that shows all messages again (`\All`) comes last, and is left out where the
    /// server does not name its messages; so is one that shows some of them again, and what the user leaves out.
    static func order(
        _ survey: AccountSurvey, without exclude: MailboxExclusion = .nothing
    ) -> [AccountSurvey.Entry] {
        func rank(_ entry: AccountSurvey.Entry) -> Int {
            entry.mailbox.role == .inbox ? 0 : entry.mailbox.role == .all ? 2 : 1
        }
        let wanted = survey.entries.filter { entry in
            !entry.isView && entry.mailbox.role != .flagged && !exclude.contains(entry.mailbox)
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
    /// The messages that were asked for when it failed, where it was in the middle of them.
    public let interrupted: InterruptedFetch?
    /// The wish that it was about, in a pass over many mailboxes.
    public let wish: Int?

    public init(_ underlying: any Error, interrupted: InterruptedFetch? = nil, wish: Int? = nil) {
        self.underlying = underlying
        self.interrupted = interrupted
        self.wish = wish
    }
}
