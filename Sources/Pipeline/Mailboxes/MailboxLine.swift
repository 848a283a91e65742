import MailStore
public import Models

/// A mailbox in the output of `opus mailbox list`, as of the last sync.
public struct MailboxLine: Sendable {
    public var mailbox: Mailbox
    /// For people, with `/` between the levels unless another mailbox has the same name then.
    public var name: String
    public var messages: Int
    public var unread: Int
}

/// Lists the mailboxes of the accounts.
public struct MailboxLines: Sendable {
    let accounts: AccountAccess
    let store: Store

    /// Of each account, in the order of opus.yaml: the inbox, then the others by name.
    public func lines(account: String?) throws -> [MailboxLine] {
        try accounts.ids(named: account).flatMap { id in
            let counts = try store.sync.counts(of: id)
            let all = try store.sync.mailboxes(of: id)
            let names = all.namesForPeople
            return (all.filter { $0.role == .inbox } + all.filter { $0.role != .inbox }).map { mailbox in
                MailboxLine(
                    mailbox: mailbox, name: names[mailbox.name] ?? mailbox.plainName,
                    messages: counts[mailbox.name]?.messages ?? 0,
                    unread: counts[mailbox.name]?.unread ?? 0)
            }
        }
    }
}
