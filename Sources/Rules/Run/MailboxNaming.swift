import Models

extension RuleContext {
    /// The mailbox that the user named.
    func mailbox(named name: String) -> Mailbox? { mailboxes.meant(by: name) }
}

extension [Mailbox] {
    /// Finds the mailbox that the user named: by its exact name, then by its name ignoring case and encoding,
    /// then by its role.
    func meant(by name: String) -> Mailbox? {
        if let exact = named(name) ?? first(where: { $0.name.description == name }) { return exact }
        let folded = name.folded
        return first { $0.displayName.folded == folded }
            ?? first { $0.plainName.folded == folded }
            ?? first { $0.role?.rawValue == folded }
    }
}
