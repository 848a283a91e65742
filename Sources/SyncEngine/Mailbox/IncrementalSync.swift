import Logging
import MailStore
import Models
import SyncPlanner

/// The sync of one mailbox whose server reports changes. It collects marks and removals, lists new messages,
/// and checks the count. Then HIGHESTMODSEQ and all changes are written in one transaction.
struct IncrementalSync: MailboxPart {
    let context: MailboxContext
    let server: SourceMailbox
    /// The state before this sync.
    let known: MailboxKnowledge
    private var marks: [MessageMarks] = []
    private var gone: Set<UInt32> = []
    private var arrivals: [ListedMessage] = []
    private var isWhole = true
    /// New messages that are already stored.
    private var stored: [UInt32] = []
    /// The changes contradict the store: the list of all UIDs decides.
    private var isDoubtful = false

    init(context: MailboxContext, server: SourceMailbox, known: MailboxKnowledge) {
        self.context = context
        self.server = server
        self.known = known
    }

    /// Applies the changes that SELECT reported. A VANISHED with too many UIDs is not trusted.
    mutating func applyReported() throws {
        guard let changes = server.changes else { return }
        marks += changes.marks
        let vanished = try knownUIDs(in: changes.vanished)
        if SyncTable.looksImpossible(vanished: vanished.count, known: known.held.count) {
            isDoubtful = true
            context.sync.logger.warning(
                "VANISHED names implausibly many messages: opus lists all UIDs to check",
                metadata: ["named": "\(vanished.count)", "known": "\(known.held.count)"])
        } else {
            gone.formUnion(vanished)
        }
    }

    mutating func fetchChanges(since modSeq: UInt64, below uid: UInt32) async throws {
        let changes = try await source.changes(of: mailbox, since: modSeq, below: uid)
        marks += changes.marks
        if !changes.isComplete { isWhole = false }
    }

    /// Lists messages from UIDNEXT of the last sync on. Messages that opus moved there since are already
    /// known.
    mutating func listNew(from uid: UInt32) async throws {
        let listing = try await MailboxLister(context: context).listing(server, max(1, uid)...UInt32.max)
        let here = Set(try knownUIDs(in: [max(1, uid)...UInt32.max]))
        for message in listing.messages where message.uid >= uid {
            if here.contains(message.uid) {
                marks.append(
                    MessageMarks(uid: message.uid, flags: message.flags, keywords: message.keywords))
            } else {
                arrivals.append(message)
            }
        }
        guard listing.isComplete else {
            isWhole = false
            return
        }
        gone.formUnion(here.subtracting(listing.messages.map(\.uid)))
    }

    /// Like ``listNew(from:)``, with the messages that a pass over all mailboxes has already stored.
    mutating func takeStored(_ pass: PassedMailbox) throws {
        let tail = try knownUIDs(in: [max(1, pass.wish.known.below)...UInt32.max])
        stored = tail.filter { !pass.heldTail.contains($0) }
        // A server reports only changes of UIDs below UIDNEXT.
        marks += pass.seen.filter { pass.heldTail.contains($0.uid) }
        gone.formUnion(pass.heldTail.subtracting(pass.seen.map(\.uid)))
    }

    /// Whether all received data is consistent, so that no further request is needed.
    var isSettled: Bool { !isDoubtful && isWhole && expected == server.exists }

    /// Stores the collected changes. The state is written last, in the same transaction.
    mutating func finish(_ report: inout SyncReport.MailboxReport) async throws {
        // Without QRESYNC, the server does not report removals, so a smaller number of messages is normal.
        let isSurprise = server.changes == nil ? expected < server.exists : expected != server.exists
        let isDoubted = isDoubtful || isSurprise
        if isDoubted || expected != server.exists { try await compareUIDs(&report) }
        arrivals.sort(by: ListedMessage.isNewer)
        try await MessageFetch(context: context).take(arrivals, server, MessageFetch.Course(), &report)
        var batch = SyncBatch(
            account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        batch.flagChanges = marks
        batch.removed = gone.sorted()
        try MailboxRecord(context: context).finish(
            server, batch, comparedAt: known.state?.comparedAt, isWhole: isWhole, &report)
        // A wrong count may mean that the mailbox was restored from a backup.
        if isDoubted { try store.sync.doubt(mailbox.name, of: account) }
    }

    /// The number of messages in the mailbox when it was opened, according to the received data. Later mail
    /// has UIDs from UIDNEXT on.
    private var expected: Int {
        let later = server.uidNext ?? .max
        let new = arrivals.count { $0.uid < later } + stored.count { $0 < later }
        return known.held.count + known.local.beyond - gone.count + new
    }

    /// Messages that are not in the list of all UIDs have vanished, whatever else was reported.
    private mutating func compareUIDs(_ report: inout SyncReport.MailboxReport) async throws {
        guard let all = try await source.uids(of: mailbox), all.isComplete,
            SyncTable.isWhole(uids: all.uids.count, exists: server.exists)
        else {
            gone = []
            isWhole = false
            report.problem = MailboxRecord.doubt
            return
        }
        let there = Set(all.uids)
        let here = try knownUIDs(in: [MailboxLister.allUIDs])
        gone = Set(here.filter { !there.contains($0) })
        var missing = there.subtracting(here).subtracting(arrivals.map(\.uid))
        if known.edge.since != nil {
            // New mail cannot have UIDs below UIDNEXT: such a message is older than the window.
            missing = missing.filter { $0 >= known.local.uidNext }
        }
        guard let first = missing.min(), let last = missing.max() else { return }
        let listing = try await MailboxLister(context: context).listing(
            server, first...last, named: all.uids.filter { (first...last).contains($0) })
        arrivals += listing.messages.filter { missing.contains($0.uid) }
        MailboxRecord(context: context).note(unlisted: listing.unlisted, &report)
        if !listing.isComplete { isWhole = false }
    }

    private func knownUIDs(in ranges: [ClosedRange<UInt32>]) throws -> [UInt32] {
        let uids = try store.sync.uids(of: account, mailbox: mailbox.name, in: ranges)
        return Array(Set(uids)).sorted()
    }
}
