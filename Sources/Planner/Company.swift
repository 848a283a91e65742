public import Models

/// Which other messages of a conversation move together with one of its messages.
///
/// Anyone can join a conversation by writing `References`. So another message moves along only if the writer
/// of the first message took part in it, or if the user has written to that writer in the conversation. With a
/// rule, an unread message never moves along because of another writer. See docs/decisions/0010-conversations.md.
public struct Company: Sendable {
    /// The addresses to which the user wrote, by conversation; `EmailAddress.comparable`.
    private let written: [ThreadID: Set<String>]
    /// The user's addresses; `EmailAddress.person`.
    private let own: Set<String>

    public init(written: [ThreadID: Set<String>] = [:], own: Set<String> = []) {
        self.written = written
        self.own = own
    }

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

    /// Whether an answer in the conversation of a deferred message returns it to the inbox.
    ///
    /// The writer of the answer must have taken part in the deferred message, or the user must have written
    /// to them in the conversation: anyone can write `References` into a mail.
    public func wakes(_ deferred: MessageFacts, by answer: MessageFacts) -> Bool {
        guard deferred.conversation == answer.conversation, let writer = answer.from.first else {
            return false
        }
        let people = deferred.from + deferred.sender + deferred.to + deferred.cc
        return people.contains { $0.person == writer.person }
            || wasWrittenTo(writer.comparable, in: deferred.conversation)
            || wasWrittenTo(writer.person, in: deferred.conversation)
    }

    /// Whether a command by hand that names `message` also acts on `other`. It may be unread, but the writer of the message
    /// must be known to it: as a person of the other message or of the user's mail, or because both messages went to the
    /// same third address, such as that of a team.
    public func includes(_ other: MessageFacts, with message: MessageFacts) -> Bool {
        wakes(other, by: message)
            || other.conversation == message.conversation && !third(other).isDisjoint(with: third(message))
    }

    private func third(_ message: MessageFacts) -> Set<String> {
        Set((message.to + message.cc).map(\.person)).subtracting(own)
    }

    /// `writer`: `EmailAddress.comparable`.
    func wasWrittenTo(_ writer: String, in conversation: ThreadID) -> Bool {
        written[conversation]?.contains(writer) ?? false
    }
}
