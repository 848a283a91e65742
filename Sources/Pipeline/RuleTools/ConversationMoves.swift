import MailStore
import Models

/// Which message a rule matched when it moved other messages of the conversation along.
///
/// A rule remembers the message that it matched, and not those that moved along.
struct ConversationMoves {
    let store: Store
    let loader: FactLoader

    /// The matched message for each of these steps of one run that moved a message along, by the row of the step: the
    /// newest if the rule matched several. Messages that are gone are left out.
    func matched(_ steps: [Step], accounts: [AccountID]) throws -> [Int64: EmailID] {
        let moves = steps.compactMap(Move.init)
        let messages = FactSelection.ids(Array(Set(moves.map(\.message))))
        var rules: [EmailID: Set<String>] = [:]
        for account in accounts where !moves.isEmpty {
            let remembered = try store.rules.rememberedMatches(account: account, of: messages)
            rules.merge(remembered) { $0.union($1) }
        }
        let isMatched = { (move: Move) in rules[move.message]?.contains(move.rule) == true }
        guard moves.contains(where: { !isMatched($0) }) else { return [:] }
        var facts: [EmailID: MessageFacts] = [:]
        for message in try loader.facts(messages, needs: []) { facts[message.id] = message }
        var leaders: [Group: MessageFacts] = [:]
        for move in moves where isMatched(move) {
            guard let message = facts[move.message] else { continue }
            let group = Group(move, message.thread)
            if let known = leaders[group], known.date > message.date { continue }
            leaders[group] = message
        }
        var matched: [Int64: EmailID] = [:]
        for move in moves where !isMatched(move) {
            guard let thread = facts[move.message]?.thread else { continue }
            matched[move.row] = leaders[Group(move, thread)]?.id
        }
        return matched
    }

    /// A move that a rule decided.
    private struct Move {
        let row: Int64
        let rule: String
        let message: EmailID
        let destination: MailboxName

        init?(_ step: Step) {
            guard let row = step.id, let rule = step.cause.rule, let message = step.message,
                case .move(_, to: let mailbox) = step.kind
            else { return nil }
            (self.row, self.rule, self.message, destination) = (row, rule, message, mailbox.name)
        }
    }

    private struct Group: Hashable {
        let rule: String
        let destination: MailboxName
        let thread: ThreadID

        init(_ move: Move, _ thread: ThreadID) {
            (rule, destination, self.thread) = (move.rule, move.destination, thread)
        }
    }
}
