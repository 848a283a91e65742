public import Models

extension Plan {
    /// Notes which mailboxes the plan must create: destinations of moves that do not exist in the account.
    public mutating func noteNewMailboxes(besides known: [Mailbox]) {
        var names = Set(known.map(\.name))
        var new: [Mailbox] = []
        for index in decided {
            guard case .place(.move(let mailbox)) = items[index].disposition,
                names.insert(mailbox.name).inserted
            else { continue }
            new.append(mailbox)
        }
        newMailboxes = new.isEmpty ? nil : new
    }
}
