public import Models

/// Stops a plan that looks like a mistake: a rule that suddenly moves most of the inbox.
///
/// Data only; the caller asks the person, or refuses.
public struct Brake: Hashable, Sendable {
    /// A larger share of the inbox than this, in per cent …
    public var maximumShare: Int
    /// … and more messages than this.
    public var minimumCount: Int

    public init(maximumShare: Int = 50, minimumCount: Int = 50) {
        self.maximumShare = maximumShare
        self.minimumCount = minimumCount
    }

    public struct Reason: Hashable, Sendable {
        public var moved: Int
        public var total: Int
        public var maximumShare: Int

        public var text: String {
            "the plan moves \(moved) of \(total) messages, more than \(maximumShare) % of the inbox"
        }
    }

    /// nil when the plan may go on.
    public func check(_ plan: Plan) -> Reason? {
        var moved: Set<MessageKey> = []
        for item in plan.items where item.disposition != .keep {
            moved.insert(item.key)
            moved.formUnion(item.threadKeys.map(\.key))
        }
        let total = max(plan.items.count, moved.count)
        guard moved.count > minimumCount, moved.count * 100 > total * maximumShare else { return nil }
        return Reason(moved: moved.count, total: total, maximumShare: maximumShare)
    }
}
