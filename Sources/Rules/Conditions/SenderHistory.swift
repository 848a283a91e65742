import Models

/// Conditions on the earlier mail of a sender.
extension ConditionEntry {
    static let senderFirstSeen = ConditionEntry(
        "sender:first-seen", "sender", .state(.firstSeen), "the first message from its sender",
        "sender:first-seen")

    static let senderCount = ConditionEntry(
        "sender:count", "sender", .amount(.senderCount), "messages from its sender, up to this one",
        "sender:count>=10")
}

extension State {
    static let firstSeen = State(
        name: "sender:first-seen", needs: .senders, holds: { Truth($0.senderCount.map { $0 <= 1 }) },
        seen: {
            $0.senderCount.map { counted($0, "message") + " from the sender" }
                ?? "the messages were not counted"
        })
}

extension Amount {
    static let senderCount = Amount(
        unit: .count, needs: .senders, values: { sight in sight.senderCount.map { [$0] } },
        seen: { $0.senderCount.map { counted($0, "message") } ?? "the messages were not counted" })
}

extension MessageSight {
    /// The number of messages of the sender in the account, including this one; nil: not counted.
    fileprivate var senderCount: Int? {
        guard let writer = facts.from.first else { return 0 }
        if let rank = context.writerRanks?[facts.id] { return rank }
        guard let arrivals = context.senderArrivals else { return context.senderCounts[writer.comparable] }
        return arrivals[writer.comparable]?.count { $0 <= context.now }
    }
}
