public import Models

/// Which other messages of a conversation move together with one of its messages.
///
/// Anyone can join a conversation by writing `References`. So another message moves along only if the writer
/// of the first message took part in it, or if the user has written to that writer in the conversation. An
/// unread message never moves along because of another writer. See docs/decisions/0010-conversations.md.
public struct Company: Sendable {
    /// The addresses to which the user wrote, by conversation; `EmailAddress.comparable`.
    private let written: [ThreadID: Set<String>]

    public init(written: [ThreadID: Set<String>] = [:]) { self.written = written }

    /// Whether `other` moves together with `message`. `flags`: the flags of `other` when the decision is
    /// executed.
    public func takes(_ other: MessageFacts, flags: Set<Flag>, with message: MessageFacts) -> Bool {
        guard other.conversation == message.conversation, let writer = message.from.first?.comparable else {
            return false
        }
        if other.from.contains(where: { $0.comparable == writer }) { return true }
        guard flags.contains(.seen) else { return false }
        let others = other.sender + other.to + other.cc
        return others.contains { $0.comparable == writer }
            || wasWrittenTo(writer, in: message.conversation)
    }

    /// `writer`: `EmailAddress.comparable`.
    func wasWrittenTo(_ writer: String, in conversation: ThreadID) -> Bool {
        written[conversation]?.contains(writer) ?? false
    }
}
