import Accounts
import MailStore
import Models
import Planner
import Rules

/// Moves of rules that wait, because the account was not available or the server could not do them.
///
/// Before they are carried out, opus checks them again. A message stays if it is protected now, or if its rule was changed or
/// removed.
struct WaitingMoves: Sendable {
    let workspace: Workspace
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let protections: ProtectionCheck
    let tasks: Tasks
    let clock: SessionClock

    /// Cancels the moves that the rules no longer want. If the rules cannot be read now, it cancels none.
    ///
    /// - Returns: A line for each message, with the subject that its sender chose.
    func withdraw(of account: Account) throws -> [String] {
        let waiting = try store.rules.waitingMoves(of: account.id)
        guard !waiting.isEmpty, let library = try? RuleLibrary.passing(workspace, now: clock.now) else {
            return []
        }
        let facts = try factsBefore(waiting, library)
        let protections = try protections.entries(library, Array(facts.values), account)
        let digests = RuleDigests.of(library)
        var unwanted: [(step: Step, reason: StaleItem.Reason)] = []
        for (run, step) in waiting {
            if let message = step.message, let entry = protections[message] {
                unwanted.append((step, .protected(entry)))
            } else if try !isCurrent(step, run, digests) {
                unwanted.append((step, .rulesChanged))
            }
        }
        try store.rules.withdraw(unwanted.compactMap(\.step.id))
        let names = try lookup.shortIDs(unwanted.compactMap(\.step.message))
        return unwanted.compactMap { step, reason in
            guard let message = step.message else { return nil }
            return "\(facts[message]?.subject ?? "") stays where it is: \(reason.text)  "
                + "(opus show \(names[message] ?? message.rawValue))"
        }
    }

    /// Whether a rule still has the text that it had in the run. A run of an early version kept no texts.
    private func isCurrent(_ step: Step, _ run: RunID, _ digests: [String: RuleDigest]) throws -> Bool {
        guard let rule = step.cause.rule, let kept = try store.rules.ruleDigest(rule, in: run) else {
            return true
        }
        return digests.values.contains { $0.saysTheSame(as: kept) }
    }

    /// The facts of these messages without the marks and the tasks that the same runs made: an action of a rule does not
    /// protect a message from the other actions of the rule.
    private func factsBefore(
        _ waiting: [(run: RunID, step: Step)], _ library: RuleLibrary
    ) throws -> [EmailID: MessageFacts] {
        let ids = Set(waiting.compactMap(\.step.message))
        let found = try tasks.openTodos().applied(
            to: loader.facts(.ids(Array(ids)), needs: library.rules.needs))
        var facts = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        let done = try Set(waiting.map(\.run)).flatMap { try store.runs.run($0)?.steps ?? [] }
            .filter { $0.state == .confirmed }
        let made = Set(
            done.compactMap { step in
                if case .createTodo(let todo) = step.kind { todo.id } else { nil }
            })
        for message in facts.keys { facts[message]?.openTodos.removeAll(where: made.contains) }
        for step in done {
            guard let message = step.message, ids.contains(message),
                case .store(_, let flags, _, let keywords, _) = step.kind
            else { continue }
            facts[message]?.flags.subtract(flags.subtracting(step.outcome.flagsBefore ?? []))
            facts[message]?.keywords.subtract(keywords.subtracting(step.outcome.keywordsBefore ?? []))
        }
        return facts
    }
}
