/// Everything about one message that rules may use, read at the start of a run.

/// One header field, decoded. It is text from a stranger. RFC 5322 §2.2.
public struct HeaderField: Hashable, Codable, Sendable {
    public var name: String
    public var body: String

    public init(name: String, body: String) {
        self.name = name
        self.body = body
    }

    /// Whether the field has this name; the name is in lower case.
    public func isNamed(_ lowercased: String) -> Bool {
        let (own, wanted) = (name.utf8, lowercased.utf8)
        guard own.allSatisfy({ $0 < 0x80 }) else { return name.lowercased() == lowercased }
        return own.count == wanted.count
            && zip(own, wanted).allSatisfy { $0 == $1 || ($0 | 0x20 == $1 && (0x41...0x5A).contains($0)) }
    }
}

/// A part of a message that users see as a file.
public struct Attachment: Hashable, Codable, Sendable {
    /// The sender's name for the file, decoded. It is not safe as a file name.
    public var name: String
    /// `type/subtype`, lower case.
    public var contentType: String
    /// Bytes after decoding; an estimate if only the structure of the message is known.
    public var size: Int
    /// The number of the part in IMAP: `2` or `1.2.3`. RFC 3501 §6.4.5.
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
///
/// There are many fields and thousands of messages, so copies share their storage until one of them changes.
public struct MessageFacts: Sendable {
    private struct Fields: Hashable, Codable, Sendable {
        var id: EmailID
        var key: MessageKey
        var mailbox: Mailbox
        var thread: ThreadID
        var conversation: ThreadID?
        var messageID: MessageID?
        var from: [EmailAddress] = []
        var sender: [EmailAddress] = []
        var replyTo: [EmailAddress] = []
        var to: [EmailAddress] = []
        var cc: [EmailAddress] = []
        var bcc: [EmailAddress] = []
        var subject: String = ""
        var sent: Timestamp?
        var received: Timestamp
        var size: Int = 0
        var flags: Set<Flag> = []
        var keywords: Set<Keyword> = []
        var headers: [HeaderField] = []
        var text: String?
        var attachments: [Attachment] = []
        var exceededLimits: [String] = []
        var openTodos: [TodoID] = []
        var signature: SignatureVerdict?
        var event: EventFacts?
    }

    // Changed only while it has a single owner; hence @unchecked.
    private final class Shared: @unchecked Sendable {
        var fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private var shared: Shared

    private var own: Fields {
        _read { yield shared.fields }
        _modify {
            if !isKnownUniquelyReferenced(&shared) { shared = Shared(shared.fields) }
            yield &shared.fields
        }
    }

    public init(id: EmailID, key: MessageKey, mailbox: Mailbox, thread: ThreadID, received: Timestamp) {
        shared = Shared(Fields(id: id, key: key, mailbox: mailbox, thread: thread, received: received))
    }

    public var id: EmailID {
        get { shared.fields.id }
        set { own.id = newValue }
    }
    public var key: MessageKey {
        get { shared.fields.key }
        set { own.key = newValue }
    }
    public var mailbox: Mailbox {
        get { shared.fields.mailbox }
        set { own.mailbox = newValue }
    }
    public var thread: ThreadID {
        get { shared.fields.thread }
        set { own.thread = newValue }
    }
    /// The part of the thread to which a decision about this message may apply: messages that its own writers or the
    /// user joined to it.
    public var conversation: ThreadID {
        get { shared.fields.conversation ?? shared.fields.thread }
        set { own.conversation = newValue == shared.fields.thread ? nil : newValue }
    }
    public var messageID: MessageID? {
        get { shared.fields.messageID }
        set { own.messageID = newValue }
    }
    public var from: [EmailAddress] {
        get { shared.fields.from }
        set { own.from = newValue }
    }
    public var sender: [EmailAddress] {
        get { shared.fields.sender }
        set { own.sender = newValue }
    }
    public var replyTo: [EmailAddress] {
        get { shared.fields.replyTo }
        set { own.replyTo = newValue }
    }
    public var to: [EmailAddress] {
        get { shared.fields.to }
        set { own.to = newValue }
    }
    public var cc: [EmailAddress] {
        get { shared.fields.cc }
        set { own.cc = newValue }
    }
    public var bcc: [EmailAddress] {
        get { shared.fields.bcc }
        set { own.bcc = newValue }
    }
    public var subject: String {
        get { shared.fields.subject }
        set { own.subject = newValue }
    }
    /// The time of the `Date` field; nil: the field is missing or unreadable.
    public var sent: Timestamp? {
        get { shared.fields.sent }
        set { own.sent = newValue }
    }
    /// INTERNALDATE, or the arrival time of the Maildir file. RFC 3501 §2.3.3.
    public var received: Timestamp {
        get { shared.fields.received }
        set { own.received = newValue }
    }
    /// RFC822.SIZE or the size of the file, in bytes. Some servers estimate it, so it does not identify a message.
    public var size: Int {
        get { shared.fields.size }
        set { own.size = newValue }
    }
    public var flags: Set<Flag> {
        get { shared.fields.flags }
        set { own.flags = newValue }
    }
    public var keywords: Set<Keyword> {
        get { shared.fields.keywords }
        set { own.keywords = newValue }
    }
    public var headers: [HeaderField] {
        get { shared.fields.headers }
        set { own.headers = newValue }
    }
    /// The readable body; nil: opus has not read it.
    public var text: String? {
        get { shared.fields.text }
        set { own.text = newValue }
    }
    public var attachments: [Attachment] {
        get { shared.fields.attachments }
        set { own.attachments = newValue }
    }
    /// The limit of a message with more text than opus reads: the name of the parser's defect.
    public static let textLimit = "textTooLarge"

    /// The parser limits that the message exceeds, such as `tooManyParts`. opus read only part of such a message, and
    /// rules may only flag it. Empty for nearly all messages.
    public var exceededLimits: [String] {
        get { shared.fields.exceededLimits }
        set { own.exceededLimits = newValue }
    }
    /// The result of the check of the message's signature; nil: it is not signed, or opus did not check it.
    public var signature: SignatureVerdict? {
        get { shared.fields.signature }
        set { own.signature = newValue }
    }
    /// The event in the calendar part; nil: the message has none, or a version of opus that did not read events stored
    /// it.
    public var event: EventFacts? {
        get { shared.fields.event }
        set { own.event = newValue }
    }
    /// Open tasks of this message's thread.
    public var openTodos: [TodoID] {
        get { shared.fields.openTodos }
        set { own.openTodos = newValue }
    }

    /// Sets the header and the text, which opus may read later than the other facts.
    public mutating func take(_ content: MessageContent) {
        headers = content.headers
        text = content.text
    }

    /// The bodies of all fields of this name, in order. Names are compared without case.
    public func header(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return headers.compactMap { $0.isNamed(wanted) ? $0.body : nil }
    }

    /// The time that rules use: `Date` if it is readable, otherwise the arrival.
    public var date: Timestamp { sent ?? received }
}

extension MessageFacts: Hashable, Codable {
    public static func == (a: Self, b: Self) -> Bool {
        a.shared === b.shared || a.shared.fields == b.shared.fields
    }

    public func hash(into hasher: inout Hasher) { shared.fields.hash(into: &hasher) }

    public init(from decoder: any Decoder) throws { shared = Shared(try Fields(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try shared.fields.encode(to: encoder) }
}

/// The header and the text. They cost more to read than a row of a list, so opus reads them only for the messages whose
/// rules use them.
public struct MessageContent: Hashable, Sendable {
    public var headers: [HeaderField]
    /// nil: opus has not read it.
    public var text: String?

    public init(headers: [HeaderField] = [], text: String? = nil) {
        self.headers = headers
        self.text = text
    }
}
