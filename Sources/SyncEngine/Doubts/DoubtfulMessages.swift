import MailStore
import Models
import SyncPlanner

/// The messages of one mailbox that the server could not deliver before. Requests them separately, learns
/// from the results, and reports which messages were left out.
struct DoubtfulMessages: Sendable {
    private let context: SyncContext
    private let mailbox: MailboxName
    private let uidValidity: UInt32

    init(_ context: MailboxContext, _ server: SourceMailbox) {
        self.context = context.sync
        mailbox = context.mailbox.name
        uidValidity = server.uidValidity
    }

    func all() throws -> [MessageDoubt] {
        try context.store.sync.doubts(
            of: context.account, mailbox: mailbox, uidValidity: uidValidity)
    }

    private func save(_ doubts: [MessageDoubt]) throws {
        try context.store.sync.saveDoubts(
            doubts, of: context.account, mailbox: mailbox, uidValidity: uidValidity)
    }

    /// Requests messages: first all that are not in doubt, then each suspected part separately.
    ///
    /// - Returns: The doubts whose messages were left out.
    func ask(
        _ messages: [ListedMessage], _ stage: MessageDoubt.Stage,
        _ body: ([ListedMessage]) async throws -> Void
    ) async throws -> [MessageDoubt] {
        guard let groups = try groups(messages.map(\.uid), stage) else {
            try await watching(stage) { try await body(messages) }
            return []
        }
        let byUID = Dictionary(messages.map { ($0.uid, $0) }, uniquingKeysWith: { first, _ in first })
        try await watching(stage) { try await body(groups.ordinary.compactMap { byUID[$0] }) }
        for probe in groups.probes {
            try await watching(stage, isProbe: true) { try await body(probe.compactMap { byUID[$0] }) }
        }
        try endSuspicion(messages.map(\.uid), stage)
        return groups.leftOut
    }

    func groups(_ uids: [UInt32], _ stage: MessageDoubt.Stage) throws -> DoubtGroups? {
        let doubts = try all().filter { $0.stage == stage }
        return doubts.isEmpty ? nil : DoubtTable.groups(uids, doubts, now: context.now)
    }

    /// Runs a request for messages. If the connection is lost meanwhile, that narrows down which message is
    /// the cause.
    func watching<Result>(
        _ stage: MessageDoubt.Stage, isProbe: Bool = false, _ body: () async throws -> Result
    ) async throws -> Result {
        if isProbe { await context.source.wait(atMost: LossSearch.patience) }
        do {
            let result = try await body()
            if isProbe { await context.source.wait(atMost: nil) }
            return result
        } catch let error as SourceUnavailable {
            if let loss = error.interrupted {
                try context.note(loss, stage, in: mailbox, uidValidity)
            }
            throw error
        }
    }

    /// The connection survived all of these requests, so the messages are no longer suspected.
    func endSuspicion(_ uids: [UInt32], _ stage: MessageDoubt.Stage) throws {
        let before = try all()
        let doubts = before.filter { doubt in
            doubt.stage != stage || !doubt.isSuspicion || !uids.contains(where: doubt.uids.contains)
        }
        if doubts != before { try save(doubts) }
    }

    /// All of these messages were requested, and the connection survived: only the missing ones are still in
    /// doubt.
    func settle(_ asked: [UInt32], missing: [UInt32], _ stage: MessageDoubt.Stage) throws {
        let before = try all()
        // If a server leaves out too many messages, the server itself is the cause.
        let missing = missing.count <= Self.mostUnread ? Set(missing.filter { $0 > 0 }) : []
        guard !(before.isEmpty && missing.isEmpty) else { return }
        let asked = Set(asked)
        var tries: [UInt32: Int] = [:]
        var doubts = before.filter { doubt in
            guard doubt.stage == stage else { return true }
            if doubt.isSuspicion { return !asked.contains(where: doubt.uids.contains) }
            guard asked.contains(doubt.uids.lowerBound) else { return true }
            tries[doubt.uids.lowerBound] = doubt.tries
            return false
        }
        doubts += missing.sorted().map { uid in
            MessageDoubt(stage, .unread, uid...uid, tries: (tries[uid] ?? 0) + 1, triedAt: context.now)
        }
        if doubts != before { try save(doubts) }
    }

    private static let mostUnread = 100

    // MARK: Reports

    /// Reports which messages were not requested. For the sync that found them, it is a problem; for later
    /// ones, a notice.
    func report(_ leftOut: [MessageDoubt], _ report: inout SyncReport.MailboxReport) {
        report.skipped += leftOut.count
        report.leftOut += leftOut.count
        Self.report(leftOut, found: context.losses.found(in: mailbox), &report)
    }

    static func report(
        _ leftOut: [MessageDoubt], found: Set<UInt32>, _ report: inout SyncReport.MailboxReport
    ) {
        for (isNew, doubts) in [
            (true, leftOut.filter { found.contains($0.uids.lowerBound) }),
            (false, leftOut.filter { !found.contains($0.uids.lowerBound) }),
        ] where !doubts.isEmpty {
            let words = words(doubts)
            if isNew {
                report.problem = report.problem.map { "\($0); \(words)" } ?? words
            } else {
                report.notices.append(words)
            }
        }
    }

    private static let mostNamed = 10

    private static func words(_ doubts: [MessageDoubt]) -> String {
        let names = doubts.prefix(mostNamed).map { "UID \($0.uids.lowerBound)" }.joined(separator: ", ")
        let more = doubts.count > mostNamed ? " and \(doubts.count - mostNamed) more" : ""
        let isLost = doubts.contains { $0.cause == .lost }
        let reason =
            isLost
            ? "the server hangs or drops the connection at" : "the server returns no readable data for"
        let object = doubts.count == 1 ? "it" : "them"
        let count = doubts.count == 1 ? "1 message is" : "\(doubts.count) messages are"
        return
            "\(count) left out, because \(reason) \(object): \(names)\(more); opus tries again from time to time"
    }
}

extension SyncContext {
    /// Notes what a lost connection shows about the requested messages.
    func note(
        _ loss: InterruptedFetch, _ stage: MessageDoubt.Stage, in mailbox: MailboxName, _ uidValidity: UInt32
    ) throws {
        let before = try store.sync.doubts(of: account, mailbox: mailbox, uidValidity: uidValidity)
        let doubts = DoubtTable.afterLoss(loss, before, stage, now: now)
        try store.sync.saveDoubts(doubts, of: account, mailbox: mailbox, uidValidity: uidValidity)
        losses.noteLoss()
        if let found = doubts.last, !found.isSuspicion {
            losses.noteFound(found.uids.lowerBound, in: mailbox)
        }
    }
}
