import Accounts
import MailStore
import Models

/// The beginning of a mailbox: a list reads only the messages that it shows.
extension Messages {
    /// The newest messages of a mailbox (the default is the inbox), and whether there are more. Messages that
    /// came back from a deferral are first, whatever their date.
    public func newest(
        _ most: Int, account: String?, folder: String?, everywhere: Bool
    ) throws -> (lines: [MessageLine], hasMore: Bool) {
        var lists: [[MessageLine]] = []
        for id in try accounts.ids(named: account) {
            let account = try accounts.require(id)
            let selection: FactSelection =
                if let folder {
                    .mailbox(account.id, try accounts.requireMailbox(folder, of: account).name)
                } else if everywhere {
                    .everything(account.id)
                } else {
                    .role(account.id, .inbox)
                }
            // Reads more than requested, because lists of deferred mail are left out.
            var facts = try store.messages.newest(most + Self.spare, selection)
            if folder == nil, !everywhere { facts += try back(besides: facts, of: account.id) }
            lists.append(try lines.of(facts.withoutDeferredLists.withoutRepetitions, account: account))
        }
        var found = Self.newestFirst(lists)
        if folder == nil, !everywhere { found = found.filter(\.isBack) + found.filter { !$0.isBack } }
        return (Array(found.prefix(most)), found.count > most)
    }

    private static let spare = 10

    /// Older messages that came back.
    private func back(besides known: [MessageFacts], of account: AccountID) throws -> [MessageFacts] {
        let returned = try store.deferrals.returnedToInbox(of: account)
        guard !returned.isEmpty else { return [] }
        let missing = Set(returned).subtracting(known.map(\.id))
        guard !missing.isEmpty else { return [] }
        return try loader.facts(.ids(missing.sorted()), needs: []).filter { $0.mailbox.role == .inbox }
    }
}
