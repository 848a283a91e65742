import Accounts
public import Models
import Planner
public import Rules

extension Session {
    /// The rules of an account as a Sieve script, with the account's own names for archive, trash and junk.
    public func sieve(_ library: RuleLibrary, account id: AccountID) throws -> SieveExport {
        let account = try requireAccount(id)
        let context = try stepContext(account)
        let me = Array(Set(workspace.addresses + [account.address])).sorted { $0.addrSpec < $1.addrSpec }
        return SieveExport(library.rules, account: id, me: me) { action in
            switch action {
            case .trash: context.mailbox(for: .trash).displayName
            case .junk: context.mailbox(for: .junk).displayName
            case _: context.mailbox(for: .archive).displayName
            }
        }
    }
}
