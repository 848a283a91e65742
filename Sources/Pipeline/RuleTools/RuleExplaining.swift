import Accounts
import MailStore
public import Models
import Planner
public import Rules

/// Why each rule matched or did not match a message, and what past runs did to it.
public struct Explanation: Sendable {
    public var line: MessageLine
    public var rules: [RuleExplanation]
    public var evaluation: Evaluation
    /// The newer message of the conversation that would take this one along.
    public var along: EmailID?
    /// What runs did to the message, latest first.
    public var history: [PastStep]

    /// The other messages that it names.
    public var others: [EmailID] { [along].compactMap(\.self) + history.compactMap(\.along) }
}

/// Explains the judgement of the rules on one message.
struct RuleExplaining: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let lines: MessageLines
    let surroundings: Surroundings
    let planner: TriagePlanner

    /// Works even if rule tests fail: explaining changes nothing, and may show the reason.
    func explain(_ typed: String, rule: String?) throws -> Explanation {
        let library = RuleLibrary.load(workspace)
        guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
        let detail = try lookup.message(typed)
        let account = try accounts.require(detail.account)
        let all = try loader.facts(.ids([detail.id]), needs: [.headers, .text])
        var context = try surroundings.surrounded(
            surroundings.ruleContext(for: account, remembering: [.ids([detail.id])]), for: all,
            needs: library.rules.needs,
            account: account, forRules: true)
        try RuleMemory(store: store, loader: loader, library: library).recall(
            into: &context, for: all, account: account.id)
        guard let facts = all.first(where: { $0.mailbox.role == .inbox }) ?? all.first else {
            throw Problem("gone", exit: .notFound, message: "this message is no longer in any mailbox")
        }
        var rules = library.rules.explain(facts, in: context)
        if let rule {
            rules = rules.filter { $0.id == rule }
            guard !rules.isEmpty else {
                throw Problem(
                    "no-such-rule", exit: .notFound, message: "no rule has the id \"\(rule)\"",
                    next: ["opus rules list"])
            }
        }
        guard let line = try lines.of([facts], account: account).first else {
            throw Problem("gone", exit: .notFound, message: "this message is no longer in any mailbox")
        }
        let (evaluation, along) = try planned(facts, library, context)
        return Explanation(
            line: line, rules: rules, evaluation: evaluation, along: along,
            history: try history(of: facts, library, rule: rule))
    }

    /// What triage would do. Other mail of the conversation counts: an earlier message may get the task, and a later one may
    /// take this one along. So do permissions, schedules, and mail that was already written.
    private func planned(
        _ facts: MessageFacts, _ library: RuleLibrary, _ context: RuleContext
    ) throws -> (Evaluation, along: EmailID?) {
        let alone = library.rules.evaluate(facts, in: context)
        if facts.isMarkedDeleted {
            return (alone.idle("the message is marked as deleted (\\Deleted): rules leave it alone"), nil)
        }
        guard facts.mailbox.role == .inbox else {
            let isNamed = library.rules.triagedMailboxes(among: [facts.mailbox]) != []
            let judged =
                isNamed
                ? library.rules.forNamedMailboxes.evaluate(facts, in: context)
                : alone.idle("rules do not apply to \(facts.mailbox.displayName)")
            return (judged, nil)
        }
        var unlimited = SendAllowance.unlimited
        let plan = try planner.plan(
            for: facts.key.account, rules: library, limit: nil, sending: &unlimited, threads: [facts.thread])
        guard let item = plan.items.first(where: { $0.message == facts.id }) else {
            return (alone.idle("rules leave it alone for now: opus status shows what waits"), nil)
        }
        var evaluation = alone
        evaluation.decisions = item.decisions
        evaluation.shadowed = item.shadowed
        evaluation.protectedBy = item.protectedBy ?? (alone.matchedRules.isEmpty ? nil : alone.protection)
        evaluation.warnings = item.warnings
        let isTaken = { (other: Plan.Item) in other.threadKeys.contains { $0.message == facts.id } }
        guard !item.decisions.contains(where: \.action.isDisposition),
            let other = plan.items.first(where: isTaken),
            let move = other.decisions.last(where: \.action.isDisposition)
        else { return (evaluation, nil) }
        evaluation.decisions.append(move)
        return (evaluation, other.message)
    }

    private func history(of message: MessageFacts, _ library: RuleLibrary, rule: String?) throws -> [PastStep]
    {
        let now = RuleDigests.of(library)
        let conversation = Set(try loader.facts(.thread(message.thread), needs: []).map(\.id))
        let moves = ConversationMoves(store: store, loader: loader)
        return try store.runs.runsMentioning(message.id).filter { rule == nil || $0.step.cause.name == rule }
            .map {
                run, step in
                let then = try step.cause.rule.flatMap { try store.rules.ruleDigest($0, in: run) }
                let change: PastStep.RuleChange =
                    then.map { then in
                        step.cause.rule.flatMap { now[$0] }.map { $0.change(since: then) } ?? .gone
                    } ?? .unknown
                let detail = try store.runs.run(run)
                let whole = detail?.summary
                let steps = (detail?.steps ?? []).filter { $0.message.map(conversation.contains) == true }
                let along = try moves.matched(steps, accounts: whole?.accounts ?? [])
                return PastStep(
                    run: whole?.id ?? run, at: whole?.startedAt, step: step, ruleChange: change,
                    undoneBy: try step.id.flatMap { try store.runs.undone(in: run)[$0] },
                    along: step.id.flatMap { along[$0] })
            }
    }
}

extension Evaluation {
    /// Without decisions, for this reason.
    fileprivate func idle(_ reason: String) -> Evaluation {
        var idle = self
        idle.decisions = []
        idle.shadowed = []
        idle.warnings = [reason]
        return idle
    }
}
