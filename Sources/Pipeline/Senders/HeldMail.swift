import Accounts
import MailStore
import Models

/// The mail that waits for a decision about its sender.
struct HeldMail: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader

    /// Where the screener puts mail; nil: it is off.
    func mailbox(of account: Account) throws -> Mailbox? {
        guard let name = workspace.screener?.mailbox else { return nil }
        let known = try store.sync.mailboxes(of: account.id)
        return try known.first { $0.plainName == name } ?? accounts.mailboxToBeMade([name], of: account)
    }

    /// All mail in the screener's mailbox. Mail that opus held before `screener` in opus.yaml changed waits where it is.
    func messages(of account: Account) throws -> [MessageFacts] {
        let mailbox = try mailbox(of: account)
        let here = try mailbox.map { try loader.facts(.mailbox(account.id, $0.name), needs: []) } ?? []
        let earlier = try store.senders.heldBefore(account: account.id).filter { $0.value != mailbox?.name }
        guard !earlier.isEmpty else { return here }
        return try here
            + loader.facts(.ids(Array(earlier.keys)), needs: []).filter {
                $0.mailbox.role == nil && earlier[$0.id] == $0.mailbox.name
            }
    }
}
