import Accounts
import MailStore
import Models
import Planner
import Rules

/// One round of a watch for one account: bring mail in, and do what is due by itself. What it does is one run.
///
/// The order is that of `opus run`; a round asks nothing, and what a person has to decide waits.
struct WatchRound: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store
    let loader: FactLoader
    let surroundings: Surroundings
    let syncing: AccountSyncing
    let orders: Orders
    let screener: Screener
    let follow: Following
    let auto: AutoTriage
    let bundling: Bundling
    let runner: JournalRunner
    let sending: Sending
    let rules: RuleKeeper
    let whole: WholeRun
    let clock: SessionClock

    /// What came of it.
    struct Report: Sendable {
        var synced: SyncReport
        var ordered: OrderReport
        /// Work of earlier commands whose time had come.
        var delivered: RunReport?
        var screened: RunReport?
        /// nil: nothing could have changed for task files.
        var followed: TaskWatchEvent?
        var news: [String] = []
        var triaged: RunReport?
        var held: HeldPlan?
        var bundled: RunReport?
        /// The rules on disk are broken: said once.
        var brokenRules: Problem?
        var hasNewRules = false
        /// Whether the rules judged the inbox.
        var looked = false

        /// What it did without being told to.
        var decided: [RunReport] { [screened, triaged, bundled].compactMap(\.self) }
        /// The runs of the round.
        var runs: [RunReport] { [delivered, screened, triaged, bundled].compactMap(\.self) + ordered.runs }
    }

    /// Runs while this process holds the lock.
    ///
    /// - Parameters:
    ///   - id: the account.
    ///   - isFull: also what new mail cannot have caused, such as timers of rules and dates of tasks.
    ///   - notices: finds what rules say about mail that is new.
    ///   - tell: how far it is.
    /// - Returns: What came of it.
    /// - Throws: ``Problem`` when the account cannot be reached, or the store fails.
    func run(
        _ id: AccountID, isFull: Bool, notices: inout WatchNotices,
        tell: @escaping @Sendable (WatchPhase) -> Void
    ) async throws -> Report {
        whole.begin()
        defer { whole.end() }
        let synced = try await syncing.account(id) { progress in
            tell(progress.stage == .headers ? .headers : .bodies)
        }
        tell(.indexing)
        var report = Report(synced: synced, ordered: try await orders.carryOut(id))
        report.delivered = try await deliverDue(id)
        report.screened = try await screener.hold(id)
        let new = try notices.arrivals()
        let isQuiet = synced.isQuiet && new.isEmpty && report.runs.allSatisfy(\.didNothing)
        // At rest, not even the rules are read.
        guard isFull || !isQuiet else { return report }
        let look = rules.look(at: clock.now)
        (report.brokenRules, report.hasNewRules) = (look.news, look.isChanged)
        report.news = try notices.news(of: new, look.library)
        report.looked = true
        report.followed = try await followed(id)
        if let library = look.library {
            let outcome = try await auto.apply(
                id, library, in: isFull || look.isChanged ? nil : try threads(of: new, account: id))
            (report.triaged, report.held) = (outcome.report, outcome.held)
        }
        report.bundled = try await bundling.schedule(id)
        try await sending.finish(id)
        return report
    }

    /// A large inbox is judged as a whole only now and then: in between, the conversations of new mail. nil: all of it.
    private func threads(of new: [EmailID], account: AccountID) throws -> [ThreadID]? {
        guard let inbox = try store.sync.mailboxes(of: account).first(where: { $0.role == .inbox }),
            try store.sync.extent(of: account, mailbox: inbox.name).count > Self.mostAtOnce
        else { return nil }
        return Array(Set(try loader.facts(.ids(new), needs: []).map(\.thread)))
    }

    private static let mostAtOnce = 2_000

    /// Carries out the steps of the journal that are due; nil: none was due.
    private func deliverDue(_ account: AccountID) async throws -> RunReport? {
        guard try store.journal.hasDueSteps(of: account, at: clock.now) else { return nil }
        let report = try await runner.deliver(account)
        try await sending.finish(account)
        return report.didNothing ? nil : report
    }

    /// Task files, answers to waits, and deferred mail whose time has come. A folder that looks wrong stops nothing else.
    private func followed(_ id: AccountID) async throws -> TaskWatchEvent? {
        do {
            let report = try await follow.taskEdits(for: [id], allowMassDelete: false)
            return .followed(report)
        } catch let problem as Problem where problem.code == "tasks" {
            return .stopped(problem)
        }
    }

    /// When something is due without new mail: a step of the journal, deferred mail, a rule with a time of its own.
    ///
    /// nil: nothing is.
    func nextDue(_ id: AccountID) throws -> Timestamp? {
        let now = clock.now
        let steps = try store.journal.openSteps(of: id).filter { !$0.isDue(at: now) }.compactMap(\.dueAt)
        let deferred = try store.deferrals.all(account: id).compactMap(\.until.time).filter { $0 > now }
        var times = steps + deferred
        if let library = rules.current {
            let chosen = auto.rules(of: library)
            let zone = accounts.workspace.timeZone
            times += library.rules.nextTimes(of: chosen, after: now, timeZone: zone)
        }
        return times.min()
    }
}
