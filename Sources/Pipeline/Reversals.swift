/// What the user took back of what rules did. A rule that was taken back leaves that conversation alone from then on, and
/// the reversal is counted.

import MailStore
import Models

extension Session {
    /// The rules that were taken back in the conversations of these messages.
    func reversedRules(in messages: [MessageFacts], account: AccountID) throws -> [ThreadID: Set<String>] {
        guard try store.hasRuleSteps(account: account) else { return [:] }
        let threads = Array(Set(messages.map(\.thread)))
        let reversed = try reversals(account: account, in: threads)
        guard !reversed.isEmpty else { return [:] }
        let ids = Array(reversed.values.reduce(into: Set()) { $0.formUnion($1) })
        let threadOf = Dictionary(
            try facts(.ids(ids), needs: []).map { ($0.id, $0.thread) },
            uniquingKeysWith: { first, _ in first })
        var rules: [ThreadID: Set<String>] = [:]
        for (rule, messages) in reversed {
            for thread in messages.compactMap({ threadOf[$0] }) { rules[thread, default: []].insert(rule) }
        }
        return rules
    }

    /// The messages of each rule that the user put back: with `opus undo`, with a verb by hand, or in another program.
    ///
    /// In another program: the last that opus did was the rule's move, and now the message stands where it was before.
    func reversals(account: AccountID?, in threads: [ThreadID]? = nil) throws -> [String: Set<EmailID>] {
        var reversed = try store.undoneMessages(account: account, in: threads)
        let moves = Dictionary(
            grouping: try store.moves(account: account, since: nil, in: threads), by: \.message)
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
