public import Models

extension RuleSet {
    /// The decisions of the rules about one message.
    ///
    /// A pure function: the facts are fixed, and no rule sees the results of another. Rules are evaluated in
    /// file order. A rule that moves the message ends its triage; a rule that only sets marks does not. In
    /// doubt, the message is kept: a rule that cannot be judged ends the triage, too, so that no later rule
    /// acts instead.
    public func evaluate(_ facts: MessageFacts, in context: RuleContext) -> Evaluation {
        let evaluator = RuleEvaluator(self, context, isIndexed: false)
        switch evaluator.answer(facts, having: .content) {
        case .decided(let evaluation): return evaluation
        case .asks: return Evaluation()
        }
    }

    /// For many messages; gives the same results.
    public func evaluator(in context: RuleContext) -> RuleEvaluator {
        RuleEvaluator(self, context, isIndexed: true)
    }
}

/// Judges one message after the other. Not shared between threads.
public final class RuleEvaluator {
    /// The result for a message.
    public enum Answer: Sendable {
        case decided(Evaluation)
        /// The evaluation needs these parts of the message, which its facts do not include.
        case asks(FactNeeds)

        public var missing: FactNeeds {
            switch self {
            case .decided: []
            case .asks(let needs): needs
            }
        }
    }

    fileprivate let rules: RuleSet
    fileprivate let surface: Surface
    fileprivate let order: [Place]
    private let index: RuleIndex?
    private var surfaces: [String: Surface] = [:]
    private var standing: Standing?
    /// Whether the clock determines which rules are in force.
    private let isTimed: Bool

    /// The rules that are in force for a mailbox at a time.
    private struct Standing {
        var mailbox: Mailbox
        var account: AccountID
        var now: Timestamp
        var rules: RuleBits
    }

    /// A rule at its position in file order. Of a group, at most one rule acts.
    fileprivate final class Place {
        let rule: CompiledRule
        let group: Int?
        let needs: FactNeeds

        init(_ rule: CompiledRule, group: Int?) {
            self.rule = rule
            self.group = group
            // All else is read before the evaluation.
            needs = rule.needs.intersection(.content)
        }
    }

    init(_ rules: RuleSet, _ context: RuleContext, isIndexed: Bool) {
        self.rules = rules
        surface = Surface(context, rules.tables)
        var order: [Place] = []
        for (group, entry) in rules.entries.enumerated() {
            switch entry {
            case .rule(let index): order.append(Place(rules.compiled[index], group: nil))
            case .choose(let indices):
                order += indices.map { Place(rules.compiled[$0], group: group) }
            }
        }
        self.order = order
        isTimed = order.contains { $0.rule.scope.isTimed }
        index = isIndexed ? RuleIndex(order.map(\.rule.when), tables: rules.tables) : nil
    }

    /// The decisions about the message, or the parts that must be read first.
    ///
    /// - Parameters:
    ///   - facts: The message.
    ///   - having: The parts of header and text that the facts include. Nothing is decided from missing
    ///     parts.
    ///   - now: The clock from here on; nil: unchanged.
    /// - Returns: The decisions as for complete facts, or the missing parts.
    public func answer(_ facts: MessageFacts, having: FactNeeds, at now: Timestamp? = nil) -> Answer {
        if let now { turn(to: now) }
        let run = Run(self, facts, having)
        run.protect()
        if run.missing.isEmpty {
            var candidates = standing(for: facts, run)
            if let index { candidates.formIntersection(index.candidates(for: facts, surface) { run.view() }) }
            var place = candidates.first(from: 0)
            while let here = place, !run.isOver {
                let matched = run.consider(order[here])
                if matched, let group = order[here].group {
                    for other in order.indices where order[other].group == group { candidates.remove(other) }
                }
                place = candidates.first(from: here + 1)
            }
        }
        return run.missing.isEmpty ? .decided(run.result()) : .asks(run.missing)
    }

    /// Uses the conversations, tasks, writers and copies of this context for the next messages.
    public func surround(by context: RuleContext) {
        surface.surround(by: context)
        for other in surfaces.values { other.surround(by: context) }
    }

    private func turn(to now: Timestamp) {
        surface.turn(to: now)
        for other in surfaces.values { other.turn(to: now) }
    }

    /// For rules in files with their own time zone.
    fileprivate func surface(timeZone: String) -> Surface {
        if let known = surfaces[timeZone] { return known }
        var context = surface.context
        context.timeZone = timeZone
        let made = Surface(context, rules.tables)
        surfaces[timeZone] = made
        return made
    }

    /// The rules that are in force for the mailbox of the message.
    private func standing(for facts: MessageFacts, _ run: Run) -> RuleBits {
        let now = surface.context.time
        if let standing, standing.mailbox == facts.mailbox, standing.account == facts.key.account,
            !isTimed || standing.now == now
        {
            return standing.rules
        }
        var bits = RuleBits(order.count)
        for (place, entry) in order.enumerated() where entry.rule.applies(to: facts.key.account) {
            let view = run.view(timeZone: entry.rule.timeZone)
            let reason = entry.rule.scope.reason(against: view, rule: entry.rule.info.id)
            if reason == nil { bits.insert(place) }
        }
        standing = Standing(mailbox: facts.mailbox, account: facts.key.account, now: now, rules: bits)
        return bits
    }
}

/// The evaluation of one message.
private final class Run {
    private let evaluator: RuleEvaluator
    private let facts: MessageFacts
    private let having: FactNeeds
    /// In the time zone of the workspace; created for the first condition that needs it.
    private var own: FactsView?
    /// For rules in files with their own time zone.
    private var views: [String: FactsView] = [:]
    private var evaluation = Evaluation()
    private var disposition: Plan.Decision?
    /// The `protect` entry that applies to this message.
    private var protection: String?
    /// Why opus itself protects the message.
    private var reserve: Reserve?
    private(set) var isOver = false

    init(_ evaluator: RuleEvaluator, _ facts: MessageFacts, _ having: FactNeeds) {
        self.evaluator = evaluator
        self.facts = facts
        self.having = having
    }

    /// The content that must be read before the rules can decide.
    var missing: FactNeeds {
        views.values.reduce(own?.missing ?? []) { $0.union($1.missing) }
    }

    func view(timeZone: String? = nil) -> FactsView {
        guard let zone = timeZone else {
            if let own { return own }
            let view = FactsView(facts, surface: evaluator.surface, having: having)
            own = view
            return view
        }
        if let known = views[zone] { return known }
        let view = FactsView(facts, surface: evaluator.surface(timeZone: zone), having: having)
        views[zone] = view
        return view
    }

    func protect() {
        for entry in evaluator.rules.protections where entry.applies(to: facts.key.account) {
            switch view(timeZone: entry.timeZone).judge(entry.condition) {
            case .no: continue
            case .yes: break
            case .unknown:
                evaluation.warnings.append(
                    "'\(entry.name)' could not be judged without the text; it protects the message")
            }
            protection = entry.name
            return
        }
        let context = evaluator.surface.context
        if context.awaited.contains(facts.id) {
            (protection, reserve) = (RuleContext.awaitedProtection, .answer)
        } else if context.deferredByHand.contains(facts.id) {
            (protection, reserve) = (RuleContext.deferralProtection, .deferral)
        }
    }

    /// A message about which the user decides, and rules only if they ask for it.
    private enum Reserve {
        /// It answers an open task.
        case answer
        /// It came back after the user deferred it.
        case deferral
    }

    /// Whether the rule asks for that which reserves the message for the user.
    private func asks(_ rule: CompiledRule, for reserve: Reserve) -> Bool {
        let tables = evaluator.rules.tables
        return switch reserve {
        case .answer: tables.changingFacts(of: rule.condition).contains(.tasks)
        case .deferral: tables.needs(of: rule.condition).contains(.returns)
        }
    }

    /// Judges one rule that is in force, and applies its actions; returns whether it matched.
    func consider(_ place: RuleEvaluator.Place) -> Bool {
        let rule = place.rule
        let view = view(timeZone: rule.timeZone)
        var captures: [String: String] = [:]
        let answer = judge(place, view, captures: &captures)
        guard view.missing.isEmpty else {
            isOver = true
            return false
        }
        switch answer {
        case .no: return false
        case .unknown:
            evaluation.warnings.append(
                "rule \(rule.info.id) could not be judged without the text; the message is kept"
                    + "   \(rule.info.file):\(rule.info.line)")
            isOver = true
            return false
        case .yes: break
        }
        evaluation.matchedRules.append(rule.info.id)
        if let reserve, disposition == nil, rule.disposes, asks(rule, for: reserve) {
            (protection, self.reserve) = (nil, nil)
        }
        isOver = rule.stops || (rule.disposes && !rule.continues)
        // A rule that already acted on the message, or was undone in this conversation, does not act again.
        let isSettled = view.context.isSettled(rule.info.id, facts)
        if isSettled, rule.keeps { take(Plan.Decision(rule: rule.info.id, action: .keep)) }
        if isSettled, isOver { return true }
        var maker = ActionMaker(rule: rule.info, rendering: Rendering(view: view, captures: captures))
        maker.make(rule.actions)
        if isSettled {
            // It decided where the message goes, so later rules still only add marks. If an action could not be made, the
            // message is still kept from later rules.
            if rule.disposes || maker.hasFailed {
                take(Plan.Decision(rule: rule.info.id, action: .keep))
            }
            if maker.hasFailed { isOver = true }
            return true
        }
        // The message is kept, so that no later rule acts in its place.
        if maker.keepsMessage { isOver = true }
        evaluation.warnings += maker.warnings
        evaluation.failures += maker.failures
        for action in maker.actions { take(Plan.Decision(rule: rule.info.id, action: action)) }
        evaluation.shadowed += maker.leftOut.map { Plan.Decision(rule: rule.info.id, action: $0) }
        if disposition?.rule == rule.info.id, State.duplicate.holds(view) == .yes {
            evaluation.isForCopyAlone = evaluator.rules.tables.needs(of: rule.condition).contains(.copies)
        }
        return true
    }

    private func judge(
        _ place: RuleEvaluator.Place, _ view: FactsView, captures: inout [String: String]
    ) -> Truth {
        var answer = view.judge(place.rule.when, captures: &captures)
        if answer != .no, let unless = place.rule.unless {
            let exception = view.judge(unless).inverted
            answer = answer == .yes ? exception : (exception == .no ? .no : .unknown)
        }
        guard answer == .yes, !place.needs.isEmpty, view.reads(place.needs) else { return answer }
        // Actions that use text of the mail need it, like conditions do.
        return facts.text == nil && place.needs.contains(.text) ? .unknown : answer
    }

    private func take(_ decision: Plan.Decision) {
        guard decision.action.isDisposition else {
            if isRepeated(decision.action) {
                evaluation.shadowed.append(decision)
            } else {
                evaluation.decisions.append(decision)
            }
            return
        }
        if disposition != nil {
            evaluation.shadowed.append(decision)
        } else if let protection, decision.action != .keep {
            evaluation.protectedBy = protection
            evaluation.shadowed.append(decision)
            if reserve == .deferral { evaluation.givenUp.append(decision) }
            disposition = Plan.Decision(rule: decision.rule, action: .keep)
        } else {
            disposition = decision
        }
    }

    /// Whether an earlier rule has taken the same action, and, for a mark, no rule has set the opposite since.
    private func isRepeated(_ action: Action) -> Bool {
        guard evaluation.decisions.contains(where: { $0.action == action }) else { return false }
        var (flags, keywords) = (facts.flags, facts.keywords)
        for earlier in evaluation.decisions { _ = earlier.action.mark(&flags, &keywords) }
        let before = (flags, keywords)
        return !action.mark(&flags, &keywords) || (flags, keywords) == before
    }

    func result() -> Evaluation {
        var result = evaluation
        result.protection = protection
        if let disposition { result.decisions.append(disposition) }
        return result
    }
}
