import MailStore
import Models
import SyncPlanner
import Synchronization

/// A pass over every mailbox that changed, where the server has QRESYNC: opened, followed and read in one turn or a
/// few, however many they are.
///
/// New messages are stored as they come; what changed is given to each mailbox's own sync, which checks it. A
/// mailbox with more new mail than a person gets in a day is left to its own sync, newest first.
struct AccountPass {
    /// More new messages than that are listed first.
    static let maximumNew: UInt32 = 500

    /// What the pass brought of one mailbox.
    struct Result: Sendable {
        var wish: ResyncWish
        var local: LocalMailbox
        /// Before the pass: how much we held, and which UIDs from UIDNEXT on (messages that we moved there).
        var held: MailboxExtent
        var heldTail: Set<UInt32>
        /// nil: the mailbox is opened by itself.
        var server: SourceMailbox?
        /// UIDs that came from UIDNEXT on.
        var seen: Set<UInt32> = []
        var outcome = SyncOutcome()
    }

    let engine: AccountSync
    private var results: [Result] = []

    init(engine: AccountSync) { self.engine = engine }

    mutating func run(_ survey: AccountSurvey) async throws -> [MailboxName: Result] {
        guard survey.tracking == .qresync else { return [:] }
        try plan(survey)
        guard !results.isEmpty else { return [:] }
        try await follow()
        return Dictionary(
            results.map { ($0.wish.mailbox.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func follow() async throws {
        let feeds = results.map { feed(for: $0.wish) }
        let seen = Mutex<[Int: Set<UInt32>]>([:])
        let answers: [SourceMailbox?]
        do {
            answers = try await engine.source.resynchronize(
                results.map(\.wish), limit: MailboxSync.messageLimit
            ) { index, raw in
                seen.withLock { _ = $0[index, default: []].insert(raw.listed.uid) }
                _ = try await feeds[index].add(raw)
            }
        } catch {
            // What came is kept: over a connection that never lasts long, each sync still gets further.
            for feed in feeds { _ = try? await feed.finish() }
            throw error
        }
        for index in results.indices {
            results[index].server = answers[index]
            results[index].seen = seen.withLock { $0[index] } ?? []
            results[index].outcome = try await feeds[index].finish()
        }
    }

    private func feed(for wish: ResyncWish) -> BatchFeed {
        BatchFeed(
            intake: MessageIntake(account: engine.account, store: engine.store), store: engine.store,
            mailbox: wish.mailbox.name, uidValidity: wish.known.uidValidity, knownOnly: wish.new == .headers)
    }

    private mutating func plan(_ survey: AccountSurvey) throws {
        var losers: Set<MailboxName> = []
        for entry in AccountSync.order(survey.entries) {
            guard let numbers = entry.numbers, let uidNext = numbers.uidNext else { continue }
            let sync = MailboxSync(
                engine: engine, mailbox: entry.mailbox, numbers: numbers, tracking: .qresync)
            let (state, held, local) = try sync.local()
            let newCount = uidNext - min(uidNext, local.uidNext)
            if numbers.exists < held.count + Int(newCount) { losers.insert(entry.mailbox.name) }
            guard newCount <= Self.maximumNew,
                case .resynchronize(let validity, let modSeq, let below) = sync.opening(local, state)
            else { continue }
            let known = KnownMailbox(uidValidity: validity, modSeq: modSeq, below: below)
            let tail = try engine.store.uids(
                of: engine.account, mailbox: entry.mailbox.name, in: [max(1, below)...UInt32.max])
            results.append(
                Result(
                    wish: ResyncWish(
                        mailbox: entry.mailbox, known: known, new: newCount == 0 ? .none : .messages),
                    local: local, held: held, heldTail: Set(tail)))
        }
        expectMoves(from: losers)
    }

    /// Where we moved messages ourselves, or another mailbox has lost some, new ones may be known: their headers
    /// tell.
    private mutating func expectMoves(from losers: Set<MailboxName>) {
        for index in results.indices where results[index].wish.new == .messages {
            let others = losers.subtracting([results[index].wish.mailbox.name])
            if !others.isEmpty || !results[index].heldTail.isEmpty { results[index].wish.new = .headers }
        }
    }
}
