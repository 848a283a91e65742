import MailStore
import Models
import SyncPlanner

/// Writes the state of one mailbox to the store and the report: its progress, and the data for the next sync.
struct MailboxRecord: MailboxPart {
    let context: MailboxContext

    /// A mailbox with at most this many stored messages may become empty at once.
    private static let suddenlyEmpty = 50

    static let doubt =
        "the server's list of messages could not be read completely; nothing was removed, and the next sync checks again"

    /// After a change of UIDVALIDITY, a known message is not new: only its place is.
    func count(_ outcome: SyncOutcome, isRebind: Bool, _ report: inout SyncReport.MailboxReport) {
        report.added += isRebind ? outcome.added : outcome.added + outcome.placed
        if isRebind { report.rebound += outcome.placed }
        report.flagsChanged += outcome.flagsChanged
        report.removed += outcome.removed
    }

    /// The state is written last, together with the changes of its step. If a message or an answer could not
    /// be read, the next sync compares the whole mailbox.
    func finish(
        _ server: SourceMailbox, _ changes: SyncBatch? = nil, comparedAt: Timestamp?, isWhole: Bool = true,
        _ report: inout SyncReport.MailboxReport
    ) throws {
        let isComplete = isWhole && report.skipped == 0
        let isSynced = isWhole && report.skipped == report.leftOut
        let since = context.sync.scope.since(mailbox, now: now)
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
        // The rest are older than the window, or could not be read: then the next sync compares everything.
        try BeyondWindow(mailbox, context.sync).save(since == nil ? 0 : max(0, server.exists - count))
    }

    /// Saves the new signature of a mailbox whose folders have other times, but the same messages.
    func renew(_ signature: String?, before: String?) throws {
        guard signature != before else { return }
        try store.sync.renewSignature(signature, of: account, mailbox: mailbox.name)
    }

    private static let mostNamed = 10

    /// Reports messages that the server did not list, although its list of UIDs contains them.
    func note(unlisted: [UInt32], _ report: inout SyncReport.MailboxReport) {
        guard !unlisted.isEmpty else { return }
        let names = unlisted.prefix(Self.mostNamed).map { "UID \($0)" }.joined(separator: ", ")
        let more =
            unlisted.count > Self.mostNamed ? " and \(unlisted.count - Self.mostNamed) more" : ""
        let count = unlisted.count == 1 ? "1 message" : "\(unlisted.count) messages"
        report.notices.append(
            "the server left out \(count) that its list of UIDs contains (\(names)\(more)); nothing was removed, and the next sync asks again"
        )
    }

    // MARK: Suddenly empty

    /// An unexpectedly empty folder is more often an unmounted disk than a cleaned mailbox: opus removes the
    /// messages only if a second sync finds it empty, too.
    func isSuddenlyEmpty(
        _ listed: [ListedMessage], _ known: Int, _ report: inout SyncReport.MailboxReport
    ) throws -> Bool {
        let tidyable = mailbox.role == .trash || mailbox.role == .junk
        guard listed.isEmpty, known > Self.suddenlyEmpty, !tidyable else { return false }
        guard try !store.sync.notes(of: account, mailbox: mailbox.name).wasEmpty else {
            try forgetEmptiness()
            return false
        }
        try store.sync.changeNotes(of: account, mailbox: mailbox.name) { $0.wasEmpty = true }
        report.problem =
            "empty, but \(known) messages were here; nothing was changed; if it is still empty, the next sync removes them"
        return true
    }

    /// The mailbox has messages again: the next empty listing counts as the first one.
    func forgetEmptiness() throws {
        try store.sync.changeNotes(of: account, mailbox: mailbox.name) { $0.wasEmpty = false }
    }

    // MARK: Rebinding

    /// Whether the places of the mailbox were removed and some have not been found again.
    func isRebinding() throws -> Bool { try store.sync.notes(of: account, mailbox: mailbox.name).isRebinding }

    /// Written before the places are removed: an interrupted sync then continues as a rebinding.
    func beginRebinding() throws { try note(isRebinding: true) }

    func endRebinding() throws { try note(isRebinding: false) }

    private func note(isRebinding: Bool) throws {
        try store.sync.changeNotes(of: account, mailbox: mailbox.name) { $0.isRebinding = isRebinding }
    }
}
