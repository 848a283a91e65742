import Logging
import MailStore
import Models
import SyncPlanner
import Synchronization

/// One mailbox of a sync: compare, fetch what is new, store it batch by batch.
struct MailboxSync: Sendable {
    let engine: AccountSync
    let mailbox: Mailbox

    /// Messages and bytes of one batch: what a kill can cost, and what memory holds at once (twice).
    static let batchMessages = 250
    static let batchBytes = 8 * 1_024 * 1_024
    /// A longer message is read up to here; its attachments are fetched when asked for.
    static let messageLimit = 1_024 * 1_024
    /// An account that never had this many messages in a mailbox may see it empty at once.
    static let suddenlyEmpty = 50

    private var store: MailStore { engine.store }
    private var account: AccountID { engine.account }

    /// Throws only what ends the whole sync; a mailbox's own trouble is in the report.
    func run() async throws -> SyncReport.MailboxReport {
        var report = SyncReport.MailboxReport(mailbox: mailbox)
        do {
            try await synchronize(&report)
        } catch let error as SourceUnavailable {
            throw error
        } catch let error as MailStoreError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            report.problem = "\(error)"
            engine.logger.warning(
                "mailbox skipped", metadata: ["account": "\(account)", "error": "\(error)"])
        }
        return report
    }

    private func synchronize(_ report: inout SyncReport.MailboxReport) async throws {
        let server = try await source.open(mailbox)
        if server.exists > 0 { try forgetEmptiness() }
        let state = try store.syncState(of: account, mailbox: mailbox.name)
        if let signature = server.signature, signature == state?.signature { return }
        let uids = try store.placements(of: account, mailbox: mailbox.name).map(\.uid)
        for step in SyncTable.steps(local: local(state, uids: uids), server: seen(server)) {
            switch step {
            case .nothing:
                if state == nil { try finish(server, &report) }
            case .fetchNew(let from):
                try await fetchNew(from: from, server, &report)
            case .compareAll:
                try await compareAll(server, known: state, &report)
            case .rebind:
                try await rebind(server, &report)
            case .readOnlyMailbox(let reason):
                report.problem = "\(reason)"
            }
        }
    }

    private var source: any MailSource { engine.source }

    private func local(_ state: MailboxSyncState?, uids: [UInt32]) -> LocalMailbox {
        state.map {
            LocalMailbox(
                uidValidity: $0.uidValidity, uidNext: $0.uidNext, highestModSeq: $0.highestModSeq, uids: uids)
        } ?? LocalMailbox(uidValidity: nil)
    }

    private func seen(_ server: SourceMailbox) -> ServerMailbox {
        ServerMailbox(
            uidValidity: server.uidValidity, uidNext: server.uidNext, highestModSeq: server.highestModSeq,
            exists: server.exists)
    }

    /// An empty mailbox is not asked: some servers call a range of nothing an error.
    private func listing(_ server: SourceMailbox, from: UInt32) async throws -> [ListedMessage] {
        server.exists == 0 ? [] : try await source.listing(of: mailbox, from: from)
    }

    private func fetchNew(
        from: UInt32, _ server: SourceMailbox, _ report: inout SyncReport.MailboxReport
    ) async throws {
        let listed = try await listing(server, from: from)
        let known = Set(try store.placements(of: account, mailbox: mailbox.name).map(\.uid))
        try await take(listed.filter { !known.contains($0.uid) }, server, &report)
        try finish(server, &report)
    }

    /// UIDVALIDITY changed: the places are forgotten, the messages stay, and each finds its place again by
    /// its header.
    private func rebind(_ server: SourceMailbox, _ report: inout SyncReport.MailboxReport) async throws {
        let listed = try await listing(server, from: 1)
        let placements = try store.placements(of: account, mailbox: mailbox.name)
        if try isSuddenlyEmpty(listed, placements, &report) { return }
        var reset = SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        reset.resetPlacements = true
        reset.state = MailboxSyncState(uidValidity: server.uidValidity, uidNext: 1, exists: 0)
        _ = try store.apply(reset)
        try await take(listed, server, isRebind: true, &report)
        try finish(server, &report)
    }

    private func compareAll(
        _ server: SourceMailbox, known state: MailboxSyncState?, _ report: inout SyncReport.MailboxReport
    ) async throws {
        let listed = try await listing(server, from: 1)
        let placements = try store.placements(of: account, mailbox: mailbox.name)
        if try isSuddenlyEmpty(listed, placements, &report) { return }
        let (numbered, unnumbered) = numbering(listed, placements)
        let difference = SyncTable.difference(
            local: placements.map { LocalPlacement(uid: $0.uid, flags: $0.flags, keywords: $0.keywords) },
            server: numbered.values.map {
                ServerPlacement(uid: $0.uid, flags: $0.flags, keywords: $0.keywords)
            })
        var batch = SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        batch.flagChanges = difference.changed.map {
            FlagUpdate(uid: $0.uid, flags: $0.flags, keywords: $0.keywords)
        }
        batch.removed = difference.vanished
        if !batch.flagChanges.isEmpty || !batch.removed.isEmpty {
            let outcome = try store.apply(batch)
            report.flagsChanged += outcome.flagsChanged
            report.removed += outcome.removed
        }
        let new = unnumbered + difference.new.compactMap { numbered[$0] }
        try await take(new, server, &report)
        try finish(server, &report)
    }

    /// Messages by UID. A Maildir's are found by name; names that the store does not know have no UID yet.
    private func numbering(
        _ listed: [ListedMessage], _ placements: [Placement]
    ) -> (numbered: [UInt32: ListedMessage], unnumbered: [ListedMessage]) {
        var byName: [String: UInt32] = [:]
        for placement in placements {
            if let name = placement.remoteName { byName[name] = placement.uid }
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

    /// A folder suddenly empty is an unmounted disk more often than a tidy person: believed the second time.
    private func isSuddenlyEmpty(
        _ listed: [ListedMessage], _ placements: [Placement], _ report: inout SyncReport.MailboxReport
    ) throws -> Bool {
        let tidyable = mailbox.role == .trash || mailbox.role == .junk
        guard listed.isEmpty, placements.count > Self.suddenlyEmpty, !tidyable else { return false }
        guard try store.meta(emptinessKey) == nil else {
            try store.setMeta(emptinessKey, nil)
            return false
        }
        try store.setMeta(emptinessKey, "seen")
        report.problem =
            "empty, but \(placements.count) messages were here; nothing was changed, the next sync believes it"
        return true
    }

    /// The disk is mounted again: the next time that it is not, is a first time.
    private func forgetEmptiness() throws {
        if try store.meta(emptinessKey) != nil { try store.setMeta(emptinessKey, nil) }
    }

    private var emptinessKey: String { "emptied:\(account):\(mailbox.name)" }

    /// Fetches and stores, newest first; the next batch is on its way while the last one is parsed.
    private func take(
        _ messages: [ListedMessage], _ server: SourceMailbox, isRebind: Bool = false,
        _ report: inout SyncReport.MailboxReport
    ) async throws {
        guard !messages.isEmpty else { return }
        let newestFirst = messages.sorted { a, b in
            (a.received?.seconds ?? 0, a.uid, a.remoteName ?? "") > (
                b.received?.seconds ?? 0, b.uid, b.remoteName ?? ""
            )
        }
        let intake = MessageIntake(account: account, store: store)
        let writer = BatchWriter(
            intake: intake, store: store, mailbox: mailbox.name, uidValidity: server.uidValidity)
        let total = messages.count
        let progress = engine.progress
        let (account, name) = (account, mailbox.displayName)
        do {
            try await source.fetch(newestFirst, of: mailbox, limit: Self.messageLimit) { raw in
                let done = try await writer.add(raw)
                if done % 50 == 0 || done == total {
                    progress(SyncProgress(account: account, mailbox: name, done: done, total: total))
                }
            }
        } catch {
            // What came is kept: over a connection that never lasts long, each sync still gets further.
            if let outcome = try? await writer.finish() { count(outcome, isRebind, &report) }
            throw error
        }
        let outcome = try await writer.finish()
        count(outcome, isRebind, &report)
        let stored = outcome.added + outcome.placed
        report.skipped += total - stored
        if stored < total {
            report.problem =
                "\(total - stored) of \(total) messages could not be read; they are tried again next time"
        }
    }

    /// After a new UIDVALIDITY a known message is not new: it has found its place again.
    private func count(_ outcome: SyncOutcome, _ isRebind: Bool, _ report: inout SyncReport.MailboxReport) {
        report.added += isRebind ? outcome.added : outcome.added + outcome.placed
        if isRebind { report.rebound += outcome.placed }
    }

    /// The state is written last. A mailbox with messages that were skipped is compared whole next time.
    private func finish(_ server: SourceMailbox, _ report: inout SyncReport.MailboxReport) throws {
        let placements = try store.placements(of: account, mailbox: mailbox.name)
        let complete = report.skipped == 0
        var batch = SyncBatch(account: account, mailbox: mailbox.name, uidValidity: server.uidValidity)
        var state = MailboxSyncState(
            uidValidity: server.uidValidity,
            uidNext: max(server.uidNext ?? 0, (placements.last?.uid ?? 0) + 1),
            highestModSeq: complete ? server.highestModSeq : nil,
            exists: placements.count)
        state.signature = complete ? server.signature : nil
        state.syncedAt = complete ? engine.now : nil
        batch.state = state
        _ = try store.apply(batch)
    }
}

/// Collects messages into batches and stores each while the next one arrives.
private actor BatchWriter {
    private let intake: MessageIntake
    private let store: MailStore
    private let mailbox: MailboxName
    private let uidValidity: UInt32
    private var waiting: [RawMessage] = []
    private var bytes = 0
    private var received = 0
    private var outcome = SyncOutcome()
    private var running: Task<SyncOutcome, any Error>?

    init(intake: MessageIntake, store: MailStore, mailbox: MailboxName, uidValidity: UInt32) {
        self.intake = intake
        self.store = store
        self.mailbox = mailbox
        self.uidValidity = uidValidity
    }

    func add(_ raw: RawMessage) async throws -> Int {
        waiting.append(raw)
        bytes += raw.bytes.count
        received += 1
        if waiting.count >= MailboxSync.batchMessages || bytes >= MailboxSync.batchBytes { try await flush() }
        return received
    }

    func finish() async throws -> SyncOutcome {
        try await flush()
        try await settle()
        return outcome
    }

    private func flush() async throws {
        guard !waiting.isEmpty else { return }
        let messages = waiting
        waiting = []
        bytes = 0
        try await settle()
        let (intake, store, mailbox, uidValidity) = (intake, store, mailbox, uidValidity)
        running = Task.detached {
            let batch = try intake.batch(of: messages, mailbox: mailbox, uidValidity: uidValidity)
            return try store.apply(batch)
        }
    }

    private func settle() async throws {
        guard let task = running else { return }
        running = nil
        outcome = outcome + (try await task.value)
    }
}
