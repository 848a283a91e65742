import Accounts
import MailStore
import Models

/// Judges no mail of an account that had another name. The name is part of the identity of tasks and of mail by
/// rules: with another one, the rules would make their tasks and send their mail a second time.
///
/// Refuses only if rules have changed mail under the old name, and none under the new one, or if open tasks have the old
/// name: they would no longer follow their mail, and nothing would answer their waits.
struct RenamedAccount: Sendable {
    let accounts: AccountAccess
    let store: Store

    /// - Throws: ``Problem`` if the account shows the mail of one that opus.yaml no longer has.
    func refuse(_ account: AccountID) throws {
        guard try store.runs.firstByRules(account: account) == nil,
            let former = try store.accounts.earlierName(
                of: account, besides: accounts.workspace.accounts.map(\.id))
        else { return }
        let hasRun = try store.runs.firstByRules(account: former) != nil
        guard try hasRun || hasOpenTasks(former) else { return }
        throw Problem(
            "renamed-account", exit: .configuration,
            message: "account \(account) shows the mail of account \(former), which opus.yaml no longer has: "
                + (hasRun
                    ? "under the new name, rules would make their tasks and send their mail again"
                    : "its open tasks would no longer follow their mail"),
            place: accounts.workspace.configFile,
            next: ["name it \(former) again in opus.yaml"])
    }

    private func hasOpenTasks(_ account: AccountID) throws -> Bool {
        try store.todos.todoFiles().contains { $0.todo.isOpen && $0.todo.account == account }
    }
}
