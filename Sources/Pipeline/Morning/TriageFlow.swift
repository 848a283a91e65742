public import Models
public import Rules

/// The events of applying plans, in order.
public enum TriageEvent: Sendable {
    /// A plan, before ``Question/apply(_:)`` or ``Question/confirm(_:held:)``.
    case planned(Plan, RuleSet)
    /// The number of messages that the user did not decide about; they do not change.
    case leftUndecided(Int, of: AccountID)
    /// The user declined the account's plan.
    case declined(AccountID)
    /// Messages that changed while the user read the plan.
    case skipped([SavedPlanOutcome.Skipped])
    /// The result of the plan.
    case applied(RunReport, of: Plan)
}

/// Triage from the plan to the report: makes a plan for each account, checks the brakes, asks the user,
/// checks the messages again, and applies the plan.
public struct TriageFlow {
    public struct Options: Sendable {
        /// Only this account.
        public var account: String?
        /// Triage only the inbox messages that match.
        public var query: Query?
        /// Apply rules to matching old mail in all mailboxes, instead of the inbox.
        public var history: Query?
        /// Apply only the decisions of this rule.
        public var rule: String?
        public var limit = TriageLimit.usual
        /// Judge messages again on which rules have already acted.
        public var isAgain = false
        /// Ids of plans that the user has confirmed, as typed.
        public var confirmed: [String] = []
        /// Ask only about plans that a brake holds.
        public var appliesAll = false
        /// Ask about each message of a plan.
        public var isOneByOne = false
        /// The command to repeat when a brake holds a plan.
        public var command = "opus triage --yes"
        /// The command in the journal.
        public var name = "triage"

        public init() {}
    }

    private let session: Session
    private let library: RuleLibrary
    private let options: Options
    private let ask: any Ask
    private let tell: @Sendable (TriageEvent) throws -> Void
    /// Read once: after the first applied plan, the usual limit changes.
    let limit: Int?

    public init(
        _ session: Session, _ library: RuleLibrary, _ options: Options, ask: any Ask,
        tell: @escaping @Sendable (TriageEvent) throws -> Void
    ) throws {
        self.session = session
        self.library = library
        self.options = options
        self.ask = ask
        self.tell = tell
        limit = try options.limit.number(session)
        if let rule = options.rule { try library.require(rule) }
    }

    /// One plan per account. The limit on mail sent by rules applies to all of them together.
    public func plans() throws -> [Plan] {
        var allowance = try session.rules.sendAllowance()
        return try session.accounts.ids(named: options.account).map { account in
            try session.renamed.refuse(account)
            return try plan(for: account, sending: &allowance)
        }
    }

    func plan(
        for account: AccountID, sending allowance: inout SendAllowance, validity: Validity? = nil
    ) throws -> Plan {
        guard let history = options.history else {
            return try session.triage.plan(
                for: account, rules: library, matching: options.query, limit: limit, sending: &allowance,
                isAgain: options.isAgain, only: options.rule, validity: validity)
        }
        return try session.triage.plan(
            forHistory: history, account: account, rules: library,
            limit: options.limit == .usual ? nil : limit, sending: &allowance, isAgain: options.isAgain,
            only: options.rule)
    }

    /// Applies the plans that the user accepts, as one run.
    ///
    /// - Throws: ``Problem`` if an id belongs to none of the plans, or if a brake holds a plan without
    ///   confirmation. If the user cannot be asked, it throws before any plan is applied.
    public func apply(_ plans: [Plan]) async throws -> [RunReport] {
        session.whole.begin()
        defer { session.whole.end() }
        try session.brakes.requireKnown(options.confirmed, among: plans, command: options.command)
        let brakes = try plans.map { try brake(on: $0) }
        if !ask.isAttended, let held = brakes.lazy.compactMap(\.self).first { throw held }
        var reports: [RunReport] = []
        for (plan, held) in zip(plans, brakes) {
            reports += try await apply(plan, held: held)
        }
        return reports
    }

    /// Why a brake holds the plan; nil: no brake holds it, or it would change nothing.
    func brake(on plan: Plan) throws -> Problem? {
        guard PlanTotals(plan).hasChanges else { return nil }
        return try session.brakes.problem(with: plan, said: options.confirmed, command: options.command)
    }

    /// Empty if the user declines the plan.
    func apply(_ plan: Plan, held: Problem?) async throws -> [RunReport] {
        try session.triage.noteAnswerStarts(of: plan.account, library)
        if options.isOneByOne, PlanTotals(plan).hasChanges { return try await applyChosen(plan) }
        try tell(.planned(plan, library.rules))
        guard let agreed = try await agreed(to: plan, held: held) else {
            try tell(.declined(plan.account))
            return []
        }
        let report = try await session.triage.apply(agreed, command: options.name, isAgain: options.isAgain)
        try noteTimers(after: plan)
        try tell(.applied(report, of: plan))
        return [report]
    }

    /// Applies the items that the user chooses; the other messages do not change. Rules with timers count as
    /// having run only if the user decided about every item.
    private func applyChosen(_ plan: Plan) async throws -> [RunReport] {
        try tell(.planned(plan, library.rules))
        guard let choice = try ask.choice(of: plan) else {
            try tell(.declined(plan.account))
            return []
        }
        var reports: [RunReport] = []
        if PlanTotals(choice.plan).hasChanges {
            if let held = try brake(on: choice.plan) {
                guard try ask.answer(.confirm(choice.plan, held: held)) == .yes else { throw held }
            }
            let (checked, skipped) = try await session.triage.rechecked(
                choice.plan, isHistory: options.history != nil, isAgain: options.isAgain)
            try tell(.skipped(skipped))
            let report = try await session.triage.apply(
                checked, command: options.name, isAgain: options.isAgain)
            try tell(.applied(report, of: choice.plan))
            reports.append(report)
        }
        for own in choice.byHand {
            for (report, made) in try await PlanActing(session).carryOut(own, besides: choice.shown) {
                try tell(.applied(report, of: made ?? plan))
                reports.append(report)
            }
        }
        if choice.isWhole {
            try noteTimers(after: plan)
        } else {
            try tell(.leftUndecided(choice.left, of: plan.account))
        }
        return reports
    }

    /// Only a triage of the whole inbox counts for rules with timers.
    func noteTimers(after plan: Plan) throws {
        guard options.query == nil, options.history == nil, options.rule == nil else { return }
        try session.triage.noteTimers(after: plan, library, limit: limit)
    }

    /// The plan without messages that have changed since it was made; nil: the user declined it.
    private func agreed(to plan: Plan, held: Problem?) async throws -> Plan? {
        guard PlanTotals(plan).hasChanges, held != nil || !options.appliesAll else { return plan }
        if let held {
            guard try ask.answer(.confirm(plan, held: held)) == .yes else { throw held }
        } else {
            guard try ask.answer(.apply(plan)) == .yes else { return nil }
        }
        let (checked, skipped) = try await session.triage.rechecked(
            plan, isHistory: options.history != nil, isAgain: options.isAgain)
        try tell(.skipped(skipped))
        return checked
    }
}
