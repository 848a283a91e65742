import Models
import Rules

/// A message that a watch keeps because an action of a matching rule cannot be made, such as a move to a
/// mailbox that does not exist.
struct KeptMail: Hashable, Sendable {
    var message: EmailID
    var failures: [RuleFailure]

    static func all(of plan: Plan) -> [KeptMail] {
        plan.items.compactMap { item in
            guard let failures = item.failures, !failures.isEmpty else { return nil }
            return KeptMail(message: item.message, failures: failures)
        }
    }
}

/// The mail that a watch of one account keeps for this reason: what it has reported, and what the status shows.
struct KeptMails {
    /// The reported messages, with the reasons.
    private var reported: Set<KeptMail> = []
    /// The reasons that are true now.
    private(set) var reasons: [RuleFailure] = []

    /// - Parameters:
    ///   - kept: What the rules keep.
    ///   - isWhole: Whether the rules judged the whole inbox.
    ///   - withoutPlace: The rules whose mailbox is missing. They stay in the status even if all their mail was
    ///     reported, because a rule judges a message no further once another of its actions was carried out.
    /// - Returns: The lines for mail that was not reported yet.
    mutating func take(_ kept: [KeptMail], isWhole: Bool, withoutPlace: Set<String>) -> [String] {
        let new = kept.filter { !reported.contains($0) }
        if isWhole {
            reported = Set(kept)
            reasons.removeAll { !withoutPlace.contains($0.rule) }
        } else {
            reported.formUnion(kept)
        }
        for failure in kept.flatMap(\.failures) where !reasons.contains(failure) { reasons.append(failure) }
        return Self.lines(new)
    }

    /// Equal reasons of several messages are one line with their number.
    static func lines(_ kept: [KeptMail]) -> [String] {
        var counts: [String: Int] = [:]
        var order: [String] = []
        for reason in kept.flatMap(\.failures).map(\.reason) {
            if counts[reason] == nil { order.append(reason) }
            counts[reason, default: 0] += 1
        }
        return order.map { reason in
            let count = counts[reason] ?? 1
            return count == 1 ? reason : "\(reason) (\(counted(count, "message")))"
        }
    }
}
