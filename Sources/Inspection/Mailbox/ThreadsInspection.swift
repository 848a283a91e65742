import MIMEParser
public import Models
import Threading

/// The threads of any mailbox as trees: the document `opus.mail-threads/1`.
///
/// Texts are a stranger's, decoded and otherwise as they came. The nodes of a thread are a list in which each comes
/// after its parent: a tree can be deeper than a reader of JSON goes.
public struct ThreadsInspection: Encodable, Sendable {
    public struct Thread: Encodable, Sendable {
        /// The messages in the notation of RFC 5256: `(3 6 (4 23)(44 7 96))`.
        public var notation: String
        /// How many messages it has; missing ones are not counted.
        public var messages: Int
        public var nodes: [Node]
    }

    public struct Node: Encodable, Sendable {
        /// From 1, in the order in which the mailbox was read; nil: the message is missing.
        public var number: Int?
        /// The index of the node that it answers; nil: the root.
        public var parent: Int?
        public var depth: Int
        /// Of a missing message the name under which others speak of it.
        public var messageID: String?
        /// An earlier message has this Message-ID too.
        public var isDuplicate: Bool
        public var subject: String?
        public var from: MessageInspection.Person?
        /// RFC 3339, in UTC.
        public var date: String?
        /// Below the folder; nil in an mbox.
        public var file: String?
    }

    public var schema = "opus.mail-threads/1"
    public var messages: Int
    public var threads: [Thread]

    /// - Parameters:
    ///   - path: a Maildir, a folder of message files, an mbox; `-` is an mbox on standard input.
    ///   - joinsSubjects: also joins threads of one base subject, as the last step of REFERENCES does.
    /// - Throws: ``Problem``: the mailbox is not there, cannot be read, or has too many messages.
    public init(_ path: String, joinsSubjects: Bool = true) throws(Problem) {
        let heads = try MailHeads(path).heads
        let envelopes = heads.map { HeaderBlock.envelope(of: $0.bytes) }
        let found = envelopes.map { envelope in
            TreeMessage(
                id: envelope.messageID, inReplyTo: envelope.inReplyTo, references: envelope.references,
                baseSubject: BaseSubject.of(envelope.subject),
                isReply: BaseSubject.isMarked(envelope.subject),
                date: envelope.date)
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
