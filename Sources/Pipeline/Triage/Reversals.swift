import MailStore
import Models

/// The actions of rules that the user reversed. ``RuleMemory`` has the consequences for the rules.
struct Reversals: Sendable {
    let store: Store
    let loader: FactLoader

    /// For each rule, the messages that the user moved back: with `opus undo`, with a command, or in another
    /// program.
    func byRule(account: AccountID?) throws -> [String: Set<EmailID>] {
        var reversed: [String: Set<EmailID>] = [:]
        for match in try store.rules.undoneMatches(account: account) {
            reversed[match.rule, default: []].insert(match.message)
        }
        for match in try putBack(account: account) { reversed[match.rule, default: []].insert(match.message) }
        return reversed
    }

    /// Messages that a rule moved and the user moved back, with a command or in another program.
    ///
    /// The second case is detected if the rule's move was the last action of opus and the message is where it
    /// was before.
    func putBack(account: AccountID?, in threads: [ThreadID]? = nil) throws -> [UndoneMatch] {
        var reversed: [UndoneMatch] = []
        func note(_ move: JournaledMove, _ message: EmailID) throws {
            guard let rule = move.cause.rule else { return }
            reversed.append(
                UndoneMatch(
                    rule: rule, message: message, digest: try store.rules.ruleDigest(rule, in: move.run),
                    isLatest: true))
        }
        let moves = Dictionary(
            grouping: try store.rules.moves(account: account, since: nil, in: threads), by: \.message)
        var lastByRule: [EmailID: JournaledMove] = [:]
        for (message, moves) in moves {
            for (index, move) in moves.enumerated() where move.cause.rule != nil {
                guard let next = moves[(index + 1)...].first else {
                    lastByRule[message] = move
                    continue
                }
                if next.cause.isChoiceOfPlace, next.to.name == move.from { try note(move, message) }
            }
        }
        let ids = Array(lastByRule.keys)
        for start in stride(from: 0, to: ids.count, by: FactLoader.chunk) {
            let chunk = Array(ids[start..<min(start + FactLoader.chunk, ids.count)])
            let places = Dictionary(grouping: try loader.facts(.ids(chunk), needs: []), by: \.id)
            for (message, facts) in places {
                guard let move = lastByRule[message], !move.isUndone else { continue }
                let names = facts.map(\.mailbox.name)
                if names.contains(move.from), !names.contains(move.to.name) { try note(move, message) }
            }
        }
        return reversed
    }
}
