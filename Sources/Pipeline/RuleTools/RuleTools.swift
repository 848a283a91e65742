import Accounts
import MailStore
public import Models
import Planner
public import Rules

/// Tools for rules: statistics, comparison, explanation, creation and export.
public struct RuleTools: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let sendHistory: SendHistory
    let explaining: RuleExplaining
    let diffing: RuleDiffing
    let making: RuleMaking
    let suggesting: RuleSuggesting
    let clock: SessionClock

    /// The rules; throws with all errors if they cannot be used. Without one of the rules, a protected
    /// message could be archived.
    public func library() throws -> RuleLibrary { try RuleLibrary.passing(workspace, now: clock.now) }

    /// The rules that would be wrong without the account, because they name it.
    public func errors(withoutAccount name: String) -> [Diagnostic] {
        var smaller = workspace
        smaller.accounts.removeAll { $0.id.rawValue == name }
        let known = RuleLibrary.load(workspace).errors
        return RuleLibrary.load(smaller).errors.filter { !known.contains($0) }
    }

    /// The context for rule tests: the settings of the workspace, without mail.
    public func testContext() -> RuleContext { workspace.ruleContext(now: clock.now) }

    /// How much mail rules may still send within the limits of `send:`.
    public func sendAllowance() throws -> SendAllowance { try sendHistory.allowance() }

    /// Why each rule matched or did not match a message. Works even if rule tests fail: explaining changes
    /// nothing, and may show the reason.
    public func explain(_ typed: String, rule: String?) throws -> Explanation {
        try explaining.explain(typed, rule: rule)
    }

    /// For each step of a run that moved a message along with its conversation, by row: the message that the rule matched.
    public func movedAlong(_ steps: [Step], of run: RunLine) throws -> [Int64: EmailID] {
        try ConversationMoves(store: store, loader: loader).matched(steps, accounts: run.accounts)
    }

    /// Judges stored mail with two versions of the rules. Changes nothing.
    public func diff(_ request: RuleComparisonRequest, directory: String) throws -> RuleComparison {
        try diffing.compare(request, directory: directory)
    }

    /// A rule that matches mail like these messages; see ``RuleMaking``.
    public func make(from ids: [String], actions: [String], fileName: String?) throws -> MadeRule {
        try making.rule(from: ids, actions: actions, fileName: fileName)
    }

    /// Suggestions from the moves and reversals of the last 90 days.
    public func suggest(_ library: RuleLibrary, account name: String?) throws -> RuleSuggestions {
        try suggesting.suggest(library, account: name)
    }

    /// All rules in order, with their statistics from the journal.
    public func statistics(_ library: RuleLibrary, account name: String?) throws -> [RuleStatistics] {
        let account = try name.flatMap { try accounts.ids(named: $0).first }
        let day: Int64 = 86_400
        let hits = try [7, 30, 90].map {
            try store.rules.ruleHits(account: account, since: clock.now - $0 * day)
        }
        let ever = try store.rules.ruleHits(account: account, since: nil)
        let reversed = try Reversals(store: store, loader: loader).byRule(account: account)
        let shadowed = try store.rules.shadowedCounts(account: account, since: clock.now - 90 * day)
        let tests = library.rules.testCounts
        return library.rules.rules.map { rule in
            var line = RuleStatistics(rule: rule)
            line.hits7 = hits[0][rule.id]?.messages ?? 0
            line.hits30 = hits[1][rule.id]?.messages ?? 0
            line.hits90 = hits[2][rule.id]?.messages ?? 0
            line.hits = ever[rule.id]?.messages ?? 0
            line.last = ever[rule.id]?.last
            line.reversed = reversed[rule.id]?.count ?? 0
            line.shadowed = shadowed[rule.id] ?? 0
            line.tests = tests[rule.id] ?? 0
            return line
        }
    }

    /// The rules of an account as a Sieve script, with the account's names for archive, trash and junk.
    public func sieve(_ library: RuleLibrary, account id: AccountID) throws -> SieveExport {
        let account = try accounts.require(id)
        let context = try accounts.stepContext(account)
        let me = Array(Set(workspace.addresses + [account.address])).sorted { $0.addrSpec < $1.addrSpec }
        return SieveExport(
            library.rules, account: id, me: me, mailboxes: try store.sync.mailboxes(of: id),
            today: ZoneClock(zone: workspace.timeZone).local(clock.now).date
        ) { action in
            guard case .place(let place) = action else { return "" }
            return context.mailbox(for: place.role ?? .archive).displayName
        }
    }
}
