import MailStore
import Models
import SyncPlanner

/// The state of one mailbox in the store and the report: its progress, and what the next sync has to know.
struct MailboxRecord: MailboxPart {
    let context: MailboxContext

    /// An account that never had this many messages in a mailbox may see it empty at once.
    private static let suddenlyEmpty = 50

    static let doubt =
        "the server's list of messages could not be read whole; nothing was removed, and the next sync checks again"

    /// After a new UIDVALIDITY a known message is not new: it has found its place again.
    func count(_ outcome: SyncOutcome, isRebind: Bool, _ report: inout SyncReport.MailboxReport) {
        report.added += isRebind ? outcome.added : outcome.added + outcome.placed
        if isRebind { report.rebound += outcome.placed }
        report.flagsChanged += outcome.flagsChanged
        report.removed += outcome.removed
    }

    /// The state is written last, with the changes of the step that it follows from. A mailbox with a message
    /// or an answer that could not be read is compared whole next time.
    func finish(
        _ server: SourceMailbox, _ changes: SyncBatch? = nil, comparedAt: Timestamp?, isWhole: Bool = true,
        _ report: inout SyncReport.MailboxReport
    ) throws {
        let isComplete = isWhole && report.skipped == 0
        let isSynced = isWhole && report.skipped == report.leftOut
        let since = context.sync.window.since(now: now)
        var batch =
            changes
            ?? SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        let held = try store.sync.extent(of: account, mailbox: mailbox.name)
        let count = held.count - batch.removed.count
        batch.state = MailboxSyncState(
            uidValidity: server.uidValidity, uidNext: max(server.uidNext ?? 0, held.lastUID + 1),
            highestModSeq: isComplete ? server.highestModSeq : nil, exists: count,
            signature: isComplete ? server.signature : nil, syncedAt: isSynced ? now : nil,
            comparedAt: isComplete ? comparedAt : nil, windowSince: since)
        self.count(try store.sync.apply(batch), isRebind: false, &report)
        try ReportedUIDNext(mailbox, context.sync).save(server.uidNext, lastUID: held.lastUID)
        // Nothing else was left out, so the rest is older than the window.
        try BeyondWindow(mailbox, context.sync).save(since == nil ? 0 : max(0, server.exists - count))
    }

    /// The same messages, but other times of the folders.
    func renew(_ signature: String?, before: String?) throws {
        guard signature != before else { return }
        try store.sync.renewSignature(signature, of: account, mailbox: mailbox.name)
    }

    // MARK: Suddenly empty

    /// A folder that is suddenly empty is more often an unmounted disk than a cleaned mailbox: it counts only the
    /// second time.
    func isSuddenlyEmpty(
        _ listed: [ListedMessage], _ placements: [Placement], _ report: inout SyncReport.MailboxReport
    ) throws -> Bool {
        let tidyable = mailbox.role == .trash || mailbox.role == .junk
        guard listed.isEmpty, placements.count > Self.suddenlyEmpty, !tidyable else { return false }
        guard try !store.sync.notes(of: account, mailbox: mailbox.name).wasEmpty else {
            try forgetEmptiness()
            return false
        }
        try store.sync.changeNotes(of: account, mailbox: mailbox.name) { $0.wasEmpty = true }
        report.problem =
            "empty, but \(placements.count) messages were here; nothing was changed; if it is still empty, the next sync removes them"
        return true
    }

    /// The disk is mounted again: the next empty listing counts as the first one.
    func forgetEmptiness() throws {
        try store.sync.changeNotes(of: account, mailbox: mailbox.name) { $0.wasEmpty = false }
    }

    // MARK: Rebinding

    /// Whether the places of a mailbox were forgotten and not all found again.
    func isRebinding() throws -> Bool { try store.sync.notes(of: account, mailbox: mailbox.name).isRebinding }

    /// Written before the places go: a sync that breaks off then continues as a rebinding.
    func beginRebinding() throws { try note(isRebinding: true) }

    func endRebinding() throws { try note(isRebinding: false) }

    private func note(isRebinding: Bool) throws {
        try store.sync.changeNotes(of: account, mailbox: mailbox.name) { $0.isRebinding = isRebinding }
    }
}
