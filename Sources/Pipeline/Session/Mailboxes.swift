import Accounts
import IMAPProtocol
import MailStore
import MaildirClient
import Models
import Planner

/// Which mailbox has which role in an account, even if it has yet to be created.
extension AccountAccess {
    func stepContext(_ account: Account) throws -> StepContext {
        let known = try store.sync.mailboxes(of: account.id)
        let inbox =
            known.first { $0.role == .inbox }
            ?? Mailbox(account: account.id, name: .inbox, displayName: "INBOX", role: .inbox)
        var roles: [MailboxRole: Mailbox] = [:]
        for role in MailboxRole.allCases where role != .inbox {
            roles[role] =
                existing(role, of: account, among: known)
                ?? toBeMade(roleName(role, of: account), role, account, inbox: inbox, known: known)
        }
        return StepContext(
            account: account.id, inbox: inbox, mailboxes: roles, now: clock.now, timeZone: workspace.timeZone)
    }

    /// If the user named a mailbox for the role, it is created rather than another one used.
    func existing(_ role: MailboxRole, of account: Account, among known: [Mailbox]) -> Mailbox? {
        guard account.folders[role] == nil else { return known.first { $0.role == role } }
        return StepContext.mailbox(for: role, among: known)
    }

    /// The name that a role's mailbox has or will have.
    func roleName(_ role: MailboxRole, of account: Account) -> String {
        if let name = account.folders[role] { return name }
        return role.rawValue.prefix(1).uppercased() + role.rawValue.dropFirst()
    }

    /// A mailbox below another one that is yet to be made.
    func mailboxToBeMade(_ levels: [String], of account: Account) throws -> Mailbox {
        let known = try store.sync.mailboxes(of: account.id)
        let inbox = known.first { $0.role == .inbox }
        let delimiter = inbox?.delimiter ?? known.lazy.compactMap(\.delimiter).first ?? "/"
        return toBeMade(levels.joined(separator: delimiter), nil, account, inbox: inbox, known: known)
    }

    /// A name as the account spells it: modified UTF-7, and in a Maildir with dots between the levels.
    private func exactName(_ name: String, _ account: Account) -> MailboxName {
        switch account.source {
        case .imap: MailboxName(bytes: ModifiedUTF7.encode(name))
        case .maildir(let root):
            Maildir(root: root, account: account.id).mailbox(displayName: name)?.name
                ?? MailboxName(name)
        }
    }

    /// Below `INBOX.` where the server keeps everything there (Courier, old Cyrus).
    private func toBeMade(
        _ wanted: String, _ role: MailboxRole?, _ account: Account, inbox: Mailbox?, known: [Mailbox]
    ) -> Mailbox {
        let delimiter = inbox?.delimiter ?? known.lazy.compactMap(\.delimiter).first
        var name = wanted
        if let delimiter {
            let others = known.filter { $0.role != .inbox }
            let prefix = "INBOX" + delimiter
            if !others.isEmpty, others.allSatisfy({ $0.displayName.hasPrefix(prefix) }),
                !name.hasPrefix(prefix)
            {
                name = prefix + name
            }
        }
        return Mailbox(
            account: account.id, name: exactName(name, account), displayName: name, delimiter: delimiter,
            role: role)
    }
}
