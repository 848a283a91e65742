import Accounts
import Models
public import Rules

/// The whole morning: sync, interrupted runs, orders, the screener, task files in both directions, triage by
/// the rules, and bundles.
///
/// It reports its progress as ``MorningEvent``s, in order, and asks the user through ``Ask``. The failure of
/// one account is reported and does not stop the others.
public struct Morning {
    /// Options that the user gave on the command line.
    public struct Options: Sendable {
        /// Only this account.
        public var account: String?
        /// Apply plans and finish interrupted runs without asking.
        public var appliesAll = false
        /// Ask about each message of a plan.
        public var isOneByOne = false
        /// Sync and show the planned changes, without applying them.
        public var isDryRun = false
        /// Triage only the inbox messages that match.
        public var query: Query?
        /// The query as typed.
        public var queryText = ""
        /// Apply only the decisions of this rule.
        public var rule: String?
        public var limit = TriageLimit.usual
        /// Proceed even if most task files are missing.
        public var allowsMassDelete = false
        /// Move the mail of finished tasks to the trash.
        public var allowsTrash = false
        /// Move the mail of many changed tasks at once.
        public var allowsMassMove = false

        public init() {}
    }

    private let session: Session
    private let library: RuleLibrary
    /// Why the rules cannot be applied; nil: they can.
    private let brokenRules: (any Error)?
    private let options: Options
    private let ask: any Ask
    private let tell: @Sendable (MorningEvent) throws -> Void
    private var report = MorningReport()

    /// If the rules have errors or a test fails, the morning does everything but triage.
    ///
    /// - Throws: ``Problem`` if the rules folder is missing; ``DiagnosticFailure`` or ``FailingRuleTests`` if the rules are
    ///   broken and the user wants the decisions of one rule, or about the mail of a query.
    public init(
        _ session: Session, _ options: Options, ask: any Ask,
        tell: @escaping @Sendable (MorningEvent) throws -> Void
    ) throws {
        self.session = session
        self.options = options
        self.ask = ask
        self.tell = tell
        do {
            library = try session.rules.library()
            brokenRules = nil
        } catch {
            let isPart = options.rule != nil || options.query != nil
            guard error is DiagnosticFailure || error is FailingRuleTests, !isPart else { throw error }
            library = RuleLibrary.load(session.workspace).withoutRules
            brokenRules = error
        }
        if let rule = options.rule { try library.require(rule) }
    }

    /// All changes are one run, which can be undone as a whole.
    public mutating func run() async throws -> MorningReport {
        session.whole.begin(as: .run)
        defer { session.whole.end() }
        if library.rules.fileCount == 0, brokenRules == nil {
            try tell(.noRules(library.emptiness(of: session.workspace)))
        }
        if !options.isDryRun { try session.journal.endPausesAfterLosses() }
        var reached: [AccountID] = []
        let tell = tell
        try await session.sync.accounts(
            session.accounts.ids(named: options.account), progress: { try? tell(.syncing($0)) }
        ) { account, result in
            if try note(result), try isKnown(account) { reached.append(account) }
        }
        for account in reached { _ = try await attempt { try await $0.carryOutOrders(account, .undo) } }
        for account in reached { _ = try await attempt { try await $0.finishInterrupted(account) } }
        if !options.isDryRun {
            for account in reached { _ = try await attempt { try await $0.uploadDrafts(account) } }
            // The waits of mail that was sent since: rules for Sent make no second one.
            for account in reached { _ = try await attempt { try await $0.finishSending(account) } }
        }
        for account in reached { _ = try await attempt { try await $0.carryOutOrders(account, .others) } }
        for account in reached { _ = try await attempt { try await $0.screen(account) } }
        if !reached.isEmpty { try await follow(reached) }
        if let brokenRules {
            report.hasBrokenRules = true
            try tell(.brokenRules(brokenRules))
        }
        report.isTriaged = !reached.isEmpty && brokenRules == nil
        for account in reached where brokenRules == nil {
            let isDone = try await attempt { try await $0.triage(account) }
            report.isTriaged = report.isTriaged && isDone
            if isDone { _ = try await attempt { try await $0.scheduleBundles(account) } }
        }
        if !options.isDryRun {
            for account in reached {
                _ = try await attempt { try await $0.finishSending(account) }
            }
        }
        return report
    }

    /// Whether one account's part succeeded.
    private mutating func attempt(_ part: (inout Morning) async throws -> Void) async throws -> Bool {
        do {
            try await part(&self)
            return true
        } catch {
            try fail(error)
            return false
        }
    }

    private mutating func fail(_ error: any Error) throws {
        if Task.isCancelled { throw error }
        let problem = Problem(error)
        try tell(.failed(problem))
        report.failure = report.failure ?? problem
    }

    /// Whether the account was synced.
    private mutating func note(_ result: Result<SyncReport, any Error>) throws -> Bool {
        switch result {
        case .success(let synced):
            report.syncs.append(synced)
            WatchStatus.noteLogin(synced.account, session.workspace.storeFolder)
            try tell(.synced(synced))
            return true
        case .failure(let error):
            try fail(error)
            return false
        }
    }

    /// Whether the account has the name that it always had.
    private mutating func isKnown(_ account: AccountID) throws -> Bool {
        do {
            try session.renamed.refuse(account)
            return true
        } catch {
            try fail(error)
            return false
        }
    }

    /// Shows an interrupted run to the user before finishing it.
    private mutating func finishInterrupted(_ account: AccountID) async throws {
        let runs = try session.journal.interrupted(of: account)
        guard !runs.isEmpty else { return }
        try tell(.interrupted(runs))
        guard !options.isDryRun, try options.appliesAll || ask.answer(.finish(runs)) == .yes else {
            return try tell(.leftInterrupted(runs))
        }
        let finished = try await session.journal.finish(runs, of: account)
        report.runs.append(finished)
        try tell(.finished(finished))
    }

    private mutating func uploadDrafts(_ account: AccountID) async throws {
        guard let uploaded = try await session.draftsMailbox.pushRest(of: account) else { return }
        report.runs.append(uploaded)
        try tell(.finished(uploaded))
    }

    /// Executes orders: messages that another program moved to the command mailboxes.
    private mutating func carryOutOrders(_ account: AccountID, _ part: Orders.Part) async throws {
        let ordered = try await session.orders.carryOut(account, part, isDryRun: options.isDryRun)
        guard !ordered.isQuiet else { return }
        report.orders.append(ordered)
        report.runs += ordered.runs
        try tell(.ordered(ordered))
    }

    private mutating func finishSending(_ account: AccountID) async throws {
        guard let begun = try await session.sending.finish(account) else { return }
        report.runs.append(begun)
        try tell(.finished(begun))
    }

    private mutating func scheduleBundles(_ account: AccountID) async throws {
        guard !options.isDryRun else {
            guard let plan = report.plans.last(where: { $0.account == account }) else { return }
            let held = Set(report.screened.flatMap { $0.mails.map(\.mail.id) })
            let waiting = try session.bundling.preview(after: plan, besides: held)
            report.bundled += waiting
            return try waiting.forEach { try tell(.wouldBundle($0)) }
        }
        guard let waiting = try await session.bundling.schedule(account) else { return }
        report.runs.append(waiting)
        try tell(.bundled(waiting))
    }

    private mutating func screen(_ account: AccountID) async throws {
        guard !options.isDryRun else {
            guard let preview = try session.screener.preview(account) else { return }
            report.screened.append(preview)
            return try tell(.wouldScreen(preview))
        }
        guard let held = try await session.screener.hold(account) else { return }
        report.runs.append(held.report)
        if !held.mails.isEmpty {
            report.screened.append(ScreenerPreview(account: account, mails: held.mails))
        }
        try tell(.screened(held))
    }

    private mutating func follow(_ accounts: [AccountID]) async throws {
        let (options, ask) = (options, ask)
        let rules = AppliedRules(library, only: options.rule.map { [$0] })
        if options.isDryRun {
            let preview = try session.follow.preview(
                for: accounts, allowMassDelete: options.allowsMassDelete, before: rules)
            report.follow = preview
            return try tell(.followed(preview))
        }
        let followed = try await session.follow.taskEdits(
            for: accounts, allowMassDelete: options.allowsMassDelete, before: rules
        ) {
            try options.agrees(to: $0) ? .yes : ask.answer(.follow($0))
        }
        report.follow = followed
        report.runs += followed.runs
        try tell(.followed(followed))
    }

    private mutating func noteAnswers(after run: RunReport) async throws {
        guard let answers = try await session.follow.answers(after: run), !answers.isQuiet else { return }
        report.follow?.add(answers)
        report.runs += answers.runs
        try tell(.followed(answers))
    }

    private mutating func triage(_ account: AccountID) async throws {
        var wanted = TriageFlow.Options()
        wanted.limit = options.limit
        wanted.appliesAll = options.appliesAll
        let limit = try options.limit.number(session)
        (wanted.query, wanted.rule) = (options.query, options.rule)
        wanted.command = "opus triage --yes --max " + (limit.map(String.init) ?? "none")
        if let rule = options.rule { wanted.command += " --rule \(rule)" }
        if !options.queryText.isEmpty { wanted.command += " '\(options.queryText)'" }
        wanted.name = "run"
        wanted.isOneByOne = options.isOneByOne
        let tell = tell
        let quiet = session.triage.quiet
        if !options.isDryRun { try session.triage.noteAnswerStarts(of: account, library) }
        // Of part of the plan, nothing is known about the rest.
        let isWhole = !options.isDryRun && options.query == nil && options.rule == nil
        if isWhole, try quiet.isQuiet(account, library) {
            return try tell(.nothingPlanned(session.triage.emptyPlan(for: account, library)))
        }
        let judgement = isWhole ? try quiet.begin(account) : nil
        let bundling = session.bundling
        let flow = try TriageFlow(session, library, wanted, ask: ask) { event in
            try tell(.triage(event))
            guard case .planned(let plan, _) = event else { return }
            try bundling.preview(after: plan, besides: []).forEach { try tell(.wouldBundle($0)) }
        }
        var allowance = try session.rules.sendAllowance()
        var plan = try flow.plan(for: account, sending: &allowance, validity: judgement?.validity)
        // Messages that the screener would hold are not in the inbox when rules are applied.
        let held = Set(report.screened.flatMap { $0.mails.map(\.mail.id) })
        plan.items.removeAll { held.contains($0.message) }
        report.kept += KeptMails.lines(KeptMail.all(of: plan))
        let totals = PlanTotals(plan)
        if options.isDryRun {
            report.plans.append(plan)
            return try tell(.previewed(plan, library.rules))
        }
        // Steps that are already done are remembered as actions of the rules.
        guard totals.hasChanges || totals.alreadyDone > 0 else {
            try flow.noteTimers(after: plan)
            try session.triage.noteMatches(of: plan, library)
            if let judgement { try quiet.end(judgement, with: plan, library) }
            return try tell(.nothingPlanned(plan))
        }
        let applied = try await flow.apply(plan, held: try flow.brake(on: plan))
        report.runs += applied
        for run in applied { try await noteAnswers(after: run) }
    }
}

extension Morning.Options {
    /// Whether the command already allowed this.
    func agrees(to question: FollowQuestion) -> Bool {
        switch question.kind {
        case .trash: allowsTrash
        case .many: allowsMassMove
        case .link: false
        }
    }
}
