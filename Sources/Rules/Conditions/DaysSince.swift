import Models

/// `days-since`: how long the sender had been silent before the message.
extension ConditionEntry {
    static let daysSince = ConditionEntry(
        "days-since", "sender", .amount(.daysSince),
        "whole days since the sender's last mail before this one",
        "days-since>=90")
}

extension Amount {
    static let daysSince = Amount(
        unit: .count, needs: [.senders, .senderTimes],
        values: { sight in sight.isSenderTimed ? sight.silence.map { [$0] } ?? [] : nil },
        seen: { sight in
            guard sight.isSenderTimed else { return "the messages were not counted" }
            return sight.silence.map { counted($0, "day") } ?? "no earlier message from its sender"
        })
}

extension MessageSight {
    fileprivate var isSenderTimed: Bool { context.senderTimes != nil }

    /// nil: it is the first message of its sender.
    fileprivate var silence: Int? {
        guard let writer = facts.from.first,
            let before = context.senderTimes?[writer.comparable]?.last(where: { $0 < facts.received })
        else { return nil }
        // By the calendar: a day of a change of the clocks has 23 or 25 hours.
        let (last, now) = (zone.local(before), zone.local(facts.received))
        return Int((now.secondsSinceEpoch - last.secondsSinceEpoch) / 86_400)
    }
}
