import Accounts
import MailStore
public import Models
public import Rules

/// How one rule fares.
public struct RuleStatistics: Sendable {
    public var rule: RuleInfo
    /// Messages on which it did something, kept or told, in the last so many days; each counts the first time.
    public var hits7 = 0
    public var hits30 = 0
    public var hits90 = 0
    /// Ever.
    public var hits = 0
    public var last: Timestamp?
    /// Messages where the user took back what it did: with `opus undo`, by hand, or in another program.
    public var reversed = 0
    /// Times in the last 90 days that it came too late: an earlier rule or a protection had the message.
    public var shadowed = 0
    /// Tests that expect it.
    public var tests = 0
}

extension Session {
    /// Every rule in its order, with what the journal knows of it.
    public func ruleStatistics(_ library: RuleLibrary, account name: String?) throws -> [RuleStatistics] {
        let account = try name.flatMap { try accounts(named: $0).first }
        let day: Int64 = 86_400
        let hits = try [7, 30, 90].map { try store.ruleHits(account: account, since: now - $0 * day) }
        let ever = try store.ruleHits(account: account, since: nil)
        let reversed = try reversals(account: account)
        let shadowed = try store.shadowedCounts(account: account, since: now - 90 * day)
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
}

extension Session {
    /// Counts what rules matched that only keep or tell, where nothing of the plan is carried out.
    public func noteHits(of plan: Plan, _ library: RuleLibrary) throws {
        try store.noteHits(plan.hits(library.rules), account: plan.account, at: now)
    }
}

extension Plan {
    /// What rules matched that leave no step: they only keep or tell.
    func hits(_ rules: RuleSet) -> [RuleHit] {
        var acts: [String: Bool] = [:]
        var hits: [RuleHit] = []
        for item in items {
            for rule in Set(item.decisions.map(\.rule)).sorted() {
                let doesAct = acts[rule] ?? rules.acts(rule)
                acts[rule] = doesAct
                if !doesAct { hits.append(RuleHit(rule: rule, message: item.message)) }
            }
        }
        return hits
    }
}
