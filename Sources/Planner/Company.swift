import MIMEParser
public import Models

/// Which other messages of a conversation move together with one of its messages.
///
/// Anyone can join a conversation by writing `References`. So another message moves along only if the writer
/// of the first message took part in it, or if the user has written to that writer in the conversation. With a
/// rule, an unread message never moves along because of another writer. See docs/decisions/0010-conversations.md.
public struct Company: Sendable {
    /// The addresses to which the user wrote, by conversation; `EmailAddress.mailComparable` and `EmailAddress.mailPerson`.
    private let written: [ThreadID: Set<String>]
    /// The user's mail in the conversations: the mail in Sent.
    private let sent: Set<EmailID>
    /// The user's addresses; `EmailAddress.mailPerson`.
    private let own: Set<String>

    public init(
        written: [ThreadID: Set<String>] = [:], sent: Set<EmailID> = [], own: Set<String> = []
    ) {
        self.written = written.mapValues(\.inMailSpelling)
        self.sent = sent
        self.own = own
    }

    /// Whether `other` moves together with `message`. `flags`: the flags of `other` when the decision is
    /// executed.
    public func takes(_ other: MessageFacts, flags: Set<Flag>, with message: MessageFacts) -> Bool {
        guard other.conversation == message.conversation, let writer = message.from.first else {
            return false
        }
        if other.from.contains(where: { $0.mailComparable == writer.mailComparable }) { return true }
        guard flags.contains(.seen), !isForged(message) else { return false }
        let others = other.sender + other.to + other.cc
        return others.contains { $0.mailComparable == writer.mailComparable }
            || wasWrittenTo(writer, in: message)
    }

    /// Whether a command by hand that names `message` also acts on `other`: if ``includes(_:with:)``, or if both have the
    /// same subject, apart from marks such as `Re:`. A person takes them for one conversation.
    public func joins(_ other: MessageFacts, with message: MessageFacts) -> Bool {
        if includes(other, with: message) || sent.contains(other.id) { return true }
        let subject = BaseSubject.of(message.subject)
        return other.conversation == message.conversation && !subject.isEmpty
            && subject.lowercased() == BaseSubject.of(other.subject).lowercased()
    }

    /// Its subject, writer and recipients: two messages that share them take the same others along.
    static func heading(of message: MessageFacts) -> [String] {
        [message.subject] + (message.from + message.to + message.cc).map(\.comparable)
    }

    /// Those of the messages that join this one, and those that join these.
    func joining(_ messages: [MessageFacts], with message: MessageFacts) -> [MessageFacts] {
        var (joined, rest) = ([] as [MessageFacts], messages)
        var leaders = [message]
        var seen: Set<[String]> = []
        while let leader = leaders.popLast() {
            guard seen.insert(Self.heading(of: leader)).inserted else { continue }
            let new = rest.filter { joins($0, with: leader) }
            rest.removeAll { message in new.contains { $0.key == message.key } }
            leaders += new
            joined += new
        }
        return joined
    }

    /// Whether `other` belongs to what the writer of `message` talks about: an answer, or a message that comes back, brings it
    /// back if it is deferred.
    ///
    /// Anyone can write `References` into a mail. So the writer must be a person of the other message or of the user's mail
    /// in the conversation, or both messages went to the same third address, such as that of a team.
    public func includes(_ other: MessageFacts, with message: MessageFacts) -> Bool {
        guard other.conversation == message.conversation, let writer = message.from.first else {
            return false
        }
        if other.from.contains(where: { $0.mailPerson == writer.mailPerson }) || sent.contains(message.id) {
            return true
        }
        guard !isForged(message) else { return false }
        let people = other.sender + other.to + other.cc
        return people.contains { $0.mailPerson == writer.mailPerson } || wasWrittenTo(writer, in: message)
            || !third(other).isDisjoint(with: third(message))
    }

    /// Whether the task of `mail` is also the task of `other`, a message of the same conversation.
    ///
    /// A stranger who names a conversation may get a task of his own, but it does not take the place of the tasks of others. The
    /// task of the `first` message of the conversation counts for all: the writers of the others chose to answer it.
    func sharesTask(of mail: MessageFacts, with other: MessageFacts, first: EmailID?) -> Bool {
        mail.id == other.id || mail.id == first ?? mail.id || includes(other, with: mail)
    }

    /// Whether it has the user's address in From, and is not the user's: that address is in all other mail, too.
    private func isForged(_ message: MessageFacts) -> Bool {
        !sent.contains(message.id) && message.from.contains { own.contains($0.mailPerson) }
    }

    /// The recipients other than the user. Placeholders such as `undisclosed-recipients` are not addresses.
    private func third(_ message: MessageFacts) -> Set<String> {
        let people = (message.to + message.cc).filter { !$0.localPart.isEmpty && $0.domain.contains(".") }
        return Set(people.map(\.mailPerson)).subtracting(own)
    }

    private func wasWrittenTo(_ writer: EmailAddress, in message: MessageFacts) -> Bool {
        guard let people = written[message.conversation] else { return false }
        return people.contains(writer.mailComparable) || people.contains(writer.mailPerson)
    }
}
