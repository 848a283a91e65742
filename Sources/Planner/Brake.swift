public import Models

/// Stops a plan that looks like a mistake: a rule that suddenly moves most of the inbox, or writes to half the world.
///
/// Data only; the caller asks for the plan's id, or refuses.
public struct Brake: Hashable, Sendable {
    /// A larger share of the inbox than this, in per cent …
    public var maximumShare: Int
    /// … and more messages than this.
    public var minimumCount: Int
    /// More mails than this.
    public var maximumSends: Int

    public init(maximumShare: Int = 50, minimumCount: Int = 50, maximumSends: Int = 20) {
        self.maximumShare = maximumShare
        self.minimumCount = minimumCount
        self.maximumSends = maximumSends
    }

    public struct Reason: Hashable, Sendable {
        /// Messages that would leave their mailbox.
        public var moved: Int
        /// Of so many.
        public var total: Int
        public var text: String
        /// The rule that does the most of it, and how much.
        public var most: String
    }

    /// nil when the plan may go on. `total` is the number of messages in the inbox; nil: those that the plan looked at.
    public func check(_ plan: Plan, total: Int? = nil) -> Reason? {
        var moved: Set<MessageKey> = []
        var movers: [String: Int] = [:]
        var senders: [String: Int] = [:]
        for item in plan.items {
            let before = moved.count
            if plan.moves(item) {
                moved.insert(item.key)
                moved.formUnion(item.threadKeys.map(\.key))
            }
            for decision in item.decisions {
                if decision.action.isDisposition, decision.action != .keep {
                    movers[decision.rule, default: 0] += moved.count - before
                }
                if decision.action.sentTo != nil { senders[decision.rule, default: 0] += 1 }
            }
        }
        let total = max(total ?? plan.items.count, moved.count)
        let sends = senders.values.reduce(0, +)
        if sends > maximumSends {
            return Reason(
                moved: moved.count, total: total,
                text: "the plan sends \(counted(sends, "mail")), more than \(maximumSends)",
                most: Self.most(senders))
        }
        guard moved.count > minimumCount, moved.count * 100 > total * maximumShare else { return nil }
        return Reason(
            moved: moved.count, total: total,
            text:
                "the plan moves \(moved.count) of \(counted(total, "message")), more than \(maximumShare) % of the inbox",
            most: Self.most(movers))
    }

    /// What a person asks for is stopped by its number alone: the mailbox is known, and a list of ids may be a mistake.
    public func checkByHand(_ plan: Plan) -> Reason? {
        var touched: Set<MessageKey> = []
        for item in plan.items where !item.isUntouched {
            touched.insert(item.key)
            touched.formUnion(item.threadKeys.map(\.key))
        }
        guard touched.count > minimumCount else { return nil }
        return Reason(
            moved: touched.count, total: touched.count,
            text: "that is \(counted(touched.count, "message")), more than \(minimumCount)", most: "")
    }

    private static func most(_ counts: [String: Int]) -> String {
        let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        return most.map { "rule \($0.key): \($0.value)" } ?? ""
    }
}
