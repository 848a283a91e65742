import MailStore
import Models
import SyncPlanner
import Synchronization

/// From listed messages to stored ones: what is known gets its place, the rest is read, newest first.
extension MailboxSync {
    /// A larger mailbox is listed in slices, so that memory does not grow with it.
    static let sliceMessages = 5_000
    /// So many of the newest messages of a large mailbox are here before the rest is even listed.
    static let firstMessages: UInt32 = 50
    /// A smaller mailbox is listed in no time.
    static let largeMailbox = 1_000

    /// Messages of a mailbox that are taken one part after the other, for the progress line.
    struct Course {
        var isRebind = false
        var before = 0
        var total: Int?
    }

    func fetchAll(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ report: inout SyncReport.MailboxReport
    ) async throws {
        let isWhole = try await takeSlices(server, known, Course(), &report)
        try finish(server, comparedAt: engine.now, isWhole: isWhole, &report)
        try store.noteIdentified(mailbox.name, of: account, seen: [], at: engine.now)
    }

    /// UIDVALIDITY changed, or UIDs name other messages than before: the places are forgotten, the messages stay, and each finds its place again by the
    /// server's name for it or by its header.
    func rebind(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ report: inout SyncReport.MailboxReport
    ) async throws {
        if server.exists == 0 {
            let placements = try store.placements(of: account, mailbox: mailbox.name)
            if try isSuddenlyEmpty([], placements, &report) { return }
        }
        var reset = SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        reset.resetPlacements = true
        reset.state = MailboxSyncState(uidValidity: server.uidValidity, uidNext: 1, exists: 0)
        // Before the places go: a sync that breaks off here goes on as a rebinding.
        try note(isRebinding: true)
        _ = try store.apply(reset)
        let isWhole = try await takeSlices(server, known, Course(isRebind: true), &report)
        try finish(server, comparedAt: engine.now, isWhole: isWhole, &report)
        try store.noteIdentified(mailbox.name, of: account, seen: [], at: engine.now)
        if report.skipped == 0, isWhole { try endRebinding() }
    }

    /// Whether the places of a mailbox were forgotten and not all found again.
    func isRebinding() throws -> Bool { try store.notes(of: account, mailbox: mailbox.name).isRebinding }

    func endRebinding() throws { try note(isRebinding: false) }

    private func note(isRebinding: Bool) throws {
        try store.changeNotes(of: account, mailbox: mailbox.name) { $0.isRebinding = isRebinding }
    }

    /// Everything that is within the window and not here; false: a part of the list could not be read.
    private func takeSlices(
        _ server: SourceMailbox, _ known: MailboxKnowledge, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) async throws -> Bool {
        var course = course
        var here = Set(try store.uids(of: account, mailbox: mailbox.name, in: [1...UInt32.max]))
        if here.isEmpty, server.exists >= Self.largeMailbox, let uidNext = server.uidNext,
            uidNext > Self.firstMessages
        {
            let newest = uidNext - Self.firstMessages...UInt32.max
            let listed = try await listing(server, newest)
            let wanted = listed.messages.filter(known.wants).sorted(by: ListedMessage.isNewer)
            try await take(wanted, server, course, &report)
            here = Set(try store.uids(of: account, mailbox: mailbox.name, in: [newest]))
        }
        let slices = try await slices(server)
        var isWhole = true
        if slices.count > 1 { course.total = server.exists }
        for slice in slices {
            var listed = try await listing(server, slice)
            isWhole = isWhole && listed.isComplete
            let count = listed.messages.count
            listed.messages.removeAll { here.contains($0.uid) || !known.wants($0) }
            listed.messages.sort(by: ListedMessage.isNewer)
            try await take(listed.messages, server, course, &report)
            course.before += count
        }
        return isWhole
    }

    /// The UIDs of the mailbox in parts, newest first.
    private func slices(_ server: SourceMailbox) async throws -> [ClosedRange<UInt32>] {
        let whole = [Self.allUIDs]
        guard server.exists > Self.sliceMessages, let all = try await source.uids(of: mailbox),
            all.isComplete,
            SyncTable.isWhole(uids: all.uids.count, exists: server.exists)
        else { return whole }
        var slices: [ClosedRange<UInt32>] = []
        var uids = all.uids.sorted()[...]
        var end = uids.last ?? 1
        while let first = uids.suffix(Self.sliceMessages).first {
            uids = uids.dropLast(Self.sliceMessages)
            let start = uids.isEmpty ? 1 : first
            slices.append(start...max(start, end))
            end = start - 1
        }
        return slices.isEmpty ? whole : slices
    }

    /// Gives known messages their places, then fetches and stores the rest, in their order; those in doubt come last.
    func take(
        _ messages: [ListedMessage], _ server: SourceMailbox, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) async throws {
        let doubtful = DoubtfulMessages(self, server)
        let leftOut = try await doubtful.ask(messages, .content) { messages in
            try await takeTogether(messages, server, course, &report)
        }
        doubtful.report(leftOut, &report)
    }

    private func takeTogether(
        _ messages: [ListedMessage], _ server: SourceMailbox, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) async throws {
        guard !messages.isEmpty else { return }
        var rest = try placeByID(messages, server, course, &report)
        let mayBeKnown =
            try course.isRebind || isRebinding()
            || (expectsMoves && rest.count <= Int(AccountPass.maximumNew))
        if mayBeKnown { rest = try await placeByHeader(rest, server, course, &report) }
        try await fetch(rest, server, course, &report)
    }

    /// The server's own name of a message says which one it is, in any mailbox.
    private func placeByID(
        _ messages: [ListedMessage], _ server: SourceMailbox, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) throws -> [ListedMessage] {
        guard messages.contains(where: { $0.remoteID != nil }) else { return messages }
        var rest: [ListedMessage] = []
        for start in stride(from: 0, to: messages.count, by: 1_000) {
            let part = messages[start..<min(start + 1_000, messages.count)]
            let known = try store.emailIDs(forRemoteIDs: part.compactMap(\.remoteID), account: account)
            var batch = SyncBatch(
                account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
            for message in part {
                if let id = message.remoteID.flatMap({ known[$0] }) {
                    batch.placed.append(message.placement(of: id))
                } else {
                    rest.append(message)
                }
            }
            guard !batch.placed.isEmpty else { continue }
            count(try store.apply(batch), isRebind: course.isRebind, &report)
        }
        return rest
    }

    /// A header says whether a message is known, at a tenth of the octets.
    private func placeByHeader(
        _ messages: [ListedMessage], _ server: SourceMailbox, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) async throws -> [ListedMessage] {
        guard !messages.isEmpty else { return [] }
        let feed = feed(server, knownOnly: true)
        do {
            try await source.headers(of: messages, in: mailbox) { _ = try await feed.add($0) }
        } catch {
            if let outcome = try? await feed.finish() { count(outcome, isRebind: course.isRebind, &report) }
            throw error
        }
        let outcome = try await feed.finish()
        count(outcome, isRebind: course.isRebind, &report)
        guard outcome.placed > 0 else { return messages }
        let here = Set(try store.uids(of: account, mailbox: mailbox.name, in: [1...UInt32.max]))
        return messages.filter { !here.contains($0.uid) }
    }

    private func feed(_ server: SourceMailbox, knownOnly: Bool = false) -> BatchFeed {
        BatchFeed(
            intake: MessageIntake(
                account: account, store: store, turn: engine.turn, signatures: engine.signatures),
            mailbox: mailbox.name,
            uidValidity: server.uidValidity, knownOnly: knownOnly)
    }

    private func fetch(
        _ messages: [ListedMessage], _ server: SourceMailbox, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) async throws {
        guard !messages.isEmpty else { return }
        let feed = feed(server)
        let (account, name, progress) = (account, mailbox.displayName, engine.progress)
        let total = course.total ?? messages.count
        let came = Mutex<Set<UInt32>>([])
        do {
            try await source.fetch(messages, of: mailbox, limit: Self.messageLimit) { raw in
                came.withLock { _ = $0.insert(raw.listed.uid) }
                let done = course.before + (try await feed.add(raw))
                if done % 50 == 0 || done == total {
                    progress(SyncProgress(account: account, mailbox: name, done: done, total: total))
                }
            }
        } catch {
            // What came is kept: over a connection that never lasts long, each sync still gets further.
            if let outcome = try? await feed.finish() { count(outcome, isRebind: course.isRebind, &report) }
            throw error
        }
        let outcome = try await feed.finish()
        count(outcome, isRebind: course.isRebind, &report)
        let asked = messages.map(\.uid)
        let missing = came.withLock { came in asked.filter { !came.contains($0) } }
        try DoubtfulMessages(self, server).settle(asked, missing: missing, .content)
        let unread = messages.count - outcome.added - outcome.placed
        guard unread > 0 else { return }
        report.skipped += unread
        report.problem =
            "\(unread) of \(messages.count) messages could not be read; they are tried again next time"
    }

}

extension ListedMessage {
    static func isNewer(_ a: ListedMessage, _ b: ListedMessage) -> Bool {
        let (first, second) = (a.received?.seconds ?? 0, b.received?.seconds ?? 0)
        if first != second { return first > second }
        return (a.uid, a.remoteName ?? "") > (b.uid, b.remoteName ?? "")
    }

    func placement(of id: EmailID) -> Placement {
        Placement(
            message: id, uid: uid, flags: flags, keywords: keywords, remoteName: remoteName,
            remoteID: remoteID)
    }
}
