import Logging
import MailStore
import Models
import SyncPlanner

/// One mailbox of a sync: open it, take the steps that ``SyncTable`` names, and write down how far it is.
struct MailboxSync: Sendable {
    let engine: AccountSync
    let mailbox: Mailbox
    /// What was said of it before it was opened.
    var numbers: SourceMailbox?
    var tracking = ChangeTracking.none
    /// What a pass over all mailboxes has brought already.
    var passed: AccountPass.Result?
    /// Whether new messages may have come from another mailbox.
    var expectsMoves = false

    /// A longer message is read without its attachments; they are fetched when asked for.
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
            DoubtfulMessages.report(
                engine.losses.takeLeftOut(of: mailbox.name), found: engine.losses.found(in: mailbox.name),
                &report
            )
        } catch let error as SourceUnavailable {
            engine.losses.keep(report)
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
        let known = try MailboxKnowledge(of: mailbox, engine: engine)
        guard let since = Self.since(opening(known)) else { return }
        let server = try await source.open(mailbox, since: since)
        if server.exists > 0 { try forgetEmptiness() }
        // Without messages no UID can be wrong: it is an empty mailbox, whatever its UIDVALIDITY.
        if server.uidValidity == 0, server.exists == 0, known.held.count == 0 { return }
        if let signature = server.signature, signature == known.state?.signature, !known.edge.isWider {
            return
        }
        let isTold = server.changes?.isComplete ?? true
        let steps = SyncTable.steps(
            local: known.local, server: Self.seen(server), compareDue: isCompareDue(known) || !isTold)
        var incremental = IncrementalSync(sync: self, server: server, known: known)
        for step in steps { try await take(step, server, known, &incremental, &report) }
    }

    private func take(
        _ step: SyncStep, _ server: SourceMailbox, _ known: MailboxKnowledge,
        _ incremental: inout IncrementalSync, _ report: inout SyncReport.MailboxReport
    ) async throws {
        switch step {
        case .nothing: try confirm(server, known, &report)
        case .fetchAll: try await fetchAll(server, known, &report)
        case .applyReported: try incremental.applyReported()
        case .fetchChanges(let modSeq, let uid): try await incremental.fetchChanges(since: modSeq, below: uid)
        case .fetchNew(let uid): try await incremental.listNew(from: uid)
        case .checkCount: try await incremental.finish(&report)
        case .compareAll: try await compareAll(server, known, &report)
        case .rebind: try await rebind(server, known, &report)
        case .readOnlyMailbox(let reason): report.problem = "\(reason)"
        }
    }

    /// Nothing changed; the state is written only when a number in it did.
    private func confirm(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ report: inout SyncReport.MailboxReport
    ) throws {
        let state = known.state
        let next = server.uidNext ?? state?.uidNext
        guard isCompareDue(known) || state?.highestModSeq != server.highestModSeq || state?.uidNext != next
        else { return }
        try finish(server, comparedAt: engine.now, &report)
    }

    /// What the pass brought, if all of it fits together; false: the mailbox is opened by itself.
    private func settlePassed(_ report: inout SyncReport.MailboxReport) async throws -> Bool {
        guard let passed else { return false }
        count(passed.outcome, isRebind: false, &report)
        // Mail that came after the numbers were told has not been asked for.
        guard let server = passed.server, server.changes?.isComplete == true,
            (server.uidNext ?? 0) <= passed.wish.uidNext,
            SyncTable.steps(local: passed.known.local, server: Self.seen(server)).first == .applyReported
        else { return false }
        var incremental = IncrementalSync(sync: self, server: server, known: passed.known)
        try incremental.applyReported()
        try incremental.takeStored(passed)
        guard incremental.isSettled else { return false }
        try await incremental.finish(&report)
        return true
    }

    func opening(_ known: MailboxKnowledge) -> Opening {
        SyncTable.opening(
            local: known.local, status: numbers.map(Self.seen), tracking: tracking,
            compareDue: isCompareDue(known))
    }

    private func isCompareDue(_ known: MailboxKnowledge) -> Bool {
        SyncTable.isCompareDue(
            comparedAt: known.state?.comparedAt, now: engine.now, isWindowWider: known.edge.isWider)
    }

    /// QRESYNC told its changes, CONDSTORE has a number, and everything else has neither.
    private static func seen(_ server: SourceMailbox) -> ServerMailbox {
        ServerMailbox(
            uidValidity: server.uidValidity, uidNext: server.uidNext, highestModSeq: server.highestModSeq,
            exists: server.exists,
            tracking: server.changes != nil ? .qresync : server.highestModSeq != nil ? .condstore : .none)
    }

    /// nil: the mailbox need not be opened. Otherwise the state to open it with, which may be none.
    private static func since(_ opening: Opening) -> KnownMailbox?? {
        switch opening {
        case .skip: nil
        case .whole: .some(nil)
        case .resynchronize(let validity, let modSeq, let below):
            KnownMailbox(uidValidity: validity, modSeq: modSeq, below: below)
        }
    }
}

// MARK: - How far it is

extension MailboxSync {
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
        let isSynced = isWhole && report.skipped == report.leftOut
        let since = engine.window.since(now: engine.now)
        var batch =
            changes
            ?? SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        let held = try store.extent(of: account, mailbox: mailbox.name)
        let count = held.count - batch.removed.count
        batch.state = MailboxSyncState(
            uidValidity: server.uidValidity, uidNext: max(server.uidNext ?? 0, held.lastUID + 1),
            highestModSeq: isComplete ? server.highestModSeq : nil, exists: count,
            signature: isComplete ? server.signature : nil, syncedAt: isSynced ? engine.now : nil,
            comparedAt: isComplete ? comparedAt : nil, windowSince: since)
        self.count(try store.apply(batch), isRebind: false, &report)
        try ToldUIDNext(mailbox, engine).save(server.uidNext, lastUID: held.lastUID)
        // Nothing else was left out, so the rest is older than the window.
        try BeyondWindow(mailbox, engine).save(since == nil ? 0 : max(0, server.exists - count))
    }
}
