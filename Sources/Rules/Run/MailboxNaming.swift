import Models

extension RuleContext {
    /// The mailbox that a user means: its name, then its name whatever the case or the server's way to write it, then
    /// its role.
    func mailbox(named name: String) -> Mailbox? {
        if let exact = mailboxes.first(where: { $0.displayName == name || $0.name.description == name }) {
            return exact
        }
        let folded = name.folded
        return mailboxes.first { $0.displayName.folded == folded }
            ?? mailboxes.first { $0.plainName.folded == folded }
            ?? mailboxes.first { $0.role?.rawValue == folded }
    }
}
