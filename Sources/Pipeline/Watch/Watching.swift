import Accounts
import IMAPClient
import IMAPProtocol
import MailStore
public import Models
import Synchronization

/// Knowledge about the connection that a watch keeps from one attempt to the next.
private final class LearnedSilence: Sendable {
    private let limit = Mutex(SilenceLimit())

    var value: SilenceLimit { limit.withLock { $0 } }
    func learn(_ cut: Duration) { limit.withLock { $0.learn(cut) } }
}

/// Follows an account: sync it, wait until something changes, sync it again. And the task folder, in the same way.
public struct Watching: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store
    let loader: FactLoader
    let surroundings: Surroundings
    let syncing: AccountSyncing
    let runner: JournalRunner
    let sending: Sending
    let follow: Following
    let orders: Orders
    let lock: WorkspaceLock
    let clock: SessionClock

    /// How often the mailboxes are synced to which the watch does not listen.
    private static let longestWait = Duration.seconds(25 * 60)
    /// A wait that ends sooner, after a sync that brought nothing, for the third time in a row: a server that shows other
    /// numbers at each look does not keep opus busy. Before that nothing waits: it may be the first mail.
    private static let shortestWait = Duration.seconds(2)
    private static let quickTurns = 2
    /// A Maildir does not announce changes.
    private static let maildirPause = Duration.seconds(5)
    /// Runs until the task is cancelled, or the settings must change first.
    ///
    /// - Parameters:
    ///   - id: the account.
    ///   - isOnce: end when the first change after the first sync was brought in.
    ///   - report: receives what happens, in its order.
    /// - Throws: ``Problem`` that another attempt would not change: a refused login, a bad certificate, settings.
    public func account(
        _ id: AccountID, isOnce: Bool = false, report: @escaping @Sendable (WatchEvent) -> Void
    ) async throws {
        let account = try accounts.require(id)
        var reconnection = Reconnection()
        var syncs = 0
        var seen: KnownNumbers?
        var quickTurns = 0
        let silence = LearnedSilence()
        var said = SaidOrders()
        var notices = try WatchNotices(loader: loader, surroundings: surroundings, account)
        while true {
            do {
                let (synced, delivered, ordered) = try await lock.waiting {
                    let synced = try await syncing.account(account.id)
                    let ordered = try await orders.carryOut(account.id)
                    return (synced, try await deliverDue(account.id), ordered)
                }
                report(.synced(synced))
                if said.insert(ordered) { report(.ordered(ordered)) }
                let news = try notices.news()
                if !news.isEmpty { report(.notices(news)) }
                if let delivered { report(.delivered(delivered)) }
                reconnection.succeed()
                syncs += 1
                if isOnce, syncs > 1, !synced.isQuiet { return }
                let start = ContinuousClock.now
                seen = try await waitForChange(account, after: synced, seen: seen, silence, report)
                let rest = Self.shortestWait - (.now - start)
                quickTurns = synced.isQuiet && rest > .zero ? quickTurns + 1 : 0
                if quickTurns > Self.quickTurns { try await Task.sleep(for: rest) }
            } catch {
                try Task.checkCancellation()
                guard let delay = Self.delay(after: error, &reconnection) else { throw error }
                report(.lost(Problem(error), again: delay))
                try await Task.sleep(for: delay)
            }
        }
    }

    private static func delay(after error: any Error, _ reconnection: inout Reconnection) -> Duration? {
        guard let problem = error as? Problem, problem.code != "untrusted-certificate",
            problem.exit == .unavailable || problem.exit == .temporary
        else { return nil }
        return reconnection.delay()
    }

    // MARK: Waiting

    /// Carries out the steps of the journal that are due; nil: none was due.
    private func deliverDue(_ account: AccountID) async throws -> RunReport? {
        guard try store.journal.hasDueSteps(of: account, at: clock.now) else { return nil }
        let report = try await runner.deliver(account)
        try await sending.finish(account)
        return report.didNothing ? nil : report
    }

    /// The next thing to do: other mailboxes in any case, a step of the journal when it is due.
    private func nextTurn(_ account: AccountID) throws -> Duration {
        let due = try store.journal.openSteps(of: account).filter { !$0.isDue(at: clock.now) }.compactMap(
            \.dueAt
        )
        .min()
        guard let due else { return Self.longestWait }
        return min(Self.longestWait, .seconds(due - clock.now))
    }

    /// Returns what the inbox showed at the last check. The next sync covers that: a difference that it does not
    /// settle is not found again at once, for ever, and what comes after it is.
    private func waitForChange(
        _ account: Account, after synced: SyncReport, seen: KnownNumbers?,
        _ silence: LearnedSilence, _ report: @Sendable (WatchEvent) -> Void
    ) async throws -> KnownNumbers? {
        guard case .imap = account.source else {
            report(.listening("polling"))
            try await Task.sleep(for: min(Self.maildirPause, try nextTurn(account.id)))
            return nil
        }
        return try await connections.connected(account) { connection in
            guard let client = connection.imap else { return nil }
            let inbox = try store.sync.mailboxes(of: account.id).first { $0.role == .inbox }?.name ?? .inbox
            return try await Problem.wrap(account) {
                let how = try await listen(client, account)
                report(.listening(how))
                let limit = try nextTurn(account.id)
                let waited: Waited
                do {
                    waited = try await client.changes.wait(
                        in: inbox.bytes, known: try known(inbox, of: account, after: synced, seen),
                        seen: seen, timing: silence.value.timing(limit: limit))
                } catch {
                    if let cut = await client.silenceBeforeCut { silence.learn(cut) }
                    throw error
                }
                if waited.end == .stopped { throw CancellationError() }
                return waited.seen
            }
        }
    }

    private func listen(_ client: IMAPConnection, _ account: Account) async throws -> String {
        let offered = await client.capabilities.withImplied
        if account.sync.usesNotify, offered.contains(.notify) {
            _ = try await client.changes.notify()
            return "NOTIFY"
        }
        return await client.profile.usesIdle && offered.contains(.idle) ? "IDLE" : "polling"
    }

    /// What the sync saw: a difference from it is mail that came since. A sync that left something out proves nothing; what
    /// was seen before it is known anyway.
    private func known(
        _ inbox: MailboxName, of account: Account, after synced: SyncReport, _ seen: KnownNumbers?
    ) throws -> KnownNumbers {
        guard synced.problems.isEmpty || seen != nil,
            let state = try store.sync.syncState(of: account.id, mailbox: inbox), state.syncedAt != nil
        else { return KnownNumbers() }
        return KnownNumbers(
            uidValidity: state.uidValidity, uidNext: state.uidNext, highestModSeq: state.highestModSeq)
    }
}
