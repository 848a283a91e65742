import Models
import Planner
import Rules

/// Compares two versions of the rules, message by message, each in its state and at the time of its arrival.
struct RuleComparing {
    let old: RuleSet
    let new: RuleSet
    let samples: Int
    let asOfToday: Bool
    private(set) var messages = 0
    private(set) var different = 0
    /// The number of messages that any rule treats differently.
    private(set) var acted = 0
    private var differences: [String: RuleComparison.Rule] = [:]

    init(old: RuleSet, new: RuleSet, samples: Int, asOfToday: Bool) {
        self.old = old
        self.new = new
        self.samples = samples
        self.asOfToday = asOfToday
    }

    /// In the order of the new files; removed rules are last.
    var rules: [RuleComparison.Rule] {
        var order: [String] = []
        for id in (new.rules + old.rules).map(\.id) where !order.contains(id) { order.append(id) }
        return order.compactMap { differences[$0] }
    }

    /// Both versions, prepared for the messages of one account.
    struct Sides {
        var old: RuleEvaluator
        var new: RuleEvaluator
        var inbox: Mailbox?
    }

    func sides(in context: RuleContext, account: AccountID) -> Sides {
        let context = new.havingMailboxes(old.havingMailboxes(context, account: account), account: account)
        return Sides(
            old: old.evaluator(in: context), new: new.evaluator(in: context),
            inbox: context.mailboxes.first { $0.role == .inbox })
    }

    /// Judges messages of one account. `having`: the parts of header and text that the facts include.
    mutating func judge<Failure: Error>(
        _ found: [MessageFacts], having: FactNeeds, by sides: Sides,
        reading content: ContentOnDemand.Reader<Failure>
    ) throws(Failure) {
        let facts = asOfToday ? found : found.map { $0.onArrival(in: sides.inbox) }
        var answers: [(before: [String: [Action]], after: [String: [Action]])?] = facts.map { _ in nil }
        try ContentOnDemand.look(at: facts[...], having: having, reading: content) { index, facts, having in
            let now = asOfToday ? nil : max(facts.received, facts.date)
            let old = sides.old.answer(facts, having: having, at: now)
            let new = sides.new.answer(facts, having: having, at: now)
            guard case .decided(let before) = old, case .decided(let after) = new else {
                return old.missing.union(new.missing)
            }
            answers[index] = (Self.actions(before), Self.actions(after))
            return []
        }
        for (facts, answer) in zip(facts, answers) {
            guard let answer else { continue }
            messages += 1
            compare(facts, answer.before, answer.after)
        }
    }

    private mutating func compare(
        _ facts: MessageFacts, _ before: [String: [Action]], _ after: [String: [Action]]
    ) {
        guard before != after else { return }
        different += 1
        if Self.effects(before) != Self.effects(after) { acted += 1 }
        for rule in Set(before.keys).union(after.keys) where before[rule] != after[rule] {
            note(rule, facts, before[rule], after[rule])
        }
    }

    private mutating func note(_ rule: String, _ facts: MessageFacts, _ before: [Action]?, _ after: [Action]?)
    {
        let group: WritableKeyPath<RuleComparison.Rule, RuleComparison.Group> =
            before == nil ? \.gained : after == nil ? \.lost : \.changed
        var entry = differences[rule] ?? RuleComparison.Rule(rule: rule)
        entry[keyPath: group].count += 1
        if entry[keyPath: group].samples.count < samples {
            entry[keyPath: group].samples.append(
                .init(
                    message: facts.id, shortID: "", from: facts.from.first, subject: facts.subject,
                    date: facts.date, before: before ?? [], after: after ?? []))
        }
        differences[rule] = entry
    }

    /// What happens to the message. `keep` is left out, because it is the default.
    private static func effects(_ actions: [String: [Action]]) -> Set<Action> {
        Set(actions.values.joined()).subtracting([.keep])
    }

    /// The actions of each matching rule; empty if another rule or a protection had precedence.
    private static func actions(_ evaluation: Evaluation) -> [String: [Action]] {
        var actions = Dictionary(
            evaluation.matchedRules.map { ($0, [Action]()) }, uniquingKeysWith: { first, _ in first })
        for decision in evaluation.decisions { actions[decision.rule, default: []].append(decision.action) }
        return actions
    }
}

extension MessageFacts {
    /// The state on arrival: unread in the inbox, without later changes.
    fileprivate func onArrival(in inbox: Mailbox?) -> MessageFacts {
        var facts = self
        if let inbox { facts.mailbox = inbox }
        facts.flags = []
        facts.keywords = []
        facts.openTodos = []
        return facts
    }
}
