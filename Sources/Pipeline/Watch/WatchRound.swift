import Accounts
import MailStore
import Models
import Planner
import Rules

/// One round of a watch for one account: fetches mail and executes what is due. All its changes are one run.
///
/// The order is that of `opus run`. A round asks no questions; decisions of the user wait.
struct WatchRound: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store
    let loader: FactLoader
    let surroundings: Surroundings
    let syncing: AccountSyncing
    let renamed: RenamedAccount
    var orders: Orders
    let screener: Screener
    var follow: Following
    let auto: AutoTriage
    let bundling: Bundling
    let runner: JournalRunner
    let sending: Sending
    let rules: RuleKeeper
    let whole: WholeRun
    let clock: SessionClock

    /// The results of a round.
    struct Report: Sendable {
        var synced: SyncReport
        var ordered: OrderReport
        /// Steps of earlier commands that were due.
        var delivered: RunReport?
        /// The deferred mail that came back with them.
        var returned: [ReturnedMail] = []
        var screened: RunReport?
        /// nil: task files cannot have changed.
        var followed: TaskWatchEvent?
        var news: [String] = []
        var triaged: RunReport?
        var held: HeldPlan?
        /// The mail that rules keep because an action cannot be made; nil: the rules judged nothing.
        var kept: [KeptMail]?
        /// Whether the rules judged the whole inbox.
        var isWhole = false
        /// The rules whose mailbox is missing.
        var rulesWithoutPlace: Set<String> = []
        var bundled: RunReport?
        /// The rules on disk have errors; reported once.
        var brokenRules: Problem?
        var hasNewRules = false
        /// Whether the rules judged the inbox.
        var looked = false
        /// The open steps of the journal after the round.
        var waiting: [StepWait: Int] = [:]

        /// The runs of automatic decisions.
        var decided: [RunReport] { [screened, triaged, bundled].compactMap(\.self) }
        /// The runs of the round.
        var runs: [RunReport] { [delivered, screened, triaged, bundled].compactMap(\.self) + ordered.runs }
    }

    /// Executes a round while this process holds the lock.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - isFull: Also does work that new mail does not cause, such as timers of rules and dates of tasks.
    ///   - withoutPlace: The rules whose mailbox was missing. If that has changed, the round is full.
    ///   - notices: Finds the notices of rules about new mail.
    ///   - tell: Receives the progress.
    /// - Returns: The results.
    /// - Throws: ``Problem`` if the account cannot be reached, or the store fails.
    func run(
        _ id: AccountID, isFull: Bool, withoutPlace: Set<String>, notices: inout WatchNotices,
        tell: @escaping @Sendable (WatchPhase) -> Void
    ) async throws -> Report {
        whole.begin(as: .watch)
        defer { whole.end() }
        let synced = try await syncing.account(id) { progress in
            tell(progress.stage == .headers ? .headers : .bodies)
        }
        try renamed.refuse(id)
        tell(.indexing)
        var report = Report(synced: synced, ordered: try await orders.carryOut(id))
        report.delivered = try await deliverDue(id)
        report.returned = try ReturnedMail.all(
            broughtBackBy: report.delivered?.drain.confirmed ?? [], store,
            labels: accounts.workspace.bundleLabels)
        // The waits of mail that was sent since: rules for Sent make no second one.
        try await sending.finish(id)
        report.screened = try await screener.hold(id)?.report
        let new = try notices.arrivals()
        let isQuiet = synced.isQuiet && new.isEmpty && report.runs.allSatisfy(\.didNothing)
        let isFull = try isFull || hasOtherPlaces(id, withoutPlace: withoutPlace)
        // If nothing has changed, not even the rules are read.
        guard isFull || !isQuiet else {
            report.waiting = try store.journal.waiting(of: id, at: clock.now)
            return report
        }
        let look = rules.look(at: clock.now)
        (report.brokenRules, report.hasNewRules) = (look.news, look.isChanged)
        report.news = try notices.news(of: new, look.library)
        report.looked = true
        report.followed = try await followed(id, before: look.library)
        if let library = look.library {
            let threads = isFull || look.isChanged ? nil : try threads(of: new, account: id)
            let outcome = try await auto.apply(id, library, in: threads)
            (report.triaged, report.held) = (outcome.report, outcome.held)
            if let triaged = outcome.report, let answers = try await follow.answers(after: triaged),
                case .followed(var followed)? = report.followed
            {
                followed.add(answers)
                report.followed = .followed(followed)
            }
            (report.kept, report.isWhole) = (outcome.kept, threads == nil)
            report.rulesWithoutPlace = library.rules.rulesWithoutPlace(
                among: try store.sync.mailboxes(of: id))
            // The same lines, of the rules that were applied now.
            let news = Set(report.news)
            report.triaged?.notices.removeAll(where: news.contains)
        }
        report.bundled = try await bundling.schedule(id)
        try await sending.finish(id)
        report.waiting = try store.journal.waiting(of: id, at: clock.now)
        return report
    }

    /// Whether a rule can move mail now that it could not move before.
    private func hasOtherPlaces(_ account: AccountID, withoutPlace: Set<String>) throws -> Bool {
        guard !withoutPlace.isEmpty, let library = rules.current else { return false }
        return try library.rules.rulesWithoutPlace(among: store.sync.mailboxes(of: account)) != withoutPlace
    }

    /// A large inbox is judged as a whole only from time to time; otherwise only the conversations of new
    /// mail are. nil: all of it.
    private func threads(of new: [EmailID], account: AccountID) throws -> [ThreadID]? {
        guard let inbox = try store.sync.mailboxes(of: account).first(where: { $0.role == .inbox }),
            try store.sync.extent(of: account, mailbox: inbox.name).count > Self.mostAtOnce
        else { return nil }
        return Array(Set(try loader.facts(.ids(new), needs: []).map(\.thread)))
    }

    private static let mostAtOnce = 2_000

    /// Executes the due steps of the journal; nil: none was due.
    private func deliverDue(_ account: AccountID) async throws -> RunReport? {
        guard try store.journal.hasDueSteps(of: account, at: clock.now) else { return nil }
        let report = try await runner.deliver(account)
        return report.didNothing ? nil : report
    }

    /// Processes task files, answers to waits, and deferred mail that is due. A suspicious folder does not
    /// stop anything else.
    private func followed(_ id: AccountID, before library: RuleLibrary?) async throws -> TaskWatchEvent? {
        do {
            let report = try await follow.taskEdits(
                for: [id], allowMassDelete: false,
                before: library.map { AppliedRules($0, only: auto.rules(of: $0)) })
            return .followed(report)
        } catch let problem as Problem where problem.code == "tasks" {
            return .stopped(problem)
        }
    }

    /// When work is due without new mail: a step of the journal, deferred mail, an answer that is late, the second step of
    /// another program, or a rule with a timer. nil: never.
    func nextDue(_ id: AccountID) throws -> Timestamp? {
        let now = clock.now
        let steps = try store.journal.openSteps(of: id).filter { !$0.isDue(at: now) }.compactMap(\.dueAt)
        let deferred = try store.deferrals.all(account: id).compactMap(\.until.time).filter { $0 > now }
        let graces = [follow.grace?.next(after: now), orders.grace?.next(after: now)]
        var times = steps + deferred + ([try nextLateAnswer()] + graces).compactMap(\.self)
        if let library = rules.current {
            let chosen = auto.rules(of: library)
            let zone = accounts.workspace.timeZone
            times += library.rules.nextTimes(of: chosen, after: now, timeZone: zone)
        }
        return times.min()
    }

    /// When the next answer that the user waits for is late; nil: never.
    func nextLateAnswer() throws -> Timestamp? {
        let (now, zone) = (clock.now, accounts.workspace.timeZone)
        return try store.todos.todoFiles().lazy.map(\.todo).filter(Waits.mayWait).compactMap {
            Wait.askAt($0, timeZone: zone)
        }.filter { $0 > now }.min()
    }
}
