import Accounts
import MailStore
public import Models
import Planner
public import Rules

/// Triage: the rules make a plan of the inbox; applying it puts its steps into the journal and carries them out.
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
    let clock: SessionClock

    /// A plan for the account's inbox, if nothing else is about to be sent.
    public func plan(for id: AccountID, rules library: RuleLibrary, limit: Int? = nil) throws -> Plan {
        var allowance = try sendHistory.allowance()
        return try plan(for: id, rules: library, limit: limit, sending: &allowance)
    }

    /// A plan for the account's inbox and the other mailboxes that rules name. Nothing is changed.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - library: The rules.
    ///   - query: Only messages that match.
    ///   - limit: The most messages that may be touched; the newest come first.
    ///   - allowance: What may still be sent, by all accounts of a command together.
    ///   - isAgain: Rules also judge what they acted on before, and what was undone.
    ///   - threads: Only messages of the inbox in these threads; nil: all mail that rules are for.
    ///   - rule: Only what this rule decides.
    /// - Returns: The plan as it is shown and carried out.
    /// - Throws: When the store cannot be read.
    public func plan(
        for id: AccountID, rules library: RuleLibrary, matching query: Query? = nil, limit: Int?,
        sending allowance: inout SendAllowance, isAgain: Bool = false, threads: [ThreadID]? = nil,
        only rule: String? = nil
    ) throws -> Plan {
        try planner.plan(
            for: id, rules: library, matching: query, limit: limit, sending: &allowance, isAgain: isAgain,
            threads: threads, only: rule)
    }

    /// A plan for old mail that the query finds: see ``TriagePlanner``.
    public func plan(
        forHistory query: Query, account id: AccountID, rules library: RuleLibrary, limit: Int?,
        isAgain: Bool = false, only rule: String? = nil
    ) throws -> Plan {
        try planner.plan(
            forHistory: query, account: id, rules: library, limit: limit, isAgain: isAgain, only: rule)
    }

    /// Queues the plan's steps in one transaction and carries them out. `isAgain`: also what the journal has from before.
    ///
    /// `rules` made the plan; nil: those of the workspace, if they have not changed since. `finishesByItself`: after an
    /// interruption the rest needs no answer, because the user was not asked before.
    public func apply(
        _ plan: Plan, command: String, isAgain: Bool = false, rules: RuleLibrary? = nil,
        finishesByItself: Bool = false
    ) async throws -> RunReport {
        let account = try accounts.require(plan.account)
        let library = rules ?? RuleLibrary.current(workspace, for: plan)
        var context = try accounts.stepContext(account)
        context.names = try ownNames(in: plan)
        if isAgain { context.again = try "again " + CommandToken.next(in: store) }
        let letters = try await delegating.letters(for: plan, account: account, names: context.names)
        let work = try Planning.work(
            for: plan, context: context, compose: letters.compose,
            answer: { try answers.answer($0, $1, account) },
            write: letters.write, original: { letters.originals[$0.message] })
        var report = try await runner.carryOut(
            work, account: account, command: command, origin: plan.origin,
            ruleDigests: library.map { RuleDigests.of($0).mapValues(\.kept) } ?? [:],
            shadowed: plan.shadowedCounts, hits: library.map { plan.hits($0.rules) } ?? [],
            asksWhenInterrupted: !finishesByItself)
        report.notices += try notices(of: plan)
        return report
    }

    /// What messages are called of which something is made, and whose `Message-ID` belongs to another one: that one may be
    /// known by the store, or by the task that was made of it.
    private func ownNames(in plan: Plan) throws -> OwnNames {
        let making = plan.items.filter { $0.decisions.contains { $0.action.hasIdentity } }
        let threads = Array(Set(making.map(\.thread)))
        var names = try store.threads.ownNames(account: plan.account, in: threads)
        let todos = Planning.todos(of: plan, names)
        let links = try store.todos.links(for: todos.map(\.todo))
        let taken = todos.filter { links[$0.todo] != nil && links[$0.todo]?.message != $0.message }
        names.digests.merge(try store.threads.digests(of: taken.map(\.message))) { _, own in own }
        return names
    }

    /// What `notify` and `unsubscribe` of rules say, one line each. Contains text of senders, unescaped.
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

    /// Remembers that the rules with a time of their own have had their turn. A plan that its limit may have cut short
    /// does not count: they look again with the next run.
    public func noteTimers(after plan: Plan, _ library: RuleLibrary, limit: Int?) throws {
        // The plan was shown: its notice about moves need not be repeated.
        if try store.accounts.moveAbility(of: plan.account) == .no {
            try store.accounts.noteToldOfMoves(plan.account)
        }
        if let limit, plan.decided.count(where: { !plan.items[$0].isUntouched }) >= limit { return }
        try store.rules.noteTimers(library.rules.timedRules, of: plan.account, at: plan.now)
    }

    /// Counts the matches of rules that only keep or notify, where no part of the plan is carried out.
    public func noteHits(of plan: Plan, _ library: RuleLibrary) throws {
        try store.rules.noteHits(plan.hits(library.rules), account: plan.account, at: clock.now)
    }
}

extension Plan {
    /// On how many messages each rule came too late.
    fileprivate var shadowedCounts: [String: Int] {
        var counts: [String: Int] = [:]
        for item in items {
            for rule in Set(item.shadowed.map(\.rule)) { counts[rule, default: 0] += 1 }
        }
        return counts
    }
}

extension Plan {
    /// Matches of rules that leave no step: they only keep or notify.
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
    /// Whether it makes a task or a mail, which are known by the message that they are made of.
    fileprivate var hasIdentity: Bool {
        if case .make(let make) = self { make.isNamedAfterMessage } else { false }
    }

    fileprivate var isNotice: Bool { name.family == .tell }
}
