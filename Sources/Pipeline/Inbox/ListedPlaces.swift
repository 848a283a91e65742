import MailStore
import Models
import Planner

/// The mailboxes in which a session listed messages. Another command may have synced since, and what another program has
/// decided stays decided.
struct ListedPlaces {
    let store: Store
    let mailboxes: [EmailID: MailboxName]

    /// Throws if one of the messages is in another mailbox now.
    func requireUnmoved(_ items: [Plan.Item]) throws {
        for item in items {
            guard let mailbox = mailboxes[item.message], mailbox != item.key.mailbox else { continue }
            let place = try store.messages.places(of: item.message).first { $0.key == item.key }
            let name = place?.mailbox.displayName ?? "another mailbox"
            throw Problem(
                "moved", exit: .someFailed, message: "the message is now in \(name), so it stays there")
        }
    }

    /// Where the message went since it was listed; nil: it has not moved.
    func departure(of message: EmailID) throws -> String? {
        guard let mailbox = mailboxes[message] else { return nil }
        let places = try store.messages.places(of: message).filter { !$0.isMissing }
        guard !places.contains(where: { $0.key.mailbox == mailbox || $0.mailbox.name == mailbox }) else {
            return nil
        }
        return places.first.map { "it was moved to \($0.mailbox.displayName)" }
            ?? "it is no longer in any mailbox"
    }
}
