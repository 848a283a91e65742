import MailStore
import Models
import SyncPlanner

/// A mailbox that is read completely: for the first time, or because its UIDs now belong to other messages.
struct WholeMailbox: MailboxPart {
    /// A larger mailbox is listed in slices, which limits the use of memory.
    static let sliceMessages = 5_000
    /// The number of the newest messages of a large mailbox that are fetched before the rest is listed.
    static let firstMessages: UInt32 = 50
    /// A mailbox is large from this number of messages on. Listing a smaller one takes almost no time.
    static let largeMailbox = 1_000

    let context: MailboxContext

    private var record: MailboxRecord { MailboxRecord(context: context) }
    private var fetch: MessageFetch { MessageFetch(context: context) }

    func fetchAll(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ report: inout SyncReport.MailboxReport
    ) async throws {
        let isWhole = try await takeSlices(server, known, MessageFetch.Course(), &report)
        try record.finish(server, comparedAt: now, isWhole: isWhole, &report)
        try store.sync.noteIdentified(mailbox.name, of: account, seen: [], at: now)
    }

    /// UIDVALIDITY changed, or UIDs belong to other messages than before: removes the places, but not the
    /// messages. Each message gets its place again by its id on the server or by its header.
    func rebind(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ report: inout SyncReport.MailboxReport
    ) async throws {
        if server.exists == 0 {
            if try record.isSuddenlyEmpty([], known.held.count, &report) { return }
        }
        let known = known.reaching(back: try oldest(known))
        var reset = SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        reset.resetPlacements = true
        reset.state = MailboxSyncState(
            uidValidity: server.uidValidity, uidNext: 1, exists: 0, windowSince: known.edge.since)
        // Before the places are removed: an interrupted sync continues as a rebinding.
        try record.beginRebinding()
        _ = try store.sync.apply(reset)
        let isWhole = try await takeSlices(server, known, MessageFetch.Course(isRebind: true), &report)
        try record.finish(server, comparedAt: now, isWhole: isWhole, &report)
        try store.sync.noteIdentified(mailbox.name, of: account, seen: [], at: now)
        if report.skipped == 0, isWhole { try record.endRebinding() }
    }

    /// The oldest stored mail; an interrupted rebinding has removed its place, and noted its date.
    private func oldest(_ known: MailboxKnowledge) throws -> Timestamp? {
        guard known.edge.since != nil else { return nil }
        let stored = try store.messages.oldest(of: account, mailbox: mailbox.name)
        let noted = try record.isRebinding() ? known.state?.windowSince : nil
        return [stored, noted].compactMap(\.self).min()
    }

    /// Fetches all messages within the window that are not stored; false: a part of the list could not be
    /// read.
    private func takeSlices(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ course: MessageFetch.Course,
        _ report: inout SyncReport.MailboxReport
    ) async throws -> Bool {
        var course = course
        if server.exists > Self.sliceMessages,
            let parts = try await source.parts(of: mailbox, size: Self.sliceMessages)
        {
            return try await take(parts, server, known, course, &report)
        }
        var here = Set(try store.sync.uids(of: account, mailbox: mailbox.name, in: [1...UInt32.max]))
        if here.isEmpty, server.exists >= Self.largeMailbox, let uidNext = server.uidNext,
            uidNext > Self.firstMessages
        {
            let newest = uidNext - Self.firstMessages...UInt32.max
            let listed = try await MailboxLister(context: context).listing(server, newest)
            let wanted = listed.messages.filter(known.wants).sorted(by: ListedMessage.isNewer)
            try await fetch.take(wanted, server, course, &report)
            here = Set(try store.sync.uids(of: account, mailbox: mailbox.name, in: [newest]))
        }
        let slices = try await slices(server)
        var isWhole = true
        if slices.count > 1 { course.total = server.exists }
        for slice in slices {
            var listed = try await MailboxLister(context: context).listing(
                server, slice.range, named: slice.named)
            isWhole = isWhole && listed.isComplete
            record.note(unlisted: listed.unlisted, &report)
            let count = listed.messages.count
            listed.messages.removeAll { here.contains($0.uid) || !known.wants($0) }
            listed.messages.sort(by: ListedMessage.isNewer)
            try await fetch.take(listed.messages, server, course, &report)
            course.before += count
        }
        return isWhole
    }

    /// Fetches the messages of a mailbox without UIDs. opus recognises them by name.
    private func take(
        _ parts: [ListingPart], _ server: SourceMailbox, _ known: MailboxKnowledge,
        _ course: MessageFetch.Course, _ report: inout SyncReport.MailboxReport
    ) async throws -> Bool {
        var course = course
        course.total = server.exists
        var isWhole = true
        for part in parts {
            var listed = try part.list()
            isWhole = isWhole && listed.isComplete
            listed.messages.removeAll { !known.wants($0) }
            listed.messages.sort(by: ListedMessage.isNewer)
            try await fetch.take(listed.messages, server, course, &report)
            course.before += part.count
        }
        return isWhole
    }

    private struct Slice {
        var range: ClosedRange<UInt32>
        /// The UIDs in the range, by the list of all UIDs; nil: it was not requested, or cannot be trusted.
        var named: [UInt32]?
    }

    /// The UIDs of the mailbox in slices, newest first.
    private func slices(_ server: SourceMailbox) async throws -> [Slice] {
        let whole = [Slice(range: MailboxLister.allUIDs)]
        guard server.exists > Self.sliceMessages, let all = try await source.uids(of: mailbox),
            all.isComplete,
            SyncTable.isWhole(uids: all.uids.count, exists: server.exists)
        else { return whole }
        var slices: [Slice] = []
        var uids = all.uids.sorted()[...]
        var end = uids.last ?? 1
        while let first = uids.suffix(Self.sliceMessages).first {
            let named = Array(uids.suffix(Self.sliceMessages))
            uids = uids.dropLast(Self.sliceMessages)
            let start = uids.isEmpty ? 1 : first
            slices.append(Slice(range: start...max(start, end), named: named))
            end = start - 1
        }
        return slices.isEmpty ? whole : slices
    }
}
