import Models
public import Pipeline

/// `opus.messages/1`
public struct MessagesDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var id: String
        var account: String
        var mailbox: String
        var thread: String
        var messageID: String?
        var from: [String]
        var to: [String]
        var cc: [String]
        var subject: String
        var sent: String?
        var received: String
        var size: Int
        var flags: [String]
        var keywords: [String]
        var attachments: [AttachmentItem]
        var tasks: [String]
        var deferredUntil: String?
        /// It was deferred and is back in the inbox, unread; nil: it is not.
        var back: Bool?
        /// The days from the question to this answer; nil: no task waited for it.
        var answeredAfterDays: Int64?
        var exceededLimits: [String]
        var signature: SignatureItem?

        init(_ line: MessageLine, zone: ZoneClock) {
            let facts = line.facts
            id = facts.id.rawValue
            account = facts.key.account.rawValue
            mailbox = facts.mailbox.displayName
            thread = facts.thread.rawValue
            messageID = facts.messageID?.rawValue
            from = facts.from.map(\.description)
            to = facts.to.map(\.description)
            cc = facts.cc.map(\.description)
            subject = facts.subject
            sent = facts.sent.map(zone.rfc3339)
            received = zone.rfc3339(facts.received)
            size = facts.size
            flags = facts.flags.map(\.rawValue).sorted()
            keywords = facts.keywords.map(\.rawValue).sorted()
            attachments = facts.attachments.map(AttachmentItem.init)
            tasks = facts.openTodos.map(\.rawValue).sorted()
            exceededLimits = facts.exceededLimits
            signature = facts.signature.map(SignatureItem.init)
            for state in line.states {
                switch state {
                case .deferred(let until): deferredUntil = until.time.map(zone.rfc3339) ?? until.word
                case .back: back = true
                case .answered(let days): answeredAfterDays = days
                case .waiting, .task: break
                }
            }
        }
    }

    struct SignatureItem: Encodable, Sendable {
        var verdict: String
        var signer: String?
        var issuer: String?
        var reason: String?

        init(_ signature: SignatureVerdict) {
            verdict = signature.outcome.rawValue
            signer = signature.signer.isEmpty ? nil : signature.signer
            issuer = signature.issuer.isEmpty ? nil : signature.issuer
            reason = signature.reason.isEmpty ? nil : signature.reason
        }
    }

    struct AttachmentItem: Encodable, Sendable {
        var name: String
        var contentType: String
        var size: Int
        var section: String
        var inline: Bool

        init(_ attachment: Attachment) {
            name = attachment.name
            contentType = attachment.contentType
            size = attachment.size
            section = attachment.section
            inline = attachment.isInline
        }
    }

    /// A message of a thread, or a missing message that others reply to.
    struct Node: Encodable, Sendable {
        var id: String?
        var messageID: String?
        /// The index of the node to which it replies.
        var parent: Int?
        var depth: Int
        var duplicate: Bool

        init(_ node: ThreadNode) {
            id = node.message?.rawValue
            messageID = node.messageID?.rawValue
            parent = node.parent
            depth = node.depth
            duplicate = node.isDuplicate
        }
    }

    var schema = "opus.messages/1"
    var items: [Item]
    /// For a thread: the reply tree.
    var tree: [Node]?
    /// Reasons in the query for an empty result.
    var warnings: [String]?

    public init(
        _ lines: [MessageLine], zone: ZoneClock, warnings: [String] = [], tree: [ThreadNode]? = nil
    ) {
        self.tree = tree?.map(Node.init)
        items = lines.map { Item($0, zone: zone) }
        self.warnings = warnings.isEmpty ? nil : warnings
    }
}
