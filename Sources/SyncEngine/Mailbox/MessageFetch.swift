import MailStore
import Models
import SyncPlanner
import Synchronization

/// Stores listed messages: known messages get their places, the others are read, newest first.
struct MessageFetch: MailboxPart {
    let context: MailboxContext

    private var record: MailboxRecord { MailboxRecord(context: context) }

    /// What the parts of one long fetch share: whether it is a rebinding, and the progress so far.
    struct Course {
        var isRebind = false
        var before = 0
        var total: Int?
    }

    /// Adds places for known messages, then fetches and stores the rest in order; messages in doubt are last.
    func take(
        _ messages: [ListedMessage], _ server: SourceMailbox, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) async throws {
        let doubtful = DoubtfulMessages(context, server)
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
            try course.isRebind || record.isRebinding()
            || (context.expectsMoves && rest.count <= Int(PassedMailbox.maximumNew))
        if mayBeKnown { rest = try await placeByHeader(rest, server, course, &report) }
        try await fetch(rest, server, course, &report)
    }

    /// The server's id of a message identifies it in any mailbox.
    private func placeByID(
        _ messages: [ListedMessage], _ server: SourceMailbox, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) throws -> [ListedMessage] {
        guard messages.contains(where: { $0.remoteID != nil }) else { return messages }
        var rest: [ListedMessage] = []
        for start in stride(from: 0, to: messages.count, by: 1_000) {
            let part = messages[start..<min(start + 1_000, messages.count)]
            let known = try store.sync.emailIDs(forRemoteIDs: part.compactMap(\.remoteID), account: account)
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
            record.count(try store.sync.apply(batch), isRebind: course.isRebind, &report)
        }
        return rest
    }

    /// Reads only the headers: that shows whether a message is known, at a tenth of the size.
    private func placeByHeader(
        _ messages: [ListedMessage], _ server: SourceMailbox, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) async throws -> [ListedMessage] {
        guard !messages.isEmpty else { return [] }
        context.sync.progress(
            SyncProgress(
                account: account, mailbox: mailbox.displayName, done: 0, total: messages.count,
                stage: .headers))
        let feed = feed(server, knownOnly: true)
        do {
            try await source.headers(of: messages, in: mailbox) { _ = try await feed.add($0) }
        } catch {
            if let outcome = try? await feed.finish() {
                record.count(outcome, isRebind: course.isRebind, &report)
            }
            throw error
        }
        let outcome = try await feed.finish()
        record.count(outcome, isRebind: course.isRebind, &report)
        guard outcome.placed > 0 else { return messages }
        let here = Set(try store.sync.uids(of: account, mailbox: mailbox.name, in: [1...UInt32.max]))
        return messages.filter { !here.contains($0.uid) }
    }

    private func feed(_ server: SourceMailbox, knownOnly: Bool = false) -> BatchFeed {
        BatchFeed(
            context.sync, mailbox: mailbox.name, uidValidity: server.uidValidity, knownOnly: knownOnly)
    }

    private func fetch(
        _ messages: [ListedMessage], _ server: SourceMailbox, _ course: Course,
        _ report: inout SyncReport.MailboxReport
    ) async throws {
        guard !messages.isEmpty else { return }
        let feed = feed(server)
        let (account, name, progress) = (account, mailbox.displayName, context.sync.progress)
        let total = course.total ?? messages.count
        progress(SyncProgress(account: account, mailbox: name, done: course.before, total: total))
        let came = Mutex<Set<UInt32>>([])
        do {
            try await source.fetch(messages, of: mailbox, limit: BatchFeed.messageLimit) { raw in
                came.withLock { _ = $0.insert(raw.listed.uid) }
                let done = course.before + (try await feed.add(raw))
                if done % 50 == 0 || done == total {
                    progress(SyncProgress(account: account, mailbox: name, done: done, total: total))
                }
            }
        } catch {
            // Keep the received messages: over an unstable connection, each sync still makes progress.
            if let outcome = try? await feed.finish() {
                record.count(outcome, isRebind: course.isRebind, &report)
            }
            throw error
        }
        let outcome = try await feed.finish()
        record.count(outcome, isRebind: course.isRebind, &report)
        let asked = messages.map(\.uid)
        let missing = came.withLock { came in asked.filter { !came.contains($0) } }
        try DoubtfulMessages(context, server).settle(asked, missing: missing, .content)
        let unread = messages.count - outcome.added - outcome.placed
        guard unread > 0 else { return }
        report.skipped += unread
        report.problem =
            "\(unread) of \(messages.count) messages could not be read; the next sync tries again"
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
