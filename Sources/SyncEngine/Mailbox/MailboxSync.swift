import Logging
import MailStore
import Models
import SyncPlanner

/// The sync of one mailbox: opens it, executes the steps of ``SyncTable``, and records the progress.
struct MailboxSync: MailboxPart {
    let context: MailboxContext
    /// The numbers of the mailbox before it was opened.
    var numbers: SourceMailbox?
    var tracking = ChangeTracking.none
    /// Changes that the pass over all mailboxes has already fetched.
    var passed: PassedMailbox?

    private var record: MailboxRecord { MailboxRecord(context: context) }

    /// Throws only errors that end the whole sync; a failure of one mailbox is in the report.
    func run() async throws -> SyncReport.MailboxReport {
        var report = SyncReport.MailboxReport(mailbox: mailbox)
        do {
            try await synchronize(&report)
            DoubtfulMessages.report(
                context.sync.losses.takeLeftOut(of: mailbox.name),
                found: context.sync.losses.found(in: mailbox.name),
                &report
            )
        } catch let error as SourceUnavailable {
            context.sync.losses.keep(report)
            throw error
        } catch let error as MailStoreError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            report.problem = "\(error)"
            context.sync.logger.warning(
                "mailbox skipped", metadata: ["account": "\(account)", "error": "\(error)"])
        }
        return report
    }

    private func synchronize(_ report: inout SyncReport.MailboxReport) async throws {
        if let numbers, numbers.exists > 0 { try record.forgetEmptiness() }
        if try await settlePassed(&report) { return }
        let known = try MailboxKnowledge(of: mailbox, context: context.sync)
        guard let since = Self.since(opening(known)) else { return }
        // opus ignores the note and reads everything once a day.
        let noted = isCompareDue(known) ? nil : known.state?.signature
        let server = try await source.open(mailbox, since: since, noted: noted)
        if server.exists > 0 { try record.forgetEmptiness() }
        // Without messages, UIDs cannot be wrong: the mailbox is empty, whatever its UIDVALIDITY.
        if server.uidValidity == 0, server.exists == 0, known.held.count == 0 { return }
        if server.isAsNoted { return try record.renew(server.signature, before: known.state?.signature) }
        let listsAllChanges = server.changes?.isComplete ?? true
        let steps = SyncTable.steps(
            local: known.local, server: Self.seen(server), compareDue: isCompareDue(known) || !listsAllChanges
        )
        var incremental = IncrementalSync(context: context, server: server, known: known)
        for step in steps { try await take(step, server, known, &incremental, &report) }
    }

    private func take(
        _ step: SyncStep, _ server: SourceMailbox, _ known: MailboxKnowledge,
        _ incremental: inout IncrementalSync, _ report: inout SyncReport.MailboxReport
    ) async throws {
        switch step {
        case .nothing: try confirm(server, known, &report)
        case .fetchAll: try await WholeMailbox(context: context).fetchAll(server, known, &report)
        case .applyReported: try incremental.applyReported()
        case .fetchChanges(let modSeq, let uid): try await incremental.fetchChanges(since: modSeq, below: uid)
        case .fetchNew(let uid): try await incremental.listNew(from: uid)
        case .checkCount: try await incremental.finish(&report)
        case .compareAll: try await MailboxComparison(context: context).run(server, known, &report)
        case .rebind: try await WholeMailbox(context: context).rebind(server, known, &report)
        case .readOnlyMailbox(let reason): report.problem = "\(reason)"
        }
    }

    /// Nothing has changed. The state is written only if one of its numbers has, or if a comparison was due.
    private func confirm(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ report: inout SyncReport.MailboxReport
    ) throws {
        let state = known.state
        let next = server.uidNext ?? state?.uidNext
        guard isCompareDue(known) || state?.highestModSeq != server.highestModSeq || state?.uidNext != next
        else { return }
        try record.finish(server, comparedAt: now, &report)
    }

    /// Uses the result of the pass if it is consistent; false: the mailbox is opened separately.
    private func settlePassed(_ report: inout SyncReport.MailboxReport) async throws -> Bool {
        guard let passed else { return false }
        record.count(passed.outcome, isRebind: false, &report)
        // Mail that arrived after these numbers was not requested.
        guard let server = passed.server, server.changes?.isComplete == true,
            (server.uidNext ?? 0) <= passed.wish.uidNext,
            SyncTable.steps(local: passed.known.local, server: Self.seen(server)).first == .applyReported
        else { return false }
        var incremental = IncrementalSync(context: context, server: server, known: passed.known)
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
            comparedAt: known.state?.comparedAt, now: now, isWindowWider: known.edge.isWider)
    }

    /// The state reported by the server. Its changes mean QRESYNC, a HIGHESTMODSEQ means CONDSTORE.
    private static func seen(_ server: SourceMailbox) -> ServerMailbox {
        ServerMailbox(
            uidValidity: server.uidValidity, uidNext: server.uidNext, highestModSeq: server.highestModSeq,
            exists: server.exists,
            tracking: server.changes != nil ? .qresync : server.highestModSeq != nil ? .condstore : .none)
    }

    /// nil: the mailbox need not be opened. Otherwise the state with which to open it, which may be nil.
    private static func since(_ opening: Opening) -> KnownMailbox?? {
        switch opening {
        case .skip: nil
        case .whole: .some(nil)
        case .resynchronize(let validity, let modSeq, let below):
            KnownMailbox(uidValidity: validity, modSeq: modSeq, below: below)
        }
    }
}
