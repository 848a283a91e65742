/// Whether the names of mailboxes leave open where the user's own mailboxes are.
extension [MailboxListing] {
    /// Whether only NAMESPACE tells what the server puts before the names of the user's own mailboxes: no mailbox has a role,
    /// or all that have one are below one other mailbox, such as `Mail`. Names below `INBOX` speak for themselves.
    public var mayHavePersonalPrefix: Bool {
        let withRole = filter { $0.role != nil && $0.role != .inbox }
        let levels = Set(withRole.map(\.firstLevel))
        return withRole.isEmpty || (levels.count == 1 && levels != [nil] && levels != ["INBOX"])
    }
}

extension MailboxListing {
    /// The mailbox that this one is below; nil: it is at the top level.
    fileprivate var firstLevel: String? {
        guard let delimiter, let end = displayName.firstRange(of: delimiter) else { return nil }
        let level = String(displayName[..<end.lowerBound])
        return level.utf8.uppercasedWord == "INBOX" ? "INBOX" : level
    }
}
