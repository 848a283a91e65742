public import Models

extension Plan {
    /// Removes items that must no longer be moved.
    ///
    /// - Parameters:
    ///   - protections: The `protect` entry that applies to a message now.
    ///   - judged: The current decisions of the rules for each message; nil: not checked. A message without
    ///     an entry waits for earlier steps, and stays in the plan.
    ///   - areRulesNew: The rules differ from those of the plan: only decisions that they would make again
    ///     stay.
    /// - Returns: The removed items, with the reason.
    public mutating func leaveOut(
        protections: [EmailID: String], judged: [MessageKey: Item]?, areRulesNew: Bool
    ) -> [StaleItem] {
        var leftOut: [StaleItem] = []
        items = items.compactMap { item in
            guard !item.isUntouched else { return item }
            if let reason = reason(item, protections, judged, areRulesNew) {
                leftOut.append(StaleItem(item: item, reason: reason))
                return nil
            }
            var rest = item
            if let now = judged?[item.key] { leftOut += MailRecheck.leaveOut(of: &rest, besides: now) }
            guard moves(rest) else { return rest.isUntouched ? nil : rest }
            rest.threadKeys.removeAll { member in
                let protector = protections[member.message]
                let isLeft = protector != nil || (areRulesNew && !takes(judged?[item.key], member))
                if isLeft {
                    var left = item
                    left.message = member.message
                    left.key = member.key
                    leftOut.append(
                        StaleItem(
                            item: left, reason: protector.map { .memberProtected($0) } ?? .judgedDifferently))
                }
                return isLeft
            }
            return rest
        }
        return leftOut
    }

    private func reason(
        _ item: Item, _ protections: [EmailID: String], _ judged: [MessageKey: Item]?, _ areRulesNew: Bool
    ) -> StaleItem.Reason? {
        let isMoving = moves(item)
        if isMoving, let protector = protections[item.message] { return .protected(protector) }
        guard let judged else { return nil }
        let now = judged[item.key]
        if areRulesNew { return now?.decisions == item.decisions ? nil : .rulesChanged }
        guard isMoving, let now else { return nil }
        if let protector = now.protectedBy { return .protected(protector) }
        // If the rule still matches and only its mailbox is missing, the item stays: the mailbox is created
        // again.
        let mover = item.decisions.last { $0.action.isDisposition }?.rule
        let isWanted = (now.decisions + now.shadowed).contains { $0.rule == mover }
        return now.disposition == .keep && !isWanted ? .judgedDifferently : nil
    }

    private func takes(_ judged: Item?, _ member: ThreadMember) -> Bool {
        judged?.threadKeys.contains { $0.key == member.key } ?? false
    }
}
