import Accounts
import IMAPClient
import IMAPProtocol
import MailStore
import MaildirClient
public import Models
import Synchronization

/// Knowledge about the connection that a watch keeps from one attempt to the next.
private final class LearnedSilence: Sendable {
    private let limit = Mutex(SilenceLimit())

    var value: SilenceLimit { limit.withLock { $0 } }
    func learn(_ cut: Duration) { limit.withLock { $0.learn(cut) } }
}

/// Follows an account: a round of syncing and deciding, a wait until something changes, and another round. And the task folder,
/// in the same way.
public struct Watching: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store
    let round: WatchRound
    let follow: Following
    let rules: RuleKeeper
    let phases: ConnectionPhases
    let stop: StopRequest
    var lock: WorkspaceLock
    let clock: SessionClock
    let zone: ZoneClock

    var loader: FactLoader { round.loader }
    var surroundings: Surroundings { round.surroundings }

    /// How often the mailboxes are synced to which the watch does not listen.
    static let longestWait = Duration.seconds(25 * 60)
    /// A wait that ends sooner, after a sync that brought nothing, for the third time in a row: a server that shows other
    /// numbers at each look does not keep opus busy. Before that nothing waits: it may be the first mail.
    private static let shortestWait = Duration.seconds(2)
    private static let quickTurns = 2
    /// A Maildir does not announce changes.
    var maildirPause = Duration.seconds(5)
    /// Twice as long without a sync is worth a warning.
    var interval = Self.longestWait

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
        let board = WatchBoard(
            file: workspace.storeFolder + "/watch.json", accounts: [id], interval: interval,
            clock: clock
        ) { report(.state($0)) }
        defer { board.remove() }
        try await watch(
            id, isOnce: isOnce, Doorbell(), board, TaskNews { _ in }, report: report)
    }

    func watch(
        _ id: AccountID, isOnce: Bool, _ bell: Doorbell, _ board: WatchBoard, _ taskNews: TaskNews,
        report: @escaping @Sendable (WatchEvent) -> Void
    ) async throws {
        let account = try accounts.require(id)
        var course = Course(notices: try WatchNotices(loader: loader, surroundings: surroundings, account))
        phases.listen { board.enter($1.watched, $0) }
        while !stop.isRequested {
            do {
                let result = try await runRound(account, &course, bell, board)
                tell(result, &course, board, taskNews, report)
                course.succeed()
                course.rounds += 1
                if isOnce, course.rounds > 1, !result.synced.isQuiet { return }
                try await rest(account, after: result, &course, bell, board, report)
            } catch {
                try Task.checkCancellation()
                let problem = Problem(error)
                guard let delay = course.delay(after: problem) else { throw error }
                report(.lost(problem, again: delay))
                board.enter(.idle, id) { [clock] in
                    $0.take(problem, again: clock.now + delay.components.seconds)
                }
                course.isFull = true
                await connections.pools.forget(account.id)
                try await pause(delay, account, &course, bell)
            }
        }
    }

    /// What a watch of one account keeps from round to round.
    private struct Course {
        var reconnection = Reconnection()
        var rounds = 0
        var quickTurns = 0
        var seen: KnownNumbers?
        let silence = LearnedSilence()
        var said = SaidOrders()
        var notices: WatchNotices
        var held: HeldPlan?
        /// Of a Maildir, taken before its last sync.
        var shape: MaildirShape?
        /// Whether the next round also does what new mail cannot have caused.
        var isFull = true

        /// Attempts in a row at which another machine answered in place of the server.
        private var strangers = 0

        init(notices: WatchNotices) { self.notices = notices }

        mutating func succeed() {
            reconnection.succeed()
            strangers = 0
        }

        /// How long to wait before the next attempt; nil: it needs a person.
        mutating func delay(after problem: Problem) -> Duration? {
            // The network of a hotel or a train answers in place of the server until someone has logged in there. No event
            // of this machine tells of that, so it tries often, for ten minutes.
            if problem.isOfAStranger {
                guard rounds > 0 else { return nil }
                strangers += 1
                return strangers <= Self.mostStrangers ? Self.strangerPause : reconnection.delay()
            }
            switch problem.exit {
            case .unavailable, .temporary: return reconnection.delay()
            // A full disk or one that went away: it worked before.
            case .inputOutput, .cannotCreate: return rounds > 0 ? reconnection.delay() : nil
            case .done, .someFailed, .changes, .stalePlan, .usage, .badData, .notFound, .bug, .loginRefused,
                .configuration, .interrupted:
                return nil
            }
        }

        private static let strangerPause = Duration.seconds(8)
        private static let mostStrangers = 75
    }

    /// Waits before the next attempt. News of the network or of a person end it; a step that is due cannot be done now anyway.
    private func pause(
        _ delay: Duration, _ account: Account, _ course: inout Course, _ bell: Doorbell
    ) async throws {
        let end = ContinuousClock.now + delay
        while try await bell.waiting({ try await Task.sleep(until: end, clock: .continuous) }) == nil {
            guard let reason = bell.take(), reason > .steps else { continue }
            await answer(reason, account)
            return course.succeed()
        }
    }

    // MARK: One round

    /// Those who asked for a sync before it began get its report.
    private func runRound(
        _ account: Account, _ course: inout Course, _ bell: Doorbell, _ board: WatchBoard
    ) async throws -> WatchRound.Report {
        let visitors = bell.visitors()
        do {
            try await connect(account, &course, bell)
            let result = try await runRound(account, &course, board)
            for visitor in visitors { visitor.resume(returning: result.synced) }
            return result
        } catch {
            for visitor in visitors { visitor.resume(returning: nil) }
            throw error
        }
    }

    /// Connects before the lock is taken, so that other commands need not wait for a server that does not answer. If the
    /// network changes, the attempt over the old one ends.
    private func connect(_ account: Account, _ course: inout Course, _ bell: Doorbell) async throws {
        while try await bell.waiting({ try await connections.connected(account) { _ in } }) == nil {
            guard !stop.isRequested else { throw CancellationError() }
            let reason = bell.take()
            if reason != .steps { course.isFull = true }
            await answer(reason, account)
        }
    }

    private func runRound(
        _ account: Account, _ course: inout Course, _ board: WatchBoard
    ) async throws -> WatchRound.Report {
        // With the plan that a brake holds, mail that comes later is not judged alone: it would be applied around the brake.
        let isFull = course.isFull || course.held != nil
        course.shape = await shape(of: account)
        let result = try await lock.waiting {
            board.enter(.mailboxes, account.id)
            return try await round.run(account.id, isFull: isFull, notices: &course.notices) { phase in
                board.enter(phase, account.id)
            }
        }
        course.isFull = false
        return result
    }

    private func tell(
        _ result: WatchRound.Report, _ course: inout Course, _ board: WatchBoard, _ taskNews: TaskNews,
        _ report: @Sendable (WatchEvent) -> Void
    ) {
        let held = result.looked ? result.held : course.held
        board.enter(.indexing, result.synced.account) { [clock] in
            $0.lastSync = clock.now
            $0.take(nil, again: nil)
            ($0.heldPlan, $0.heldBecause) = (held?.plan, held?.reason)
        }
        board.noteRules(rules.problem)
        report(.synced(result.synced))
        if course.said.insert(result.ordered) { report(.ordered(result.ordered)) }
        if let problem = result.brokenRules { report(.brokenRules(problem)) }
        if result.hasNewRules { report(.newRules) }
        if !result.news.isEmpty { report(.notices(result.news)) }
        if let delivered = result.delivered { report(.delivered(delivered)) }
        if let followed = result.followed { taskNews.report(followed) }
        for run in result.decided where !run.didNothing { report(.applied(run)) }
        if let held, course.held == nil { report(.held(held)) }
        course.held = held
    }

    /// Waits for a change, for something that is due, or for the bell.
    private func rest(
        _ account: Account, after result: WatchRound.Report, _ course: inout Course, _ bell: Doorbell,
        _ board: WatchBoard, _ report: @escaping @Sendable (WatchEvent) -> Void
    ) async throws {
        let start = ContinuousClock.now
        let limit = try nextTurn(account.id)
        let (seen, silence, synced, shape) = (course.seen, course.silence, result.synced, course.shape)
        let listens: @Sendable (String) -> Void = { [clock] how in
            board.enter(.listening, account.id) {
                $0.method = how
                $0.nextTry = clock.now + limit.components.seconds
            }
            report(.listening(how))
        }
        let isBroken = Mutex(false)
        let waited = try await bell.waiting {
            do {
                return try await waitForChange(
                    account, after: synced, seen: seen, shape, limit: limit, silence, listens)
            } catch {
                isBroken.withLock { $0 = Problem(error).exit != .interrupted }
                throw error
            }
        }
        guard let waited else {
            // The other connections go the same way as the one that did not answer.
            if isBroken.withLock(\.self) { await connections.pools.forget(account.id) }
            let reason = bell.take()
            if reason != .steps { course.isFull = true }
            return await answer(reason, account)
        }
        course.seen = waited
        course.isFull = ContinuousClock.now - start >= limit
        let rest = Self.shortestWait - (.now - start)
        course.quickTurns = synced.isQuiet && rest > .zero ? course.quickTurns + 1 : 0
        if course.quickTurns > Self.quickTurns { try await Task.sleep(for: rest) }
    }

    /// After a sleep the connections are taken for dead: finding out takes longer than a new login.
    private func answer(_ reason: Doorbell.Reason?, _ account: Account) async {
        if reason == .resumed { await connections.pools.forget(account.id) }
    }

    // MARK: Waiting

    /// The next thing to do: other mailboxes in any case, a step of the journal or deferred mail when it is due.
    private func nextTurn(_ account: AccountID) throws -> Duration {
        guard let due = try round.nextDue(account) else { return Self.longestWait }
        return min(Self.longestWait, .seconds(max(1, due - clock.now)))
    }

    /// Returns what the inbox showed at the last check. The next sync covers that: a difference that it does not
    /// settle is not found again at once, for ever, and what comes after it is.
    private func waitForChange(
        _ account: Account, after synced: SyncReport, seen: KnownNumbers?, _ shape: MaildirShape?,
        limit: Duration, _ silence: LearnedSilence, _ listens: @Sendable (String) -> Void
    ) async throws -> KnownNumbers? {
        guard case .imap = account.source else {
            listens("polling")
            try await waitForFiles(account, since: shape, limit: limit)
            return nil
        }
        return try await connections.connected(account) { connection in
            guard let client = connection.imap else { return nil }
            let inbox = try store.sync.mailboxes(of: account.id).first { $0.role == .inbox }?.name ?? .inbox
            return try await Problem.wrap(account) {
                let how = try await listen(client, account)
                listens(how)
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

    private func shape(of account: Account) async -> MaildirShape? {
        guard case .maildir = account.source else { return nil }
        return try? await connections.connected(account) { try $0.maildir?.shape() }
    }

    /// Until the folders of a Maildir are others than before its last sync. Changes right before that may have escaped it.
    private func waitForFiles(
        _ account: Account, since shape: MaildirShape?, limit: Duration
    ) async throws {
        let end = ContinuousClock.now + limit
        while true {
            try await Task.sleep(until: min(end, .now + maildirPause), clock: .continuous)
            guard let shape, shape.isSettled, .now < end, let now = await self.shape(of: account),
                now.isSame(as: shape)
            else { return }
        }
    }

    private func listen(_ client: IMAPConnection, _ account: Account) async throws -> String {
        let offered = await client.capabilities.withImplied
        if account.sync.usesNotify, offered.contains(.notify) {
            // Once a session; each time would be a turn, and the numbers of all mailboxes.
            if await !client.reportsOtherMailboxes { _ = try await client.changes.notify() }
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

extension ConnectionPhases.Phase {
    fileprivate var watched: WatchPhase {
        switch self {
        case .connecting: .connecting
        case .authenticating: .authenticating
        case .tokenRefresh: .tokenRefresh
        }
    }
}

extension Problem {
    /// What a captive portal makes of a server that worked before, and a wrong server always: not the one that is meant.
    var isOfAStranger: Bool { ["untrusted-certificate", "login-impossible"].contains(code) }
}
