/// What a plan asks for that is so already: it is remembered as done, and changes nothing.
extension Plan {
    /// Which of an item's decisions change nothing: marks that the message has by then, a move to where it stands.
    ///
    /// What a person asks for by hand is in a plan because it is not so, or will not be once what is queued is done.
    public func alreadySo(_ item: Item) -> [Bool] {
        guard origin != .hand else { return item.decisions.map { _ in false } }
        var (flags, keywords) = (item.flags, item.keywords)
        return item.decisions.map { decision in
            switch decision.action {
            case .move(let mailbox): return mailbox.name == item.key.mailbox
            case .archive: return item.mailboxRole == .archive
            case .trash: return item.mailboxRole == .trash
            case .junk: return item.mailboxRole == .junk
            case .keep, .deferUntil, .label, .unlabel, .flag, .unflag, .mark, .task, .delegate, .vacation,
                .letter, .waiting, .notify, .unsubscribe, .saveFiles:
                break
            }
            let before = (flags, keywords)
            return decision.action.mark(&flags, &keywords) && before == (flags, keywords)
        }
    }

    /// Whether an item's message, and what goes with it, leaves its mailbox.
    public func moves(_ item: Item) -> Bool {
        guard item.disposition != .keep else { return false }
        return zip(item.decisions, alreadySo(item)).contains { $0.action.isDisposition && !$1 }
    }
}

extension Action {
    /// Changes the marks of a message as the action does; false: it marks nothing.
    public func mark(_ flags: inout Set<Flag>, _ keywords: inout Set<Keyword>) -> Bool {
        switch self {
        case .label(let keyword): keywords.insert(keyword)
        case .unlabel(let keyword): keywords.remove(keyword)
        case .flag: flags.insert(.flagged)
        case .unflag: flags.remove(.flagged)
        case .mark(read: true): flags.insert(.seen)
        case .mark(read: false): flags.remove(.seen)
        case .keep, .archive, .trash, .junk, .move, .deferUntil, .task, .delegate, .vacation, .letter,
            .waiting, .notify, .unsubscribe, .saveFiles:
            return false
        }
        return true
    }
}
