public import Models

extension Plan {
    /// Notes which mailboxes the plan has to make: the destinations of its moves that the account does not have.
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
