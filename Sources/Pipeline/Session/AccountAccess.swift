import Accounts
import MailStore
public import Models
import Rules
import YAMLSource

/// Finds accounts of the workspace and their mailboxes by the names that users type.
public struct AccountAccess: Sendable {
    let workspace: Workspace
    let store: Store
    let clock: SessionClock

    /// All accounts, or the named one.
    public func ids(named name: String?) throws -> [AccountID] { try Self.ids(named: name, of: workspace) }

    static func ids(named name: String?, of workspace: Workspace) throws -> [AccountID] {
        guard let name else {
            guard !workspace.accounts.isEmpty else {
                throw Problem(
                    "no-account", exit: .configuration, message: "the workspace has no account",
                    place: workspace.configFile,
                    next: ["add one under accounts: (opus help config)", "opus demo"])
            }
            return workspace.accounts.map(\.id)
        }
        guard let account = workspace.accounts.first(where: { $0.id.rawValue == name }) else {
            throw Problem(
                "no-such-account", exit: .notFound, message: "opus.yaml has no account \"\(name)\"",
                place: workspace.configFile,
                next: ["one of: " + workspace.accounts.map(\.id.rawValue).joined(separator: ", ")])
        }
        return [account.id]
    }

    func require(_ id: AccountID) throws -> Account {
        guard let account = workspace.accounts.first(where: { $0.id == id }) else {
            throw Problem(
                "no-such-account", exit: .configuration,
                message: "the store has mail of account \(id), which opus.yaml no longer has",
                place: workspace.configFile)
        }
        return account
    }

    func requireMailbox(_ word: String, of account: Account) throws -> Mailbox {
        let mailboxes = try store.sync.mailboxes(of: account.id)
        if let found = Self.mailbox(word, among: mailboxes) { return found }
        let near = nearest(to: word, among: mailboxes.map(\.plainName))
        let names = mailboxes.map(\.displayName).sorted().prefix(12).joined(separator: ", ")
        throw Problem(
            "no-such-mailbox", exit: .notFound, message: "account \(account.id) has no mailbox \"\(word)\"",
            next: near.map { ["did you mean \"\($0)\"?"] }
                ?? [names.isEmpty ? "opus sync" : "one of: " + names])
    }

    /// The mailbox with that name, or a new one to be created.
    func mailboxOrNew(_ word: String, of account: Account) throws -> Mailbox {
        let mailboxes = try store.sync.mailboxes(of: account.id)
        if let found = Self.mailbox(word, among: mailboxes) { return found }
        return try NewMailboxes(account: account, known: mailboxes).require(word)
    }

    /// Finds a mailbox by its name, ignoring case and the server's encoding, or by its role.
    static func mailbox(_ word: String, among mailboxes: [Mailbox]) -> Mailbox? {
        let lowered = word.lowercased()
        return mailboxes.named(word)
            ?? mailboxes.first {
                $0.displayName.lowercased() == lowered || $0.plainName.lowercased() == lowered
            } ?? mailboxes.first { $0.role?.rawValue == lowered }
    }
}
