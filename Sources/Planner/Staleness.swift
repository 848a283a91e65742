public import Models

/// An item of a saved plan that no longer fits the mailbox, and why.
public struct StaleItem: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The message is no longer at its planned place.
        case moved
        case flagsChanged
        /// An older message that would move along is no longer at its planned place.
        case memberMoved(EmailID)
        case rulesChanged
        /// A `protect` entry now applies to the message.
        case protected(String)
        /// A `protect` entry now applies to an older message that would move along.
        case memberProtected(String)
        /// The current rules would leave the message where it is.
        case judgedDifferently
        /// Its conversation has a flag, an open task or newer mail now.
        case needed
        /// The rule would not write its mail now: the mail is already in Sent or Drafts, or the user has answered.
        case mailLeftOut(rule: String)

        public var text: String {
            switch self {
            case .moved: "the message was moved or deleted since the plan was made"
            case .flagsChanged: "its flags or labels changed since the plan was made"
            case .memberMoved: "an older message of its thread was moved or deleted since the plan was made"
            case .rulesChanged: "the rules changed since the plan was made"
            case .protected(let name): "it is protected now: \(name)"
            case .memberProtected(let name): "an older message of its thread is protected now: \(name)"
            case .judgedDifferently: "the rules would leave it where it is now"
            case .needed: "its conversation has a flag, an open task or newer mail now"
            case .mailLeftOut(let rule): "rule \(rule) would not write its mail now"
            }
        }
    }

    public var item: Plan.Item
    public var reason: Reason

    public init(item: Plan.Item, reason: Reason) {
        self.item = item
        self.reason = reason
    }
}

extension Planning {
    /// The items that must not be applied unchanged. Items without actions are never stale.
    ///
    /// - Parameters:
    ///   - plan: A plan from a file.
    ///   - current: The messages as they are now; a message without an entry has left the inbox.
    ///   - origin: The current rules.
    /// - Returns: Stale items with the first reason, in the plan's order.
    public static func stale(
        _ plan: Plan, current: [EmailID: MessageFacts], origin: Plan.Origin
    ) -> [StaleItem] {
        plan.items.compactMap { item in
            guard !item.isUntouched else { return nil }
            return reason(item, current: current, areRulesNew: plan.origin != origin)
                .map { StaleItem(item: item, reason: $0) }
        }
    }

    private static func reason(
        _ item: Plan.Item, current: [EmailID: MessageFacts], areRulesNew: Bool
    ) -> StaleItem.Reason? {
        if areRulesNew { return .rulesChanged }
        guard let facts = current[item.message], facts.key == item.key else { return .moved }
        guard facts.flags == item.flags, facts.keywords == item.keywords else { return .flagsChanged }
        let gone = item.threadKeys.first { current[$0.message]?.key != $0.key }
        return gone.map { .memberMoved($0.message) }
    }
}
