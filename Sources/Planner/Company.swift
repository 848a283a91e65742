public import Models

/// Which other messages of a conversation a decision about one of them takes along.
///
/// Anyone can join a conversation by writing `References`. So a message goes along only where the writer of the
/// deciding one had a part in it, or where the user has written to that writer in the conversation; and an unread
/// message never goes along because of another writer. See docs/decisions/0010-conversations.md.
public struct Company: Sendable {
    /// To whom the user wrote, by conversation; `EmailAddress.comparable`.
    private let written: [ThreadID: Set<String>]

    public init(written: [ThreadID: Set<String>] = [:]) { self.written = written }

    /// Whether `other` goes where `message` goes. `flags`: of the other one, as they are when the decision is carried out.
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
