import Logging
import MailStore
import Models
import SyncPlanner
import Synchronization

/// One mailbox of a sync: compare, fetch what is new, store it batch by batch.
struct MailboxSync: Sendable {
    let engine: AccountSync
    let mailbox: Mailbox
    /// What was said of it before it was opened.
    var numbers: SourceMailbox?
    var tracking = ChangeTracking.none
    /// What a pass over all mailboxes has brought already.
    var passed: AccountPass.Result?

    /// Messages and bytes of one batch: what a kill can cost, and what memory holds at once (twice).
    static let batchMessages = 250
    static let batchBytes = 8 * 1_024 * 1_024
    /// A longer message is read up to here; its attachments are fetched when asked for.
    static let messageLimit = 1_024 * 1_024
    /// An account that never had this many messages in a mailbox may see it empty at once.
    static let suddenlyEmpty = 50

    var store: MailStore { engine.store }
    var account: AccountID { engine.account }
    var source: any MailSource { engine.source }

    /// Throws only what ends the whole sync; a mailbox's own trouble is in the report.
    func run() async throws -> SyncReport.MailboxReport {
        var report = SyncReport.MailboxReport(mailbox: mailbox)
        do {
            try await synchronize(&report)
        } catch let error as SourceUnavailable {
            throw error
        } catch let error as MailStoreError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            report.problem = "\(error)"
            engine.logger.warning(
                "mailbox skipped", metadata: ["account": "\(account)", "error": "\(error)"])
        }
        return report
    }

    private func synchronize(_ report: inout SyncReport.MailboxReport) async throws {
        if let numbers, numbers.exists > 0 { try forgetEmptiness() }
        if try await settlePassed(&report) { return }
        let (state, held, local) = try local()
        let isDue = isCompareDue(state)
        guard let known = Self.known(opening(local, state)) else { return }
        let server = try await source.open(mailbox, since: known)
        if server.exists > 0 { try forgetEmptiness() }
        if let signature = server.signature, signature == state?.signature { return }
        let isTold = server.changes?.isComplete ?? true
        let steps = SyncTable.steps(local: local, server: Self.seen(server), compareDue: isDue || !isTold)
        var incremental = IncrementalSync(sync: self, server: server, held: held)
        for step in steps {
            switch step {
            case .nothing:
                let next = server.uidNext ?? state?.uidNext
                if isDue || state?.highestModSeq != server.highestModSeq || state?.uidNext != next {
                    try finish(server, comparedAt: engine.now, &report)
                }
            case .fetchAll: try await fetchAll(server, &report)
            case .applyReported: try incremental.applyReported()
            case .fetchChanges(let modSeq, let uid):
                try await incremental.fetchChanges(since: modSeq, below: uid)
            case .fetchNew(let uid): try await incremental.listNew(from: uid)
            case .checkCount: try await incremental.finish(comparedAt: state?.comparedAt, &report)
            case .compareAll: try await compareAll(server, &report)
            case .rebind: try await rebind(server, &report)
            case .readOnlyMailbox(let reason): report.problem = "\(reason)"
            }
        }
    }

    /// What the pass brought, if all of it fits together; false: the mailbox is opened by itself.
    private func settlePassed(_ report: inout SyncReport.MailboxReport) async throws -> Bool {
        guard let passed else { return false }
        count(passed.outcome, isRebind: false, &report)
        guard let server = passed.server, server.changes?.isComplete == true,
            SyncTable.steps(local: passed.local, server: Self.seen(server)).first == .applyReported
        else { return false }
        var incremental = IncrementalSync(sync: self, server: server, held: passed.held)
        try incremental.applyReported()
        try incremental.takeStored(passed)
        guard incremental.isSettled else { return false }
        let state = try store.syncState(of: account, mailbox: mailbox.name)
        try await incremental.finish(comparedAt: state?.comparedAt, &report)
        return true
    }

    /// What we know of the mailbox.
    func local() throws -> (state: MailboxSyncState?, held: MailboxExtent, local: LocalMailbox) {
        let state = try store.syncState(of: account, mailbox: mailbox.name)
        let held = try store.extent(of: account, mailbox: mailbox.name)
        let local =
            state.map {
                LocalMailbox(
                    uidValidity: $0.uidValidity, uidNext: $0.uidNext, highestModSeq: $0.highestModSeq,
                    count: held.count)
            } ?? LocalMailbox(uidValidity: nil)
        return (state, held, local)
    }

    func opening(_ local: LocalMailbox, _ state: MailboxSyncState?) -> Opening {
        SyncTable.opening(
            local: local, status: numbers.map(Self.seen), tracking: tracking, compareDue: isCompareDue(state))
    }

    private func isCompareDue(_ state: MailboxSyncState?) -> Bool {
        SyncTable.isCompareDue(comparedAt: state?.comparedAt, now: engine.now)
    }

    /// QRESYNC told its changes, CONDSTORE has a number, and everything else has neither.
    private static func seen(_ server: SourceMailbox) -> ServerMailbox {
        ServerMailbox(
            uidValidity: server.uidValidity, uidNext: server.uidNext, highestModSeq: server.highestModSeq,
            exists: server.exists,
            tracking: server.changes != nil ? .qresync : server.highestModSeq != nil ? .condstore : .none)
    }

    /// nil: the mailbox need not be opened. Otherwise the state to open it with, which may be none.
    private static func known(_ opening: Opening) -> KnownMailbox?? {
        switch opening {
        case .skip: nil
        case .whole: .some(nil)
        case .resynchronize(let validity, let modSeq, let below):
            KnownMailbox(uidValidity: validity, modSeq: modSeq, below: below)
        }
    }

    /// An empty mailbox is not asked: some servers call a range of nothing an error.
    func listing(
        _ server: SourceMailbox, from: UInt32, _ detail: ListingDetail = .everything
    ) async throws -> MessageListing {
        server.exists == 0
            ? MessageListing([]) : try await source.listing(of: mailbox, from: from, detail: detail)
    }

    private func fetchAll(
        _ server: SourceMailbox, _ report: inout SyncReport.MailboxReport
    ) async throws {
        let listed = try await listing(server, from: 1)
        let known = Set(try store.placements(of: account, mailbox: mailbox.name).map(\.uid))
        try await take(listed.messages.filter { !known.contains($0.uid) }, server, &report)
        try finish(server, comparedAt: engine.now, isWhole: listed.isComplete, &report)
    }

    /// UIDVALIDITY changed: the places are forgotten, the messages stay, and each finds its place again by
    /// its header.
    private func rebind(_ server: SourceMailbox, _ report: inout SyncReport.MailboxReport) async throws {
        let listed = try await listing(server, from: 1)
        let placements = try store.placements(of: account, mailbox: mailbox.name)
        if try isSuddenlyEmpty(listed.messages, placements, &report) { return }
        var reset = SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        reset.resetPlacements = true
        reset.state = MailboxSyncState(uidValidity: server.uidValidity, uidNext: 1, exists: 0)
        _ = try store.apply(reset)
        try await take(listed.messages, server, isRebind: true, &report)
        try finish(server, comparedAt: engine.now, isWhole: listed.isComplete, &report)
    }

    /// Fetches and stores, newest first; the next batch is on its way while the last one is parsed.
    func take(
        _ messages: [ListedMessage], _ server: SourceMailbox, isRebind: Bool = false,
        _ report: inout SyncReport.MailboxReport
    ) async throws {
        guard !messages.isEmpty else { return }
        let newestFirst = messages.sorted { a, b in
            (a.received?.seconds ?? 0, a.uid, a.remoteName ?? "") > (
                b.received?.seconds ?? 0, b.uid, b.remoteName ?? ""
            )
        }
        let intake = MessageIntake(account: account, store: store)
        let writer = BatchFeed(
            intake: intake, store: store, mailbox: mailbox.name, uidValidity: server.uidValidity)
        let total = messages.count
        let progress = engine.progress
        let (account, name) = (account, mailbox.displayName)
        do {
            try await source.fetch(newestFirst, of: mailbox, limit: Self.messageLimit) { raw in
                let done = try await writer.add(raw)
                if done % 50 == 0 || done == total {
                    progress(SyncProgress(account: account, mailbox: name, done: done, total: total))
                }
            }
        } catch {
            // What came is kept: over a connection that never lasts long, each sync still gets further.
            if let outcome = try? await writer.finish() { count(outcome, isRebind: isRebind, &report) }
            throw error
        }
        let outcome = try await writer.finish()
        count(outcome, isRebind: isRebind, &report)
        let stored = outcome.added + outcome.placed
        report.skipped += total - stored
        if stored < total {
            report.problem =
                "\(total - stored) of \(total) messages could not be read; they are tried again next time"
        }
    }

    /// After a new UIDVALIDITY a known message is not new: it has found its place again.
    func count(_ outcome: SyncOutcome, isRebind: Bool, _ report: inout SyncReport.MailboxReport) {
        report.added += isRebind ? outcome.added : outcome.added + outcome.placed
        if isRebind { report.rebound += outcome.placed }
        report.flagsChanged += outcome.flagsChanged
        report.removed += outcome.removed
    }

    /// The state is written last, with the changes of the step that it follows from. A mailbox of which something
    /// was left out (a message that could not be read, an answer that did not parse) is compared whole next time.
    func finish(
        _ server: SourceMailbox, _ changes: SyncBatch? = nil, comparedAt: Timestamp?, isWhole: Bool = true,
        _ report: inout SyncReport.MailboxReport
    ) throws {
        let isComplete = isWhole && report.skipped == 0
        var batch =
            changes
            ?? SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        let held = try store.extent(of: account, mailbox: mailbox.name)
        batch.state = MailboxSyncState(
            uidValidity: server.uidValidity, uidNext: max(server.uidNext ?? 0, held.lastUID + 1),
            highestModSeq: isComplete ? server.highestModSeq : nil, exists: held.count - batch.removed.count,
            signature: isComplete ? server.signature : nil, syncedAt: isComplete ? engine.now : nil,
            comparedAt: isComplete ? comparedAt : nil)
        count(try store.apply(batch), isRebind: false, &report)
    }
}
