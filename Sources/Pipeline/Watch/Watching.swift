import Accounts
import IMAPClient
import IMAPProtocol
import MailStore
import MaildirClient
public import Models
import Synchronization

/// What a watch learned about the connection, kept between attempts.
private final class LearnedSilence: Sendable {
    private let limit = Mutex(SilenceLimit())

    var value: SilenceLimit { limit.withLock { $0 } }
    func learn(_ cut: Duration) { limit.withLock { $0.learn(cut) } }
}

/// Watches an account: a round of sync and decisions, then a wait for changes, then another round. Watches
/// the task folder in the same way.
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

    /// How often mailboxes are synced that the watch does not listen to.
    static let longestWait = Duration.seconds(25 * 60)
    /// The minimum wait after the third sync in a row that found nothing. A server that reports different
    /// numbers each time must not keep opus busy. The first two waits may be shorter, because there may be
    /// new mail.
    private static let shortestWait = Duration.seconds(2)
    private static let quickTurns = 2
    private static let storePause = Duration.seconds(5)
    /// The pause between two checks of a Maildir, which does not report changes.
    var maildirPause = Duration.seconds(5)
    /// The longest time between two syncs. After twice this time without a sync, the watch reports it.
    var interval = Self.longestWait
    /// Called when the open store was deleted or replaced, so that other commands use another one.
    var storeGone: @Sendable () -> Void = {}

    /// Runs until the task is cancelled, or until the settings must change first.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - isOnce: End after the first change that follows the first sync.
    ///   - report: Receives the events, in order.
    /// - Throws: ``Problem`` if another attempt would not help: a refused login, a bad certificate, settings.
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
                let isGone = !store.isInPlace
                guard let delay = course.delay(after: problem, account) ?? (isGone ? Self.storePause : nil)
                else {
                    throw error
                }
                report(.lost(problem, again: delay))
                if isGone { storeGone() }
                guard !stop.isRequested else { return }
                let waiting = try? store.journal.waiting(of: id, at: clock.now)
                board.enter(.idle, id) { [clock] in
                    $0.take(problem, again: clock.now + delay.components.seconds)
                    $0.waiting = waiting ?? $0.waiting
                }
                course.isFull = true
                await connections.pools.forget(account.id)
                try await pause(delay, account, &course, bell)
            }
        }
    }

    /// The state that a watch of one account keeps between rounds.
    private struct Course {
        var reconnection = Reconnection()
        var rounds = 0
        var quickTurns = 0
        var seen: KnownNumbers?
        let silence = LearnedSilence()
        var said = SaidOrders()
        var notices: WatchNotices
        var held: HeldPlan?
        var kept = KeptMails()
        /// The rules whose mailbox was missing when they judged mail.
        var withoutPlace: Set<String> = []
        /// For a Maildir, read before its last sync.
        var shape: MaildirShape?
        /// Whether the next round also does work that new mail does not cause.
        var isFull = true

        /// The number of consecutive attempts in which another machine answered instead of the server.
        private var strangers = 0

        init(notices: WatchNotices) { self.notices = notices }

        mutating func succeed() {
            reconnection.succeed()
            strangers = 0
        }

        /// The delay before the next attempt; nil: it needs the user.
        mutating func delay(after problem: Problem, _ account: Account) -> Duration? {
            // The network of a hotel or a train answers instead of the server until the user logs in there.
            // No event reports that, so opus tries often, for ten minutes.
            if problem.isOfAStranger {
                guard rounds > 0 else { return nil }
                strangers += 1
                return strangers <= Self.mostStrangers ? Self.strangerPause : reconnection.delay()
            }
            // A disk with a Maildir that is not mounted now: it was there before.
            if problem.code == "maildir", problem.exit == .notFound {
                return rounds > 0 ? reconnection.delay() : nil
            }
            // A program that fetches a token needs the network, and one that worked before may work again. After the login
            // to the machine, the keyring may still be locked.
            if problem.code == "password-command",
                problem.mayPass || rounds > 0 || account.login?.proof == .token
            {
                return max(Self.commandPause, reconnection.delay())
            }
            switch problem.exit {
            case .unavailable, .temporary: return reconnection.delay()
            // A disk that is full or was removed: it worked before.
            case .inputOutput, .cannotCreate: return rounds > 0 ? reconnection.delay() : nil
            case .done, .someFailed, .changes, .stalePlan, .usage, .badData, .notFound, .bug, .loginRefused,
                .configuration, .interrupted:
                return nil
            }
        }

        /// The program may ask the user for something.
        private static let commandPause = Duration.seconds(60)
        private static let strangerPause = Duration.seconds(8)
        private static let mostStrangers = 75
    }

    /// Waits before the next attempt. A change of the network or a request of the user ends the wait; due
    /// steps cannot be executed now anyway.
    private func pause(
        _ delay: Duration, _ account: Account, _ course: inout Course, _ bell: Doorbell
    ) async throws {
        let end = ContinuousClock.now + delay
        while try await bell.waiting({ try await Task.sleep(until: end, clock: .continuous) }) == nil {
            guard let reason = bell.take(), reason > .clock else { continue }
            await answer(reason, account)
            return course.succeed()
        }
    }

    // MARK: One round

    /// Callers that requested a sync before the round began get its report.
    private func runRound(
        _ account: Account, _ course: inout Course, _ bell: Doorbell, _ board: WatchBoard
    ) async throws -> WatchRound.Report {
        let visitors = bell.visitors()
        board.beginRound(account.id)
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

    /// Connects before the lock is acquired, so that other commands need not wait for a server that does not
    /// answer. If the network changes, the attempt over the old one is cancelled.
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
        // While a brake holds a plan, later mail is not judged alone: that would bypass the brake.
        let isFull = course.isFull || course.held != nil
        course.shape = await shape(of: account)
        let result = try await lock.waiting {
            guard store.isInPlace else { throw Problem.storeGone(workspace) }
            board.enter(.mailboxes, account.id)
            // The round is full then: others do not look at task files if the account has no news.
            let isLeftOut = board.takeLeftOut(account.id)
            return try await round.run(
                account.id, isFull: isFull || isLeftOut, withoutPlace: course.withoutPlace,
                notices: &course.notices
            ) { phase in board.enter(phase, account.id) }
        }
        course.isFull = false
        return result
    }

    private func tell(
        _ result: WatchRound.Report, _ course: inout Course, _ board: WatchBoard, _ taskNews: TaskNews,
        _ report: @Sendable (WatchEvent) -> Void
    ) {
        let held = result.looked ? result.held : course.held
        var newlyKept: [String] = []
        if let kept = result.kept {
            course.withoutPlace = result.rulesWithoutPlace
            newlyKept = course.kept.take(
                kept, isWhole: result.isWhole, withoutPlace: result.rulesWithoutPlace)
        }
        let reasons = course.kept.reasons.map(\.reason)
        board.enter(.indexing, result.synced.account) { [clock] in
            $0.lastSync = clock.now
            $0.take(nil, again: nil)
            ($0.heldPlan, $0.heldBecause) = (held?.plan, held?.reason)
            $0.waiting = result.waiting
            $0.kept = reasons.isEmpty ? nil : reasons
        }
        board.noteRules(rules.problem)
        report(.synced(result.synced))
        if course.said.insert(result.ordered) { report(.ordered(result.ordered)) }
        if let problem = result.brokenRules { report(.brokenRules(problem)) }
        if result.hasNewRules { report(.newRules) }
        if !result.news.isEmpty { report(.notices(result.news)) }
        if let delivered = result.delivered { report(.delivered(delivered, returned: result.returned)) }
        if let followed = result.followed { taskNews.report(followed) }
        for run in result.decided where !run.didNothing { report(.applied(run)) }
        if let held, course.held == nil { report(.held(held)) }
        if !newlyKept.isEmpty { report(.kept(newlyKept)) }
        course.held = held
    }

    /// Waits for a change, for due work, or until the watch is woken.
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
            // The other connections go to the same server, so they are dead as well.
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

    /// After a suspension, the connections count as dead: detecting it takes longer than a new login.
    private func answer(_ reason: Doorbell.Reason?, _ account: Account) async {
        if reason == .resumed { await connections.pools.forget(account.id) }
    }

    // MARK: Waits

    /// The time until the next work: a check of other mailboxes, a due step of the journal, due deferred mail,
    /// or a rule with a timer.
    private func nextTurn(_ account: AccountID) throws -> Duration {
        guard let due = try round.nextDue(account) else { return Self.longestWait }
        return min(Self.longestWait, .seconds(max(1, due - clock.now)))
    }

    /// Returns the state of the inbox at the last check. The next sync covers it: a difference that the sync
    /// does not resolve is not reported again at once, but later ones are.
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

    /// Waits until the folders of a Maildir differ from their state before its last sync, which may have
    /// missed changes right before it.
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
            // Once per session: each time takes a round trip, and reports the numbers of all mailboxes.
            if await !client.reportsOtherMailboxes { _ = try await client.changes.notify() }
            return "NOTIFY"
        }
        return await client.profile.usesIdle && offered.contains(.idle) ? "IDLE" : "polling"
    }

    /// The state after the last sync: a difference from it is newer mail.
    ///
    /// A sync that left something out proves nothing, so the state before it counts (`seen`): mail that arrived between that
    /// sync and this wait differs from it. The first such wait ends at once, to see a state.
    private func known(
        _ inbox: MailboxName, of account: Account, after synced: SyncReport, _ seen: KnownNumbers?
    ) throws -> KnownNumbers {
        guard synced.problems.isEmpty || seen != nil,
            let state = try store.sync.syncState(of: account.id, mailbox: inbox), state.syncedAt != nil
        else { return seen ?? .nothing }
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
    static func storeGone(_ workspace: Workspace) -> Problem {
        Problem(
            "store-gone", exit: .inputOutput,
            message: "the store was deleted or replaced; opus opens it again",
            place: workspace.storeFolder)
    }

    /// Errors of a captive portal in front of a working server, or of a wrong server: the answer is not from
    /// the intended server.
    var isOfAStranger: Bool { ["untrusted-certificate", "login-impossible"].contains(code) }
}
