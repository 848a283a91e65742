import MailStore
import Models
import SyncPlanner

/// The full comparison of a mailbox with the server's listing: for servers that report no changes, once a day
/// for the others, and whenever something is inconsistent.
struct MailboxComparison: MailboxPart {
    let context: MailboxContext

    private var record: MailboxRecord { MailboxRecord(context: context) }
    private var lister: MailboxLister { MailboxLister(context: context) }

    func run(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ report: inout SyncReport.MailboxReport
    ) async throws {
        if try await takeArrivals(server, known, &report) { return }
        let places = try store.sync.places(of: account, mailbox: mailbox.name)
        let check = PlaceCheck(context: context)
        let isChecked = try !places.isEmpty && check.isDue()
        let listed = try await lister.listing(
            server, MailboxLister.allUIDs, places.isEmpty || isChecked ? .everything : .marks)
        if try record.isSuddenlyEmpty(listed.messages, places.count, &report) { return }
        if isChecked, try await !check.holds(listed.messages, server, &report) {
            return try await WholeMailbox(context: context).rebind(server, known, &report)
        }
        let (numbered, unnumbered) = numbering(listed.messages, places)
        let difference = SyncTable.difference(
            local: places.map(\.marks),
            server: numbered.values.map {
                MessageMarks(uid: $0.uid, flags: $0.flags, keywords: $0.keywords)
            })
        let gone = try await confirmed(difference.vanished, of: places.count, listed, server)
        var batch = SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        batch.flagChanges = difference.changed
        batch.removed = gone.uids
        if !batch.flagChanges.isEmpty || !batch.removed.isEmpty {
            record.count(try store.sync.apply(batch), isRebind: false, &report)
        }
        // New mail cannot have UIDs below UIDNEXT: such a message that a complete sync did not store is older
        // than the window.
        let isOld = { (uid: UInt32) in known.edge.since != nil && known.isSettled && uid < known.local.uidNext
        }
        let new = unnumbered + difference.new.compactMap { isOld($0) ? nil : numbered[$0] }
        let wanted = try await detailed(new, server).filter(known.wants).sorted(by: ListedMessage.isNewer)
        try await MessageFetch(context: context).take(wanted, server, MessageFetch.Course(), &report)
        let isWhole = listed.isComplete && gone.uids.count == difference.vanished.count
        try record.finish(server, comparedAt: now, isWhole: isWhole, &report)
        if isWhole, report.skipped == 0 { try record.endRebinding() }
        record.note(unlisted: listed.unlisted, &report)
        if !gone.isCertain { report.problem = report.problem ?? MailboxRecord.doubt }
    }

    /// Fetches new messages if the source can prove that nothing else changed; false: opus compares everything.
    private func takeArrivals(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ report: inout SyncReport.MailboxReport
    ) async throws -> Bool {
        guard try !record.isRebinding() else { return false }
        let listed = try await source.arrivals(of: mailbox) {
            try store.sync.names($0, of: account, mailbox: mailbox.name)
        }
        guard let listed else { return false }
        let wanted = listed.messages.filter(known.wants).sorted(by: ListedMessage.isNewer)
        try await MessageFetch(context: context).take(wanted, server, MessageFetch.Course(), &report)
        try record.finish(
            server, comparedAt: known.state?.comparedAt, isWhole: listed.isComplete, &report)
        return true
    }

    /// What is missing from a listing counts as gone, unless the listing is shorter than the mailbox, a part of it could not
    /// be read, or so many removals look impossible: then the list of all UIDs decides.
    private func confirmed(
        _ vanished: [UInt32], of known: Int, _ listed: MessageListing, _ server: SourceMailbox
    ) async throws -> (uids: [UInt32], isCertain: Bool) {
        let isImpossible =
            server.exists > 0 && SyncTable.looksImpossible(vanished: vanished.count, known: known)
        let isDoubtful = !listed.isComplete || isImpossible
        let isShort = listed.messages.count < server.exists
        guard !vanished.isEmpty, isShort || isDoubtful, let all = try await source.uids(of: mailbox)
        else { return (vanished, true) }
        let isWhole = SyncTable.isWhole(uids: all.uids.count, exists: server.exists)
        // Without another doubt, two lists that agree outweigh EXISTS: a message may have gone since.
        guard all.isComplete, isWhole || !isDoubtful else { return ([], false) }
        let alive = Set(all.uids)
        return (vanished.filter { !alive.contains($0) }, true)
    }

    /// Adds size and time to messages that were listed with their marks only.
    private func detailed(
        _ messages: [ListedMessage], _ server: SourceMailbox
    ) async throws -> [ListedMessage] {
        let bare = messages.lazy.filter { $0.size == nil && $0.uid > 0 }.map(\.uid)
        guard let first = bare.min(), let last = bare.max() else { return messages }
        let details = try await lister.listing(first...last, .everything, DoubtfulMessages(context, server))
        let byUID = Dictionary(
            details.messages.map { ($0.uid, $0) }, uniquingKeysWith: { first, _ in first })
        return messages.map { byUID[$0.uid] ?? $0 }
    }

    /// Messages by UID. Those of a Maildir are found by name; a name that is not in the store has no UID yet.
    private func numbering(
        _ listed: [ListedMessage], _ places: [KnownPlace]
    ) -> (numbered: [UInt32: ListedMessage], unnumbered: [ListedMessage]) {
        var byName: [String: UInt32] = [:]
        for place in places {
            if let name = place.remoteName { byName[name] = place.marks.uid }
        }
        var numbered: [UInt32: ListedMessage] = [:]
        var unnumbered: [ListedMessage] = []
        for message in listed {
            guard let name = message.remoteName else {
                numbered[message.uid] = message
                continue
            }
            guard let uid = byName[name] else {
                unnumbered.append(message)
                continue
            }
            var found = message
            found.uid = uid
            numbered[uid] = found
        }
        return (numbered, unnumbered)
    }
}
