/// Actions of a plan that are already done. opus records them as done and changes nothing.
extension Plan {
    /// For each decision of an item, whether it changes nothing: it sets a mark that the message already has by then,
    /// or moves the message to the mailbox where it is.
    ///
    /// For a plan by hand, all are false: such a plan contains only what is not done yet, or what queued steps will
    /// undo.
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

    /// Whether the message of an item, and the older messages that go with it, leave their mailbox.
    public func moves(_ item: Item) -> Bool {
        guard item.disposition != .keep else { return false }
        return zip(item.decisions, alreadyDone(item)).contains { $0.action.isDisposition && !$1 }
    }
}
