public import Models

/// Groups messages into threads: all that share an identifier, directly or through others.
///
/// This is REFERENCES of RFC 5256 without its last step: subjects never join threads here. Identifiers come from
/// strangers; they may form loops, contradict each other or be repeated. Each message is in exactly one thread anyway,
/// because identifiers only join, and the ids of threads do not depend on the order of the messages.
public enum Threader {
    /// The most references that count: the first (the root) and the last ones (the parents). The header reader keeps no
    /// more.
    static let maximumReferences = 1_000
    static let maximumInReplyTo = 5
    /// The longest line, and so the longest identifier. RFC 5322 §2.1.1.
    static let maximumIDLength = 998

    /// Puts every message into a thread.
    ///
    /// A new thread has the id of its first message in `messages`. If a message joins two threads, the smaller id
    /// stays. `existing`: the known threads of the identifiers that ``ids(of:)`` returns.
    public static func assign(
        _ messages: [ThreadInput], existing: [MessageID: ThreadID]
    ) -> ThreadAssignment {
        var graph = Graph()
        for message in messages {
            let node = graph.node(of: message.message)
            for id in ids(of: message) {
                let idNode = graph.node(of: id)
                graph.join(node, idNode)
                if let thread = existing[id] { graph.join(idNode, graph.node(of: thread)) }
            }
        }
        return graph.assignment(order: messages.map(\.message))
    }

    /// The identifiers that connect the message to others: its own, then the others up to a limit, without duplicates.
    ///
    /// A text without an `@` between other characters is not an identifier. RFC 5322 §3.6.4.
    public static func ids(of message: ThreadInput) -> [MessageID] {
        let references = message.references
        let ids =
            [message.messageID].compactMap(\.self) + references.prefix(1)
            + references.dropFirst().suffix(maximumReferences) + message.inReplyTo.prefix(maximumInReplyTo)
        var seen: Set<MessageID> = []
        return ids.filter { isIdentifier($0) && seen.insert($0).inserted }
    }

    static func isIdentifier(_ id: MessageID) -> Bool {
        let text = id.rawValue.utf8
        guard text.count <= maximumIDLength, let at = text.lastIndex(of: UInt8(ascii: "@")) else {
            return false
        }
        return at != text.startIndex && text.index(after: at) != text.endIndex
    }
}

/// Messages, identifiers and known threads, joined where one names another.
private struct Graph {
    private var sets = DisjointSets()
    private var messages: [EmailID: Int] = [:]
    private var ids: [MessageID: Int] = [:]
    private var threads: [ThreadID: Int] = [:]

    mutating func node(of message: EmailID) -> Int { Self.node(message, in: &messages, &sets) }
    mutating func node(of id: MessageID) -> Int { Self.node(id, in: &ids, &sets) }
    mutating func node(of thread: ThreadID) -> Int { Self.node(thread, in: &threads, &sets) }
    mutating func join(_ a: Int, _ b: Int) { sets.join(a, b) }

    private static func node<Key: Hashable>(
        _ key: Key, in nodes: inout [Key: Int], _ sets: inout DisjointSets
    ) -> Int {
        if let node = nodes[key] { return node }
        let node = sets.add()
        nodes[key] = node
        return node
    }

    mutating func assignment(order: [EmailID]) -> ThreadAssignment {
        var names: [Int: ThreadID] = [:]
        for (thread, node) in threads {
            let root = sets.root(of: node)
            names[root] = min(names[root] ?? thread, thread)
        }
        var result = ThreadAssignment()
        for message in order {
            let root = sets.root(of: node(of: message))
            let thread = names[root] ?? ThreadID(rawValue: message.rawValue)
            names[root] = thread
            result.threads[message] = thread
        }
        for (id, node) in ids { result.links[id] = names[sets.root(of: node)] }
        for (thread, node) in threads {
            guard let name = names[sets.root(of: node)], name != thread else { continue }
            result.merges.append(ThreadAssignment.Merge(from: thread, into: name))
        }
        result.merges.sort { $0.from < $1.from }
        return result
    }
}
