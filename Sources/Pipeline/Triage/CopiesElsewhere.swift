import Accounts
import MailStore
import Models
import Planner

/// Finds the account that writes a mail about a message which came to several accounts, so that it is written once.
struct CopiesElsewhere: Sendable {
    let store: Store
    let loader: FactLoader
    /// The mail that earlier plans of the command write.
    let written: Set<MessageID>
    /// Of the other accounts.
    let identities: [MailIdentity]

    /// The account that wrote this mail, or will; nil: none did.
    func writer(of make: Action.Make, _ item: Plan.Item) throws -> AccountID? {
        try identities.first { identity in
            guard let mail = identity.messageID(make, item) else { return false }
            return try isWritten(mail, identity.account.id) && has(item, identity.account.id)
        }?.account.id
    }

    private func isWritten(_ mail: MessageID, _ account: AccountID) throws -> Bool {
        if written.contains(mail) { return true }
        if try store.runs.departure(of: mail, account: account) != nil || store.runs.hasAppended(mail) {
            return true
        }
        return try !store.roles(of: mail, account).isDisjoint(with: [.sent, .drafts])
    }

    /// Whether the account has the same message. Anyone can write its Message-ID.
    private func has(_ item: Plan.Item, _ account: AccountID) throws -> Bool {
        guard let name = item.messageID else { return false }
        let same = try store.messages.messages(with: name, account: account)
        guard !same.isEmpty else { return false }
        return try loader.facts(.ids(same), needs: []).contains { message in
            message.from.first?.comparable == item.from?.comparable && message.subject == item.subject
                && message.date == item.date
        }
    }
}

extension Store {
    /// The roles of the mailboxes that hold messages with this Message-ID.
    func roles(of mail: MessageID, _ account: AccountID) throws -> Set<MailboxRole> {
        let places = try messages.messages(with: mail, account: account).flatMap {
            try messages.places(of: $0)
        }
        return Set(places.filter { !$0.isMissing }.compactMap(\.mailbox.role))
    }
}
