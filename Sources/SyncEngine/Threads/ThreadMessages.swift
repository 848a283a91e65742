import MIMEParser
public import MailStore
public import Models
import Threading

/// The messages of a thread as a tree of replies, built by the RFC 5256 REFERENCES algorithm.
public struct ThreadMessages: Sendable {
    /// A message of the thread, or a missing message that others reply to.
    public struct Node: Hashable, Sendable {
        /// nil: the message is missing.
        public var message: EmailID?
        /// The id of a missing message, if another message refers to it.
        public var messageID: MessageID?
        /// An index into the nodes; nil: the node is a root.
        public var parent: Int?
        public var depth: Int
        /// An earlier message has the same Message-ID.
        public var isDuplicate: Bool
    }

    /// Each node after its parent, one tree after the other.
    public let nodes: [Node]

    /// The maximum number of messages for which a tree is built.
    public static let most = 10_000

    /// nil: the thread has too many messages.
    public init?(of thread: ThreadID, account: AccountID, store: Store) throws {
        let messages = try store.threads.threadMessages(
            of: thread, account: account, limit: Self.most, Message.init)
        guard let messages else { return nil }
        self.init(messages)
    }

    public init(_ messages: [ThreadMessage]) { self.init(messages.map(Message.init)) }

    /// The parts of a message that determine its place in the tree.
    private struct Message {
        let id: EmailID
        let date: Timestamp
        let envelope: Envelope

        init(_ message: ThreadMessage) {
            id = message.id
            envelope = HeaderBlock.envelope(of: message.headerBlock)
            date = envelope.date ?? message.received
        }
    }

    private init(_ messages: [Message]) {
        let read = messages.sorted { ($0.date, $0.id) < ($1.date, $1.id) }
        // Sorted by date, so the tree does not depend on the order of arrival.
        let trees = ReferenceTree.threads(
            read.map { message in
                TreeMessage(
                    id: message.envelope.messageID, inReplyTo: message.envelope.inReplyTo,
                    references: message.envelope.references, date: message.date)
            }, joinsSubjects: false)
        var seen: Set<MessageID> = []
        let isDuplicate = read.map { message in
            message.envelope.messageID.map { !seen.insert($0).inserted } ?? false
        }
        var nodes: [Node] = []
        for tree in trees {
            let start = nodes.count
            nodes += tree.nodes.map { node in
                Node(
                    message: node.message.map { read[$0].id }, messageID: node.id,
                    parent: node.parent.map { $0 + start }, depth: node.depth,
                    isDuplicate: node.message.map { isDuplicate[$0] } ?? false)
            }
        }
        self.nodes = nodes
    }

    /// For each message at or below a split by the user, the message at which the part starts. The nearest
    /// split counts.
    public func heads(splits: Set<EmailID>) -> [EmailID: EmailID] {
        var found: [EmailID: EmailID] = [:]
        var heads: [EmailID?] = []
        for node in nodes {
            let own = node.message.flatMap { splits.contains($0) ? $0 : nil }
            let head = own ?? node.parent.flatMap { heads[$0] }
            heads.append(head)
            if let message = node.message, let head { found[message] = head }
        }
        return found
    }

    /// The name of a part that was split off. No reply thread has such a name.
    static func name(ofPart head: EmailID) -> ThreadID { ThreadID(rawValue: head.rawValue + ".s") }
}
