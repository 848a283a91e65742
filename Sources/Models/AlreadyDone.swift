/// Actions of a plan that are already done: they are remembered as done, and change nothing.
extension Plan {
    /// Which of an item's decisions change nothing: marks that the message already has by then, a move to its own
    /// mailbox.
    ///
    /// A change by hand is in a plan because it is not done yet, or will not be once the queued steps are done.
    public func alreadyDone(_ item: Item) -> [Bool] {
        guard origin != .hand else { return item.decisions.map { _ in false } }
        var (flags, keywords) = (item.flags, item.keywords)
        return item.decisions.map { decision in
            if case .place(let place) = decision.action {
                switch place {
                case .move(let mailbox): return mailbox.name == item.key.mailbox
                case .archive, .trash, .junk: return item.mailboxRole == place.role
                case .keep, .deferUntil: return false
                }
            }
            let before = (flags, keywords)
            return decision.action.mark(&flags, &keywords) && before == (flags, keywords)
        }
    }

    /// Whether an item's message, and what goes with it, leaves its mailbox.
    public func moves(_ item: Item) -> Bool {
        guard item.disposition != .keep else { return false }
        return zip(item.decisions, alreadyDone(item)).contains { $0.action.isDisposition && !$1 }
    }
}
