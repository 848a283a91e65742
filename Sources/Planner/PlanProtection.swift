public import Models

extension Plan {
    /// Takes out what must no longer be moved.
    ///
    /// - Parameters:
    ///   - protections: Which `protect` entry holds a message now.
    ///   - judged: What the rules would do with each message now; nil: that is not checked. A message that is not in it
    ///     waits for earlier steps, and is left to them.
    ///   - areRulesNew: The rules differ from those of the plan: then only decisions that they would make again stay.
    /// - Returns: What was taken out, with the reason.
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
            guard moves(item) else { return item }
            var rest = item
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
        // A rule that still wants it and cannot now, because its mailbox is gone, is not a reason: the mailbox is
        // created again.
        let mover = item.decisions.last { $0.action.isDisposition }?.rule
        let isWanted = (now.decisions + now.shadowed).contains { $0.rule == mover }
        return now.disposition == .keep && !isWanted ? .judgedDifferently : nil
    }

    private func takes(_ judged: Item?, _ member: ThreadMember) -> Bool {
        judged?.threadKeys.contains { $0.key == member.key } ?? false
    }
}
