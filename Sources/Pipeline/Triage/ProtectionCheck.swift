import Accounts
import Models
import Rules

/// Finds the `protect` entries that apply to messages.
struct ProtectionCheck: Sendable {
    let surroundings: Surroundings

    /// The `protect` entry that applies to each message; with `todos`, according to these open tasks.
    /// `isByHand`: the user moves the mail, so only `protect` entries count.
    func entries(
        _ library: RuleLibrary?, _ facts: [MessageFacts], _ account: Account, todos: OpenTodos? = nil,
        isByHand: Bool = false
    ) throws -> [EmailID: String] {
        guard let library else { return [:] }
        var context = try surroundings.surrounded(
            surroundings.ruleContext(for: account), for: facts, needs: library.rules.needs, account: account,
            forRules: true)
        if isByHand { (context.awaited, context.deferredByHand) = ([], []) }
        if let todos { context.todos = todos.todos }
        var protections: [EmailID: String] = [:]
        for facts in facts where protections[facts.id] == nil {
            protections[facts.id] = library.rules.evaluate(facts, in: context).protection
        }
        return protections
    }
}
