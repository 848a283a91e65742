import Accounts
import MIMEParser
import MailStore
import Models

/// Replies that the user sent, also with another mail program.
///
/// Only mail in Sent and from an address of the user counts: anyone can write a mail that names the user as its sender.
struct SentReplies: Sendable {
    let workspace: Workspace
    let store: Store
    let loader: FactLoader

    /// The replies to one of these messages, oldest first. `besides`: mail that is known already.
    func replies(
        to names: Set<MessageID>, in threads: Set<ThreadID>, _ account: Account, besides known: Set<MessageID>
    ) throws -> [MessageFacts] {
        guard !names.isEmpty, !threads.isEmpty else { return [] }
        var seen: Set<EmailID> = []
        let sorted = threads.sorted { $0.rawValue < $1.rawValue }
        return try loader.facts(.threads(sorted), needs: []).filter { facts in
            guard facts.key.account == account.id, isSent(facts.mailbox, account), isOwn(facts.from, account),
                !facts.flags.contains(.draft), seen.insert(facts.id).inserted
            else { return false }
            if let id = facts.messageID, known.contains(id) || names.contains(id) { return false }
            return try !names.isDisjoint(with: store.names(in: facts.id))
        }.sorted { ($0.date, $0.id) < ($1.date, $1.id) }
    }

    /// Mails to these people about the question that the user wrote since the task exists. `besides`: the nudges that opus
    /// wrote.
    func reminders(
        _ todo: Todo, _ reading: Waits.Reading, _ people: [EmailAddress], _ account: Account,
        besides known: Set<MessageID>
    ) throws -> [MessageFacts] {
        let question = reading.question
        let names = Set([question?.messageID, todo.messageID, todo.delegatedMessageID].compactMap(\.self))
        let links = try store.todos.links(for: [todo.id])
        let threads = reading.threads.union([question?.thread, links[todo.id]?.thread].compactMap(\.self))
        let asked = Set(people.map(\.comparable))
        let start = [question?.date, todo.created].compactMap(\.self).max() ?? Timestamp(seconds: 0)
        return try replies(to: names.union(reading.names), in: threads, account, besides: known).filter {
            mail in
            mail.id != question?.id && mail.date > start
                && (mail.to + mail.cc).contains { asked.contains($0.comparable) }
        }
    }

    /// Whether the message is in Sent and from an address of the user.
    func isSent(_ message: StoredMessage, _ account: Account) -> Bool {
        isOwn(message.from, account)
            && message.places.contains { !$0.isMissing && isSent($0.mailbox, account) }
    }

    private func isSent(_ mailbox: Mailbox, _ account: Account) -> Bool {
        mailbox.role == .sent
            || (mailbox.role == nil
                && account.identities.contains { $0.sentMailbox == mailbox.displayName })
    }

    private func isOwn(_ from: [EmailAddress], _ account: Account) -> Bool {
        let own = OwnAddressSet(workspace.addresses + account.addresses)
        return !from.isEmpty && from.allSatisfy(own.contains)
    }
}
