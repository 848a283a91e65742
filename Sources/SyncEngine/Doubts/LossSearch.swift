import Models
import Synchronization

/// The search for messages at which the server hangs or drops the connection, over all attempts of one sync.
///
/// Each lost connection narrows down the suspected messages (``DoubtTable``), and a new connection continues
/// from there: the caller asks ``mayGoOn()`` after a failed attempt, and passes the same search to the next
/// one.
public final class LossSearch: Sendable {
    private static let maximumAttempts = 60
    private static let maximumTime = Duration.seconds(170)
    /// If the server sends nothing about a suspected message for this long, it counts as hanging.
    static let patience = Duration.seconds(10)

    private struct State {
        var hasNarrowed = false
        var attempts = 0
        var start: ContinuousClock.Instant?
        var found: [MailboxName: Set<UInt32>] = [:]
        var leftOut: [MailboxName: [MessageDoubt]] = [:]
        var reports: [MailboxName: SyncReport.MailboxReport] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// Whether the last attempt narrowed down the search, and there is time for another one.
    public func mayGoOn() -> Bool {
        state.withLock { state in
            guard state.hasNarrowed else { return false }
            state.hasNarrowed = false
            state.attempts += 1
            let start = state.start ?? .now
            state.start = start
            return state.attempts < Self.maximumAttempts && .now - start < Self.maximumTime
        }
    }

    func noteLoss() { state.withLock { $0.hasNarrowed = true } }

    func noteFound(_ uid: UInt32, in mailbox: MailboxName) {
        state.withLock { _ = $0.found[mailbox, default: []].insert(uid) }
    }

    /// Messages that this sync found, or tried again without success.
    func found(in mailbox: MailboxName) -> Set<UInt32> { state.withLock { $0.found[mailbox] ?? [] } }

    /// Messages that were left out of the listing.
    func leaveOut(_ doubts: [MessageDoubt], of mailbox: MailboxName) {
        state.withLock { $0.leftOut[mailbox] = doubts }
    }

    func takeLeftOut(of mailbox: MailboxName) -> [MessageDoubt] {
        state.withLock { $0.leftOut.removeValue(forKey: mailbox) ?? [] }
    }

    // MARK: Reports

    /// Keeps the results of an attempt in a mailbox before the attempt failed.
    func keep(_ report: SyncReport.MailboxReport) {
        guard !report.isQuiet || report.rebound > 0 else { return }
        state.withLock {
            $0.reports[report.mailbox.name, default: .init(mailbox: report.mailbox)].add(report)
        }
    }

    /// Adds the results of earlier attempts to the report of the last one.
    func complete(_ report: inout SyncReport) {
        let kept = state.withLock { $0.reports }
        for index in report.mailboxes.indices {
            if let before = kept[report.mailboxes[index].mailbox.name] { report.mailboxes[index].add(before) }
        }
    }
}

extension SyncReport.MailboxReport {
    fileprivate mutating func add(_ other: Self) {
        added += other.added
        flagsChanged += other.flagsChanged
        removed += other.removed
        rebound += other.rebound
    }
}
