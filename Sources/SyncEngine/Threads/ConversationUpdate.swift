import MIMEParser
import MailStore
import Models
import Threading

/// Finds the conversations of threads that have got new messages since the last update.
struct ConversationUpdate {
    private static let chunk = 500
    /// In a longer thread, each message is a separate conversation, so no other message moves along.
    private static let longest = ThreadMessages.most
    /// The same for a conversation. Here the mail of strangers is left out first.
    private static let largest = 1_000

    let store: Store
    let account: AccountID

    func run() throws {
        while true {
            let threads = try store.threads.dueConversations(of: account, limit: Self.chunk)
            guard !threads.isEmpty else { return }
            try Task.checkCancellation()
            var found: [ThreadID: ThreadConversations] = [:]
            let splits = try splits(in: threads)
            for thread in threads {
                found[thread] = try conversations(of: thread, splits: splits[thread] ?? [])
            }
            try store.threads.saveConversations(found, of: account)
        }
    }

    /// Messages at which the user split these threads.
    private func splits(in threads: [ThreadID]) throws -> [ThreadID: Set<EmailID>] {
        let heads = try store.threads.edits().compactMap { edit -> EmailID? in
            if case .split(let message) = edit { return message }
            return nil
        }
        guard !heads.isEmpty else { return [:] }
        var found: [ThreadID: Set<EmailID>] = [:]
        for (head, thread) in try store.threads.threads(of: heads, account: account) {
            found[thread, default: []].insert(head)
        }
        return found
    }

    private func conversations(of thread: ThreadID, splits: Set<EmailID>) throws -> ThreadConversations {
        let messages = try store.threads.threadMessages(
            of: thread, account: account, limit: Self.longest, ConversationMessage.init)
        guard let messages else { return .alone }
        var first = Conversations.firstMessages(messages, largest: Self.largest)
        if !splits.isEmpty, let tree = try ThreadMessages(of: thread, account: account, store: store) {
            first = Self.apart(first, tree.heads(splits: splits), messages)
        }
        guard Set(first.values).count > 1 else { return .one }
        return .several(first.mapValues { ThreadID(rawValue: $0.rawValue) })
    }

    /// Parts that the user split off are separate conversations, whatever their messages refer to.
    private static func apart(
        _ first: [EmailID: EmailID], _ heads: [EmailID: EmailID], _ messages: [ConversationMessage]
    ) -> [EmailID: EmailID] {
        var names: [[EmailID?]: EmailID] = [:]
        var found: [EmailID: EmailID] = [:]
        let sorted = messages.sorted { ($0.received, $0.ids.message) < ($1.received, $1.ids.message) }
        for message in sorted.map(\.ids.message) {
            let part = [first[message], heads[message]]
            let name = names[part] ?? message
            names[part] = name
            found[message] = name
        }
        return found
    }
}

extension ConversationMessage {
    fileprivate init(_ message: ThreadMessage) {
        let envelope = HeaderBlock.envelope(of: message.headerBlock)
        self.init(
            ids: ThreadInput(
                message: message.id, messageID: envelope.messageID, inReplyTo: envelope.inReplyTo,
                references: envelope.references),
            writer: envelope.from.first?.mailComparable,
            recipients: Set((envelope.to + envelope.cc).map(\.mailComparable)), isOwn: message.isOwn,
            received: message.received)
    }
}
