import MIMEParser
public import Models
import Threading

/// The threads of a mailbox as trees.
///
/// Texts come from strangers and are only decoded. The nodes of a thread are a list in which each follows its parent,
/// because a tree may be too deep for JSON parsers.
public struct ThreadsInspection: Encodable, Sendable {
    public struct Thread: Encodable, Sendable {
        /// The messages in the notation of RFC 5256: `(3 6 (4 23)(44 7 96))`.
        public var notation: String
        /// The number of messages, without missing ones.
        public var messages: Int
        public var nodes: [Node]
    }

    public struct Node: Encodable, Sendable {
        /// Counted from 1 in the order of reading; nil: the message is missing.
        public var number: Int?
        /// The index of the node that it answers; nil: the root.
        public var parent: Int?
        public var depth: Int
        /// For a missing message, the Message-ID that others refer to.
        public var messageID: String?
        /// Whether an earlier message has the same Message-ID.
        public var isDuplicate: Bool
        public var subject: String?
        public var from: MessageInspection.Person?
        /// RFC 3339, in UTC.
        public var date: String?
        /// Relative to the folder; nil: an mbox.
        public var file: String?
    }

    public var messages: Int
    public var threads: [Thread]

    /// - Parameters:
    ///   - path: A Maildir, a folder of message files, or an mbox; `-` is an mbox on standard input.
    ///   - joinsSubjects: Whether to join threads with the same base subject, which is the last step of REFERENCES.
    /// - Throws: ``Problem``: the mailbox is missing, unreadable, or has too many messages.
    public init(_ path: String, joinsSubjects: Bool = true) throws(Problem) {
        let heads = try MailHeads(path).heads
        let envelopes = heads.map { HeaderBlock.envelope(of: $0.bytes) }
        // A message without a date counts as sent when it was received. RFC 5256 §2.2.
        let found = zip(heads, envelopes).map { head, envelope in
            TreeMessage(
                id: envelope.messageID, inReplyTo: envelope.inReplyTo, references: envelope.references,
                baseSubject: BaseSubject.of(envelope.subject),
                isReply: BaseSubject.isMarked(envelope.subject),
                date: envelope.date ?? head.received)
        }
        var seen: Set<MessageID> = []
        let isDuplicate = envelopes.map { envelope in
            envelope.messageID.map { !seen.insert($0).inserted } ?? false
        }
        messages = heads.count
        threads = ReferenceTree.threads(found, joinsSubjects: joinsSubjects).map { tree in
            Thread(
                notation: tree.notation, messages: tree.nodes.count { $0.message != nil },
                nodes: tree.nodes.map { node in
                    guard let index = node.message else {
                        return Node(
                            parent: node.parent, depth: node.depth, messageID: node.id?.rawValue,
                            isDuplicate: false)
                    }
                    let envelope = envelopes[index]
                    return Node(
                        number: index + 1, parent: node.parent, depth: node.depth,
                        messageID: envelope.messageID?.rawValue, isDuplicate: isDuplicate[index],
                        subject: envelope.subject,
                        from: envelope.from.first.map(MessageInspection.Person.init),
                        date: envelope.date?.rfc3339, file: heads[index].file)
                })
        }
    }
}
