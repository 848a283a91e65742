import MailStore
import Models
import Rules

/// What rules must not do again: each rule acts once on a message, and a rule that the user undid ignores the
/// conversation.
///
/// opus remembers undone rules by their text, not by their name. A rule that was edited since is a different
/// one: it may act on the same messages again. A rule that was only renamed is the same one.
struct RuleMemory {
    let store: Store
    let loader: FactLoader
    let library: RuleLibrary

    /// Adds to the context what was undone in the conversations of these messages, and makes edited rules
    /// forget what they did before.
    func recall(
        into context: inout RuleContext, for messages: [MessageFacts], account: AccountID
    ) throws {
        guard try store.rules.hasRuleSteps(account: account) else { return }
        let threads = Array(Set(messages.map(\.thread)))
        let undone = try store.rules.undoneMatches(account: account, in: threads)
        let reversed =
            try undone + Reversals(store: store, loader: loader).putBack(account: account, in: threads)
        guard !reversed.isEmpty else { return }
        let digests = RuleDigests.of(library)
        for match in undone where match.isLatest && isEdited(match, digests) {
            context.remembered.remove(RememberedMatch(rule: match.rule, message: match.message))
        }
        let threadOf = Dictionary(
            try loader.facts(.ids(Array(Set(reversed.map(\.message)))), needs: []).map {
                ($0.id, $0.thread)
            },
            uniquingKeysWith: { first, _ in first })
        for match in reversed {
            guard let thread = threadOf[match.message] else { continue }
            context.reversed[thread, default: []].formUnion(rules(like: match, digests))
        }
    }

    /// Whether the text of the rule has changed since it was undone; if unknown, false.
    private func isEdited(_ match: UndoneMatch, _ digests: [String: RuleDigest]) -> Bool {
        guard let then = match.digest, let now = digests[match.rule] else { return false }
        return !now.saysTheSame(as: then)
    }

    /// The current rules with the text of the undone rule, whatever their names.
    private func rules(like match: UndoneMatch, _ digests: [String: RuleDigest]) -> Set<String> {
        guard let then = match.digest else { return [match.rule] }
        return Set(digests.filter { $0.value.saysTheSame(as: then) }.keys)
    }
}
