/// Everything that rules may ask about one message, frozen at the start of a run.

/// One header field, decoded to text. Text from a stranger. RFC 5322 §2.2.
public struct HeaderField: Hashable, Codable, Sendable {
    public var name: String
    public var body: String

    public init(name: String, body: String) {
        self.name = name
        self.body = body
    }
}

/// A part that users see as a file.
public struct Attachment: Hashable, Codable, Sendable {
    /// As the sender named it, decoded; not a safe file name.
    public var name: String
    /// `type/subtype`, lower case.
    public var contentType: String
    /// Decoded bytes; an estimate when only the structure is known.
    public var size: Int
    /// The part's number as IMAP counts: `2` or `1.2.3`. RFC 3501 §6.4.5.
    public var section: String
    public var contentID: String?
    public var isInline: Bool

    public init(
        name: String, contentType: String, size: Int, section: String, contentID: String? = nil,
        isInline: Bool = false
    ) {
        self.name = name
        self.contentType = contentType
        self.size = size
        self.section = section
        self.contentID = contentID
        self.isInline = isInline
    }
}

/// The facts of one message in one mailbox.
public struct MessageFacts: Hashable, Codable, Sendable {
    public var id: EmailID
    public var key: MessageKey
    public var mailbox: Mailbox
    public var thread: ThreadID
    public var messageID: MessageID?
    public var from: [EmailAddress]
    public var sender: [EmailAddress]
    public var replyTo: [EmailAddress]
    public var to: [EmailAddress]
    public var cc: [EmailAddress]
    public var bcc: [EmailAddress]
    public var subject: String
    /// The `Date` field; nil when missing or unreadable.
    public var sent: Timestamp?
    /// INTERNALDATE, or the arrival time of the Maildir file.
    public var received: Timestamp
    /// RFC822.SIZE or the file's size, in bytes. Servers estimate: never proof.
    public var size: Int
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    public var headers: [HeaderField]
    /// The readable body; nil when it was not fetched.
    public var text: String?
    public var attachments: [Attachment]
    /// The limits of the parser that the message goes beyond, such as `tooManyParts`: it was read only in part, and
    /// rules do no more than flag it. Empty for nearly all.
    public var exceededLimits: [String]
    /// Open tasks that this message's thread already has.
    public var openTodos: [TodoID]

    public init(id: EmailID, key: MessageKey, mailbox: Mailbox, thread: ThreadID, received: Timestamp) {
        self.id = id
        self.key = key
        self.mailbox = mailbox
        self.thread = thread
        self.received = received
        from = []
        sender = []
        replyTo = []
        to = []
        cc = []
        bcc = []
        subject = ""
        size = 0
        flags = []
        keywords = []
        headers = []
        attachments = []
        exceededLimits = []
        openTodos = []
    }

    /// Header and text, where they were read after the rest.
    public mutating func take(_ content: MessageContent) {
        headers = content.headers
        text = content.text
    }

    /// The bodies of every field of that name, in order; names are compared without case.
    public func header(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return headers.filter { $0.name.lowercased() == wanted }.map(\.body)
    }

    /// The time the message is judged by: `Date` when it can be read, else arrival.
    public var date: Timestamp { sent ?? received }
}

/// What costs more to read than a row of a list, and is read for the messages alone whose rules ask for it.
public struct MessageContent: Hashable, Sendable {
    public var headers: [HeaderField]
    /// nil when it was not read.
    public var text: String?

    public init(headers: [HeaderField] = [], text: String? = nil) {
        self.headers = headers
        self.text = text
    }
}
