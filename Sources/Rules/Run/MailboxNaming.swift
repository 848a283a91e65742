import Models

extension RuleContext {
    /// Finds the mailbox that the user named: by its exact name, then by its name ignoring case and encoding,
    /// then by its role.
    func mailbox(named name: String) -> Mailbox? {
        if let exact = mailboxes.named(name) ?? mailboxes.first(where: { $0.name.description == name }) {
            return exact
        }
        let folded = name.folded
        return mailboxes.first { $0.displayName.folded == folded }
            ?? mailboxes.first { $0.plainName.folded == folded }
            ?? mailboxes.first { $0.role?.rawValue == folded }
    }
}
