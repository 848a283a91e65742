import Accounts
import MailStore
public import Models
public import Rules

/// How one rule fares.
public struct RuleStatistics: Sendable {
    public var rule: RuleInfo
    /// Messages on which it did something, in the last so many days.
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

    /// The messages of each rule that the user put back: with `opus undo`, with a verb by hand, or in another program.
    ///
    /// In another program: the last that opus did was the rule's move, and now the message stands where it was before.
    func reversals(account: AccountID?) throws -> [String: Set<EmailID>] {
        var reversed = try store.undoneMessages(account: account)
        let moves = Dictionary(grouping: try store.moves(account: account, since: nil), by: \.message)
        var lastByRule: [EmailID: JournaledMove] = [:]
        for (message, moves) in moves {
            for (index, move) in moves.enumerated() where move.isByRules && !move.isUndo {
                guard let next = moves[(index + 1)...].first else {
                    lastByRule[message] = move
                    continue
                }
                let isByHand = !next.isByRules && !next.isUndo && HandVerb.names.contains(next.command)
                if isByHand, next.to.name == move.from { reversed[move.rule, default: []].insert(message) }
            }
        }
        let ids = Array(lastByRule.keys)
        for start in stride(from: 0, to: ids.count, by: Self.searchChunk) {
            let chunk = Array(ids[start..<min(start + Self.searchChunk, ids.count)])
            let places = Dictionary(grouping: try facts(.ids(chunk), needs: []), by: \.id)
            for (message, facts) in places {
                guard let move = lastByRule[message], !move.isUndone else { continue }
                let names = facts.map(\.mailbox.name)
                if names.contains(move.from), !names.contains(move.to.name) {
                    reversed[move.rule, default: []].insert(message)
                }
            }
        }
        return reversed
    }
}

extension HandVerb {
    /// Commands that people move mail with, as runs name them.
    static let names: Set<String> = ["archive", "trash", "junk", "move"]
}
