import Accounts
import MIMEParser
import MailStore
import Models

/// Finds answers to deferred mail that came to another account of the workspace: people answer to whatever address they
/// know.
struct AnswersElsewhere: Sendable {
    let workspace: Workspace
    let store: Store
    let loader: FactLoader
    let waking: WakingMail

    /// The deferred messages of the account that mail in the inbox of another account answers. The answer must name the
    /// message, come from one of its people, and be newer than the deferral.
    func answered(_ deferrals: [Deferral], of account: Account) throws -> Set<EmailID> {
        let others = workspace.accounts.filter { $0.id != account.id }
        guard !others.isEmpty, !deferrals.isEmpty else { return [] }
        let since = Dictionary(deferrals.map { ($0.message, $0.setAt) }) { first, _ in first }
        var deferred: [MessageID: MessageFacts] = [:]
        for facts in try loader.facts(.ids(deferrals.map(\.message)), needs: []) {
            if let name = facts.messageID { deferred[name] = facts }
        }
        var answered: Set<EmailID> = []
        for other in others {
            let threads = try store.sync.threads(forIDs: Array(deferred.keys), account: other.id)
            guard !threads.isEmpty else { continue }
            for mail in try loader.facts(.threads(Array(Set(threads.values))), needs: [])
            where mail.key.account == other.id && mail.mailbox.role == .inbox {
                let named = try store.names(in: mail.id).compactMap { deferred[$0] }.filter { message in
                    !answered.contains(message.id) && Self.takesPart(mail, in: message)
                        && since[message.id].map { mail.received > $0 } ?? false
                }
                guard !named.isEmpty, try waking.isAnswer(mail, other) else { continue }
                answered.formUnion(named.map(\.id))
            }
        }
        return answered
    }

    /// Whether the writer of the mail wrote or received the message.
    private static func takesPart(_ mail: MessageFacts, in message: MessageFacts) -> Bool {
        guard let writer = mail.from.first else { return false }
        return (message.from + message.to + message.cc).contains { $0.mailPerson == writer.mailPerson }
    }
}
