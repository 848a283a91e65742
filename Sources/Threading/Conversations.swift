// Which messages of a thread are one conversation, so that what is decided about one may take others along.
//
// A thread joins whatever identifiers join, which is right for showing it. But anyone can write `References`: one mail
// that names two threads makes them one. So for acting, messages are put together in the order in which they came, and
// each joins at most one conversation by its own word. Only the user's word joins two.

public import Models

/// A message of a thread, as far as that takes.
public struct ConversationMessage: Hashable, Sendable {
    public var ids: ThreadInput
    /// `EmailAddress.comparable` of the writer; nil: it names none.
    public var writer: String?
    /// Comparable addresses in To and Cc.
    public var recipients: Set<String>
    /// Whether the account's own mailbox of sent mail has it: what `From` says proves nothing.
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
    /// The first message of the conversation that each message belongs to. The order of `messages` does not matter.
    public static func firstMessages(_ messages: [ConversationMessage]) -> [EmailID: EmailID] {
        var replay = Replay(
            messages.sorted { ($0.received, $0.ids.message) < ($1.received, $1.ids.message) })
        return replay.run()
    }
}

/// The arrivals of one thread, one after the other.
private struct Replay {
    /// So many messages that name an identifier are remembered.
    private static let mentions = 8

    private let messages: [ConversationMessage]
    private var sets = DisjointSets()
    /// The first message with that Message-ID.
    private var held: [MessageID: Int] = [:]
    /// Earlier messages that name an identifier.
    private var naming: [MessageID: [Int]] = [:]
    /// Messages that name others and have found none of them yet.
    private var isOpen: Set<Int> = []
    /// To whom the user wrote in a conversation, by its root.
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
            // A second copy: whatever else it names.
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

    /// Nearest first.
    private func names(of message: ConversationMessage, besides own: MessageID?) -> [MessageID] {
        var bounded = message.ids
        bounded.messageID = nil
        let known = Set(Threader.ids(of: bounded))
        var seen: Set<MessageID> = []
        let names = message.ids.inReplyTo + message.ids.references.reversed()
        return names.filter { $0 != own && known.contains($0) && seen.insert($0).inserted }
    }

    /// An earlier message that answers the same missing one, from a recipient of this message: another writer's
    /// word counts only where this message's writer knows of him.
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

    /// Two conversations become one by the user's own mail, or by a mail from someone to whom the user wrote in both.
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
