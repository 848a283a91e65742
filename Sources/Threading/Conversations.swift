// Decides which messages of a thread are one conversation, so that a decision about one of them may apply to others.
//
// A thread contains all messages with common identifiers, which is right for display. But anyone can write
// `References`, and a mail that names two threads makes them one. So for actions, messages are grouped in the order of
// their arrival, and the references of a message join it to at most one conversation. Only the user's own mail joins
// two.

public import Models

/// The parts of a message that determine its conversation.
public struct ConversationMessage: Hashable, Sendable {
    public var ids: ThreadInput
    /// The sender as `EmailAddress.comparable`; nil: the message has none.
    public var writer: String?
    /// The addresses in To and Cc, in comparable form.
    public var recipients: Set<String>
    /// Whether the message is in the account's Sent mailbox. `From` proves nothing.
    public var isOwn: Bool
    public var received: Timestamp

    public init(
        ids: ThreadInput, writer: String? = nil, recipients: Set<String> = [], isOwn: Bool = false,
        received: Timestamp
    ) {
        self.ids = ids
        self.writer = writer
        self.recipients = recipients
        self.isOwn = isOwn
        self.received = received
    }
}

public enum Conversations {
    /// The first message of each message's conversation. The order of `messages` does not matter.
    ///
    /// A conversation of more than `largest` messages loses those of strangers: anyone can send many mails that name it. If
    /// more remain, each of them is a separate conversation, and so is each message of a stranger.
    public static func firstMessages(
        _ messages: [ConversationMessage], largest: Int = .max
    ) -> [EmailID: EmailID] {
        let sorted = messages.sorted { ($0.received, $0.ids.message) < ($1.received, $1.ids.message) }
        var replay = Replay(sorted)
        var first = replay.run()
        guard sorted.count > largest else { return first }
        let groups = Dictionary(grouping: sorted) { first[$0.ids.message] }
        for group in groups.values where group.count > largest {
            let known = withoutStrangers(group)
            for message in group.map(\.ids.message) where known.count > largest || !known.contains(message) {
                first[message] = message
            }
        }
        return first
    }

    /// The user's own messages of a conversation, the first one, and those from people who wrote or received an earlier one of
    /// these.
    private static func withoutStrangers(_ conversation: [ConversationMessage]) -> Set<EmailID> {
        var people: Set<String> = []
        var known: Set<EmailID> = []
        for message in conversation {
            guard known.isEmpty || message.isOwn || message.writer.map(people.contains) ?? false else {
                continue
            }
            known.insert(message.ids.message)
            people.formUnion(message.recipients)
            if let writer = message.writer { people.insert(writer) }
        }
        return known
    }
}

/// Adds the messages of one thread in the order of their arrival.
private struct Replay {
    /// The most messages remembered for each identifier.
    private static let mentions = 8

    private let messages: [ConversationMessage]
    private var sets = DisjointSets()
    /// The first message with each Message-ID.
    private var held: [MessageID: Int] = [:]
    /// Earlier messages that name each identifier.
    private var naming: [MessageID: [Int]] = [:]
    /// Messages that name others, none of which has arrived.
    private var isOpen: Set<Int> = []
    /// The addresses to which the user wrote in a conversation, by its root.
    private var written: [Int: Set<String>] = [:]

    init(_ messages: [ConversationMessage]) { self.messages = messages }

    mutating func run() -> [EmailID: EmailID] {
        for index in messages.indices {
            _ = sets.add()
            if messages[index].isOwn { written[index] = messages[index].recipients }
            place(index)
        }
        var first: [Int: EmailID] = [:]
        var found: [EmailID: EmailID] = [:]
        for index in messages.indices {
            let root = sets.root(of: index)
            let id = first[root] ?? messages[index].ids.message
            first[root] = id
            found[messages[index].ids.message] = id
        }
        return found
    }

    private mutating func place(_ index: Int) {
        let message = messages[index]
        let own = message.ids.messageID.flatMap { Threader.isIdentifier($0) ? $0 : nil }
        if let own {
            // A second copy joins the first one, whatever else it names.
            if let first = held[own] { return join(index, first) }
            held[own] = index
            for earlier in naming[own] ?? [] where isOpen.remove(earlier) != nil { join(earlier, index) }
        }
        let names = names(of: message, besides: own)
        let parents = names.compactMap { held[$0] }
        if let parent = parents.first {
            let before = sets.root(of: parent)
            let others = parents.filter { mayJoin(message, sets.root(of: $0), before) }
            join(index, parent)
            for other in others { join(index, other) }
        } else if let sibling = sibling(of: message, naming: names) {
            join(index, sibling)
        } else if !names.isEmpty {
            isOpen.insert(index)
        }
        for name in names where naming[name, default: []].count < Self.mentions {
            naming[name, default: []].append(index)
        }
    }

    /// The names, nearest first.
    private func names(of message: ConversationMessage, besides own: MessageID?) -> [MessageID] {
        var bounded = message.ids
        bounded.messageID = nil
        let known = Set(Threader.ids(of: bounded))
        var seen: Set<MessageID> = []
        let names = message.ids.inReplyTo + message.ids.references.reversed()
        return names.filter { $0 != own && known.contains($0) && seen.insert($0).inserted }
    }

    /// An earlier message that answers the same missing message, and was sent by the user, by the sender of this message,
    /// or by one of its recipients.
    private func sibling(of message: ConversationMessage, naming names: [MessageID]) -> Int? {
        for name in names {
            let sibling = naming[name]?.last { index in
                let other = messages[index]
                guard let writer = other.writer else { return other.isOwn }
                return other.isOwn || writer == message.writer || message.recipients.contains(writer)
            }
            if let sibling { return sibling }
        }
        return nil
    }

    /// Whether two conversations become one: by the user's own mail, or by a mail from a person to whom the user wrote
    /// in both.
    private func mayJoin(_ message: ConversationMessage, _ a: Int, _ b: Int) -> Bool {
        guard a != b else { return false }
        if message.isOwn { return true }
        guard let writer = message.writer else { return false }
        return [a, b].allSatisfy { written[$0]?.contains(writer) ?? false }
    }

    private mutating func join(_ a: Int, _ b: Int) {
        let (first, second) = (sets.root(of: a), sets.root(of: b))
        guard first != second else { return }
        let all = (written.removeValue(forKey: first) ?? []).union(written.removeValue(forKey: second) ?? [])
        sets.join(first, second)
        if !all.isEmpty { written[sets.root(of: first)] = all }
    }
}
