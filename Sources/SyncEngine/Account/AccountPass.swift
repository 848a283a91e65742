import MailStore
import Models
import SyncPlanner
import Synchronization

/// One pass over all changed mailboxes, if the server has QRESYNC: opens them, fetches their changes and
/// reads their new messages in one or a few round trips, however many mailboxes there are.
///
/// New messages are stored as they arrive. The changes are passed to each mailbox's own sync, which checks
/// them. A mailbox with an unusual amount of new mail is left to its own sync, which reads the newest first.
struct AccountPass {
    let context: SyncContext
    private var results: [PassedMailbox] = []

    init(context: SyncContext) { self.context = context }

    mutating func run(
        _ entries: [AccountSurvey.Entry], _ moves: MoveWatch
    ) async throws -> [MailboxName: PassedMailbox] {
        for entry in entries { try plan(entry, moves) }
        guard !results.isEmpty else { return [:] }
        try await follow()
        return Dictionary(
            results.map { ($0.wish.mailbox.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func follow() async throws {
        let feeds = results.map { feed(for: $0.wish) }
        let seen = Mutex<[Int: [MessageMarks]]>([:])
        let last = Mutex(0)
        let answers: [SourceMailbox?]
        do {
            answers = try await context.source.resynchronize(
                results.map(\.wish), limit: BatchFeed.messageLimit
            ) { index, raw in
                // Each mailbox is finished before the next one begins: so memory holds only one, and messages
                // that were moved to a later one are known.
                let before = last.withLock { last in (last, last = index).0 }
                if before != index { _ = try await feeds[before].finish() }
                let listed = raw.listed
                let marks = MessageMarks(uid: listed.uid, flags: listed.flags, keywords: listed.keywords)
                seen.withLock { $0[index, default: []].append(marks) }
                _ = try await feeds[index].add(raw)
            }
        } catch {
            // Keep the received messages: over an unstable connection, each sync still makes progress.
            for feed in feeds { _ = try? await feed.finish() }
            if let wish = (error as? SourceUnavailable)?.wish { try suspect(results[wish].wish) }
            throw error
        }
        for index in results.indices {
            results[index].server = answers[index]
            results[index].seen = seen.withLock { $0[index] } ?? []
            results[index].outcome = try await feeds[index].finish()
        }
    }

    /// The connection was lost while new messages of this mailbox were read: the next attempt requests them
    /// separately.
    private func suspect(_ wish: ResyncWish) throws {
        let loss = InterruptedFetch(
            uids: wish.known.below...max(wish.known.below, wish.uidNext - 1), isAlone: false)
        try context.note(loss, .content, in: wish.mailbox.name, wish.known.uidValidity)
    }

    private func feed(for wish: ResyncWish) -> BatchFeed {
        BatchFeed(
            context, mailbox: wish.mailbox.name, uidValidity: wish.known.uidValidity,
            knownOnly: wish.new == .headers)
    }

    private mutating func plan(_ entry: AccountSurvey.Entry, _ moves: MoveWatch) throws {
        let mailbox = entry.mailbox
        guard let numbers = entry.numbers, let uidNext = numbers.uidNext else { return }
        let sync = MailboxSync(
            context: MailboxContext(sync: context, mailbox: mailbox), numbers: numbers, tracking: .qresync)
        let known = try MailboxKnowledge(of: mailbox, context: context)
        let newCount = uidNext - min(uidNext, known.local.uidNext)
        let doubts = try context.store.sync.doubts(
            of: context.account, mailbox: mailbox.name, uidValidity: numbers.uidValidity)
        guard newCount <= PassedMailbox.maximumNew, doubts.isEmpty,
            case .resynchronize(let validity, let modSeq, let below) = sync.opening(known)
        else { return }
        let tail = try context.store.sync.uids(
            of: context.account, mailbox: mailbox.name, in: [max(1, below)...UInt32.max])
        // New messages may already be known if opus moved messages here, or if another mailbox has lost some.
        // In All Mail, they are known.
        let mayBeKnown = moves.mayBring(to: mailbox.name) || !tail.isEmpty || mailbox.role == .all
        let wish = ResyncWish(
            mailbox: mailbox, known: KnownMailbox(uidValidity: validity, modSeq: modSeq, below: below),
            new: newCount == 0 ? .none : mayBeKnown ? .headers : .messages, uidNext: uidNext)
        results.append(PassedMailbox(wish: wish, known: known, heldTail: Set(tail)))
    }
}
