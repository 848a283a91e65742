public import Models

/// What the user chose of a plan.
public struct PlanChoice: Hashable, Sendable {
    public struct Own: Hashable, Sendable {
        public var verb: HandVerb
        public var message: EmailID
    }

    /// The items to apply.
    public var plan: Plan
    /// Messages for which the user chose another action.
    public var byHand: [Own]
    /// How many messages were skipped or not reached: nothing is done with them.
    public var left: Int

    public var isWhole: Bool { left == 0 }
}

/// Goes through a plan item by item. What is not decided stays.
public struct PlanWalk: Sendable {
    private enum Word: Sendable {
        case yes
        case skip
        case other(HandVerb)
    }

    public let plan: Plan
    /// The items that change something, in the order of the plan.
    public let items: [Plan.Item]
    private var words: [Int: Word] = [:]
    /// The item that is asked about; nil: the walk is over.
    public private(set) var current: Int?

    public init(_ plan: Plan) {
        self.plan = plan
        items = plan.items.filter { !$0.isUntouched }
        current = items.isEmpty ? nil : 0
    }

    public var item: Plan.Item? { current.map { items[$0] } }

    /// The rule that decides about the current item.
    public var rule: String? { item.map(Self.rule) }

    public mutating func yes() { say(.yes) }

    public mutating func skip() { say(.skip) }

    /// Another action in place of what the rules decided.
    public mutating func choose(_ verb: HandVerb) { say(.other(verb)) }

    /// Yes to this item and to each later one about which the same rule decides.
    public mutating func all() {
        guard let rule, let current else { return }
        for index in current..<items.count where Self.rule(items[index]) == rule { words[index] = .yes }
        goOn()
    }

    /// Nothing more is decided.
    public mutating func stop() { current = nil }

    private mutating func say(_ word: Word) {
        guard let current else { return }
        words[current] = word
        goOn()
    }

    private mutating func goOn() {
        current = current.flatMap { now in items.indices[now...].first { words[$0] == nil } }
    }

    /// The rule that moves the message, else the first that does something with it.
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
            case .other(let verb)?: byHand.append(.init(verb: verb, message: items[index].message))
            case .skip?, nil: continue
            }
        }
        var chosen = plan
        chosen.items.removeAll { !$0.isUntouched && !agreed.contains($0.key) }
        return PlanChoice(
            plan: chosen, byHand: byHand, left: items.count - agreed.count - byHand.count)
    }
}

extension HandVerb {
    /// An action as it is typed: `archive`, `trash`, `junk`, `defer friday`, `move NAME`, `label NAME`, `flag`, `read`;
    /// nil: it is none.
    public init?(typed: String) {
        let words = typed.split(separator: " ", maxSplits: 1)
        guard let first = words.first?.lowercased() else { return nil }
        let word = first.hasSuffix(":") ? String(first.dropLast()) : first
        let value = words.count > 1 ? String(words[1]) : ""
        switch (word, value.isEmpty) {
        case ("archive", true): self.init(.archive)
        case ("trash", true): self.init(.trash)
        case ("junk", true): self.init(.junk)
        case ("flag", true): self.init(.flag)
        case ("read", true): self.init(.read)
        case ("defer", false): self.init(.deferUntil(value), isForced: true)
        case ("move", false): self.init(.move(to: value))
        case ("label", false): self.init(.label(value))
        case _: return nil
        }
    }
}
