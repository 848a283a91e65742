import Models

/// Whether the rules would still write the mail of a plan.
enum MailRecheck {
    /// Removes the decisions that write a mail which the rules would not write now: it is already in Sent or Drafts, the
    /// user has answered, or the rule has ended. A delegation whose mail is there still makes its task.
    ///
    /// - Returns: One for each, with its rule.
    static func leaveOut(of item: inout Plan.Item, besides now: Plan.Item) -> [StaleItem] {
        let whole = item
        var leftOut: [StaleItem] = []
        item.decisions = item.decisions.compactMap { decision in
            guard case .make(let make) = decision.action, make.mail != nil else { return decision }
            let same = now.decisions.first {
                $0.rule == decision.rule && $0.action.name == decision.action.name
            }
            if case .make(let wanted) = same?.action, wanted.mail != nil { return decision }
            leftOut.append(StaleItem(item: whole, reason: .mailLeftOut(rule: decision.rule)))
            return same
        }
        return leftOut
    }
}
