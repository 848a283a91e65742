import MIMEParser
public import MailStore
public import Models
import Threading

/// The messages of a thread as a tree of answers, as RFC 5256 REFERENCES builds it.
public struct ThreadMessages: Sendable {
    /// A message of the thread, or a missing one that others answer.
    public struct Node: Hashable, Sendable {
        /// nil: it is missing.
        public var message: EmailID?
        /// Of a missing message, where one names it.
        public var messageID: MessageID?
        /// An index into the nodes; nil: a first message.
        public var parent: Int?
        public var depth: Int
        /// An earlier message has the same Message-ID.
        public var isDuplicate: Bool
    }

    /// Each after its parent, one tree after the other.
    public let nodes: [Node]

    /// More messages are not read as a tree.
    public static let most = 10_000

    /// nil: there are too many.
    public init?(of thread: ThreadID, account: AccountID, store: Store) throws {
        guard let messages = try store.threads.threadMessages(of: thread, account: account, limit: Self.most)
        else { return nil }
        self.init(messages)
    }

    public init(_ messages: [ThreadMessage]) {
        let read = messages.map { ($0, HeaderBlock.envelope(of: $0.headerBlock)) }
            .map { (id: $0.id, date: $1.date ?? $0.received, envelope: $1) }
            .sorted { ($0.date, $0.id) < ($1.date, $1.id) }
        // In the order of their dates: the tree does not depend on the order in which they came.
        let trees = ReferenceTree.threads(
            read.map { id, date, envelope in
                TreeMessage(
                    id: envelope.messageID, inReplyTo: envelope.inReplyTo, references: envelope.references,
                    date: date)
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

    /// The messages that begin a thread of their own because the user split it there, for every message below them. The
    /// nearest counts.
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

    /// The name of a part that was split off, which no thread of identifiers has.
    static func name(ofPart head: EmailID) -> ThreadID { ThreadID(rawValue: head.rawValue + ".s") }
}
