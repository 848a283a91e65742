public import Models

/// Plans for an account whose server cannot move messages: messages stay in place, and all other actions are
/// executed.
extension Plan {
    /// Removes every move from the plan.
    ///
    /// - Returns: the number of messages that stay because of it.
    public mutating func keepInPlace() -> Int {
        var count = 0
        for index in items.indices where items[index].disposition != .keep {
            items[index].decisions.removeAll { $0.action.isDisposition && $0.action != .keep }
            count += 1 + items[index].threadKeys.count
            items[index].threadKeys = []
        }
        return count
    }
}

extension FollowPlan {
    /// Removes every move of those accounts from the plan, and adds a notice for each task whose mail stays.
    public mutating func keepInPlace(
        _ accounts: Set<AccountID>, because kind: FollowNotice.Kind = .cannotMove
    ) {
        let stays = actions.filter { accounts.contains($0.account) && $0.effect.isMove }
        actions.removeAll { accounts.contains($0.account) && $0.effect.isMove }
        notices += stays.map { FollowNotice(kind, todo: $0.todo, summary: $0.summary) }
    }
}
