import Accounts
import MailStore
public import Models
import Planner
public import Rules

/// Triage: the rules make a plan for the inbox; applying it queues its steps in the journal and executes
/// them.
public struct Triage: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let planner: TriagePlanner
    let protections: ProtectionCheck
    let sendHistory: SendHistory
    let tasks: Tasks
    let syncing: AccountSyncing
    let runner: JournalRunner
    let delegating: Delegating
    let answers: AutoAnswering
    let quiet: QuietInbox
    let clock: SessionClock

    /// A plan for the account's inbox, if no other plan of the command sends mail.
    public func plan(for id: AccountID, rules library: RuleLibrary, limit: Int? = nil) throws -> Plan {
        var allowance = try sendHistory.allowance()
        return try plan(for: id, rules: library, limit: limit, sending: &allowance)
    }

    /// A plan for the account's inbox and the other mailboxes that rules name. Changes nothing.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - library: The rules.
    ///   - query: Only matching messages.
    ///   - limit: The maximum number of messages to change; the newest are first.
    ///   - allowance: How much mail all accounts of the command together may still send.
    ///   - isAgain: Judge messages again on which rules already acted, and those that were undone.
    ///   - threads: Only inbox messages in these threads; nil: all mail of the rules' mailboxes.
    ///   - rule: Only the decisions of this rule.
    ///   - validity: Ended when the rules may decide differently; at once if they have something to do.
    /// - Returns: The plan to show and execute.
    /// - Throws: If the store cannot be read.
    public func plan(
        for id: AccountID, rules library: RuleLibrary, matching query: Query? = nil, limit: Int?,
        sending allowance: inout SendAllowance, isAgain: Bool = false, threads: [ThreadID]? = nil,
        only rule: String? = nil, validity: Validity? = nil
    ) throws -> Plan {
        try planner.plan(
            for: id, rules: library, matching: query, limit: limit, sending: &allowance, isAgain: isAgain,
            threads: threads, only: rule, validity: validity)
    }

    /// A plan for old mail that matches the query: see ``TriagePlanner``.
    public func plan(
        forHistory query: Query, account id: AccountID, rules library: RuleLibrary, limit: Int?,
        sending allowance: inout SendAllowance, isAgain: Bool = false, only rule: String? = nil
    ) throws -> Plan {
        try planner.plan(
            forHistory: query, account: id, rules: library, limit: limit, sending: &allowance,
            isAgain: isAgain,
            only: rule)
    }

    /// Queues the steps of the plan in one transaction and executes them. `isAgain`: also steps that are
    /// already in the journal.
    ///
    /// `rules`: the rules that made the plan; nil: those of the workspace, if they have not changed since.
    /// `finishesByItself`: after an interruption, the next run continues without a question, because the user
    /// was not asked before.
    public func apply(
        _ plan: Plan, command: String, isAgain: Bool = false, rules: RuleLibrary? = nil,
        finishesByItself: Bool = false
    ) async throws -> RunReport {
        let account = try accounts.require(plan.account)
        let library = rules ?? RuleLibrary.current(workspace, for: plan)
        var context = try accounts.stepContext(account)
        context.names = try PlanNames(store: store).names(in: plan)
        if isAgain { context.again = try "again " + CommandToken.next(in: store) }
        let letters = try await delegating.letters(for: plan, account: account, names: context.names)
        var plan = plan
        let unread = letters.leaveOutUnread(of: &plan)
        let work = try Planning.work(
            for: plan, context: context, compose: letters.compose,
            answer: { try answers.answer($0, $1, account) },
            write: letters.write, original: { letters.originals[$0.message] })
        var report = try await runner.carryOut(
            work, account: account, command: command, origin: plan.origin,
            ruleDigests: library.map { RuleDigests.of($0).mapValues(\.kept) } ?? [:],
            shadowed: plan.items.shadowedCounts, hits: library.map { plan.hits($0.rules) } ?? [],
            asksWhenInterrupted: !finishesByItself, checksLists: try movesReturned(work, of: account.id))
        report.notices += try notices(of: plan) + notices(ofUnread: unread)
        report.unread = unread
        return report
    }

    /// Whether the work moves mail that came back: the list of deferred messages says that it is in the inbox.
    private func movesReturned(_ work: QueuedWork, of account: AccountID) throws -> Bool {
        let moved = Set(
            work.steps.compactMap { step in
                if case .move = step.kind { step.message } else { nil }
            })
        guard !moved.isEmpty else { return false }
        return try store.deferrals.byRules(account: account).contains {
            moved.contains($0.message) && $0.rules.contains(RememberedMatch.isBack)
        }
    }

    /// A line for each of these messages, with the subject that its sender chose.
    func notices(ofUnread messages: [UnreadMessage]) throws -> [String] {
        let ids = try lookup.shortIDs(messages.map(\.message))
        return messages.map { unread in
            let id = ids[unread.message] ?? unread.message.rawValue
            return "\(unread.reason), so nothing was done with it; opus tries again later: "
                + "\(unread.subject)  (opus show \(id))"
        }
    }

    /// The lines of `notify` and `unsubscribe` in rules. They contain unescaped text of senders.
    private func notices(of plan: Plan) throws -> [String] {
        let noticed = plan.items.filter { item in item.decisions.contains { $0.action.isNotice } }
        let ids = try lookup.shortIDs(noticed.map(\.message))
        return noticed.flatMap { item in
            let id = ids[item.message] ?? item.message.rawValue
            return item.decisions.compactMap { decision -> String? in
                guard case .tell(let tell) = decision.action else { return nil }
                return switch tell {
                case .notify(let text): "\(text)  (opus show \(id))"
                case .unsubscribe: "leave this list? \(item.subject)  (opus unsubscribe \(id))"
                }
            }
        }
    }

    /// The plan of an inbox in which the rules have nothing to do.
    func emptyPlan(for id: AccountID, _ library: RuleLibrary) -> Plan {
        Plan(
            account: id, now: clock.now, timeZone: workspace.timeZone,
            origin: .rules(digest: library.digest))
    }

    /// Remembers which rules answer from now on: they answer no mail of earlier days.
    func noteAnswerStarts(of account: AccountID, _ library: RuleLibrary) throws {
        let now = clock.now
        let rules = library.rules.answeringRules(of: account, at: now, timeZone: workspace.timeZone)
        try store.rules.noteAnswerStarts(rules, of: account, at: now)
    }

    /// Remembers that the rules with timers have run. A plan that may have been cut by its limit does not
    /// count: these rules run again next time.
    public func noteTimers(after plan: Plan, _ library: RuleLibrary, limit: Int?) throws {
        // The plan was shown, so its notice about moves need not be repeated.
        if try store.accounts.moveAbility(of: plan.account) == .no {
            try store.accounts.noteToldOfMoves(plan.account)
        }
        if let limit, plan.decided.count(where: { !plan.items[$0].isUntouched }) >= limit { return }
        try store.rules.noteTimers(library.rules.timedRules, of: plan.account, at: plan.now)
    }

    /// Notes what a plan without changes decided: it counts the matches of rules that only keep or notify, and remembers
    /// the rules whose task the conversation already had, so that they make no task when that one is done, and those whose
    /// mail is already written.
    public func noteMatches(of plan: Plan, _ library: RuleLibrary) throws {
        try store.rules.noteHits(plan.hits(library.rules), account: plan.account, at: clock.now)
        try store.rules.remember(RememberedMatch.refused(of: plan.items), account: plan.account)
    }
}

extension [Plan.Item] {
    /// For each rule, the number of messages that it matched too late.
    fileprivate var shadowedCounts: [String: Int] {
        var counts: [String: Int] = [:]
        for item in self {
            for rule in Set(item.shadowed.map(\.rule)) { counts[rule, default: 0] += 1 }
        }
        return counts
    }
}

extension Plan {
    /// Matches of rules that leave no step, because they only keep or notify.
    func hits(_ rules: RuleSet) -> [RuleHit] {
        var acts: [String: Bool] = [:]
        var hits: [RuleHit] = []
        for item in decided.lazy.map({ items[$0] }) {
            for rule in Set(item.decisions.map(\.rule)).sorted() {
                let doesAct = acts[rule] ?? rules.acts(rule)
                acts[rule] = doesAct
                if !doesAct { hits.append(RuleHit(rule: rule, message: item.message)) }
            }
        }
        return hits
    }
}

extension Action {
    fileprivate var isNotice: Bool { name.family == .tell }
}
