public import Models

/// The user's choices about a plan.
public struct PlanChoice: Hashable, Sendable {
    public struct Own: Hashable, Sendable {
        public var action: PlanAction
        public var message: EmailID
    }

    /// The items to apply.
    public var plan: Plan
    /// Messages for which the user chose another action.
    public var byHand: [Own]
    /// The messages of all items. None of them changes with another one of its conversation.
    public var shown: Set<MessageKey>
    /// The number of messages that were skipped or not reached: they do not change.
    public var left: Int

    public var isWhole: Bool { left == 0 }
}

extension [Plan.Item] {
    /// These messages do not move with others of their conversations.
    mutating func leave(_ messages: Set<MessageKey>) {
        for index in indices { self[index].threadKeys.removeAll { messages.contains($0.key) } }
    }
}

/// Goes through a plan item by item. Undecided items do not change.
public struct PlanWalk: Sendable {
    private enum Word: Sendable {
        case yes
        case skip
        case other(PlanAction)
    }

    public let plan: Plan
    /// The items with changes, in the order of the plan.
    public let items: [Plan.Item]
    private var words: [Int: Word] = [:]
    /// The current item; nil: the walk is over.
    public private(set) var current: Int?

    public init(_ plan: Plan) {
        self.plan = plan
        items = plan.items.filter { !$0.isUntouched }
        current = items.isEmpty ? nil : 0
    }

    public var item: Plan.Item? { current.map { items[$0] } }

    /// The rule that decided about the current item.
    public var rule: String? { item.map(Self.rule) }

    public mutating func yes() { say(.yes) }

    public mutating func skip() { say(.skip) }

    /// Chooses another action instead of those of the rules.
    public mutating func choose(_ action: PlanAction) { say(.other(action)) }

    /// Accepts this item, and all later items that the same rule decided.
    public mutating func all() {
        guard let rule, let current else { return }
        for index in current..<items.count where Self.rule(items[index]) == rule { words[index] = .yes }
        goOn()
    }

    /// Ends the walk without further decisions.
    public mutating func stop() { current = nil }

    private mutating func say(_ word: Word) {
        guard let current else { return }
        words[current] = word
        goOn()
    }

    private mutating func goOn() {
        current = current.flatMap { now in items.indices[now...].first { words[$0] == nil } }
    }

    /// The rule that moves the message, or otherwise the first rule that changes it.
    private static func rule(_ item: Plan.Item) -> String {
        (item.decisions.last { $0.action.isDisposition && $0.action != .keep } ?? item.decisions.first)?.rule
            ?? ""
    }

    public var choice: PlanChoice {
        var agreed: Set<MessageKey> = []
        var byHand: [PlanChoice.Own] = []
        for index in items.indices {
            switch words[index] {
            case .yes?: agreed.insert(items[index].key)
            case .other(let action)?: byHand.append(.init(action: action, message: items[index].message))
            case .skip?, nil: continue
            }
        }
        var chosen = plan
        chosen.items.removeAll { !$0.isUntouched && !agreed.contains($0.key) }
        let shown = Set(items.map(\.key))
        chosen.items.leave(shown.subtracting(agreed))
        return PlanChoice(
            plan: chosen, byHand: byHand, shown: shown, left: items.count - agreed.count - byHand.count)
    }
}
