import MIMEParser
import MailStore
import Models
import Threading

/// Tells the conversations of threads apart that got a message since the last time.
struct ConversationUpdate {
    private static let chunk = 500
    /// In a longer thread each message is on its own: no other message goes along.
    private static let longest = 1_000

    let store: Store
    let account: AccountID

    func run() throws {
        while true {
            let threads = try store.threads.dueConversations(of: account, limit: Self.chunk)
            guard !threads.isEmpty else { return }
            try Task.checkCancellation()
            var found: [ThreadID: ThreadConversations] = [:]
            for thread in threads { found[thread] = try conversations(of: thread) }
            try store.threads.saveConversations(found, of: account)
        }
    }

    private func conversations(of thread: ThreadID) throws -> ThreadConversations {
        guard
            let messages = try store.threads.threadMessages(of: thread, account: account, limit: Self.longest)
        else { return .alone }
        let first = Conversations.firstMessages(messages.map(ConversationMessage.init))
        guard Set(first.values).count > 1 else { return .one }
        return .several(first.mapValues { ThreadID(rawValue: $0.rawValue) })
    }
}

extension ConversationMessage {
    fileprivate init(_ message: ThreadMessage) {
        let envelope = HeaderBlock.envelope(of: message.headerBlock)
        self.init(
            ids: ThreadInput(
                message: message.id, messageID: envelope.messageID, inReplyTo: envelope.inReplyTo,
                references: envelope.references),
            writer: envelope.from.first?.comparable,
            recipients: Set((envelope.to + envelope.cc).map(\.comparable)), isOwn: message.isOwn,
            received: message.received)
    }
}
