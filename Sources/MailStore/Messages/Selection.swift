// Questions to the store: which messages, and which parts of them.

public import Models

/// Which messages to read, each in every mailbox that holds it.
public enum FactSelection: Hashable, Sendable {
    /// The mailboxes with that role, of one account or of all.
    case role(AccountID?, MailboxRole)
    case mailbox(AccountID, MailboxName)
    case ids([EmailID])
    case thread(ThreadID)
    case threads([ThreadID])
    case everything(AccountID?)
}

/// Data that costs more than a row: read only where a rule needs it.
public struct FactParts: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let headers = FactParts(rawValue: 1)
    public static let text = FactParts(rawValue: 2)
}

/// All that the store has of one message.
public struct StoredMessage: Hashable, Sendable {
    public var id: EmailID
    public var account: AccountID
    public var fingerprint: String
    /// nil: it came before bodies were compared.
    public var body: BodyDigest?
    public var thread: ThreadID
    /// See ``MessageFacts/conversation``.
    public var conversation: ThreadID
    public var messageID: MessageID?
    public var subject: String
    public var from: [EmailAddress]
    public var sender: [EmailAddress]
    public var replyTo: [EmailAddress]
    public var to: [EmailAddress]
    public var cc: [EmailAddress]
    public var bcc: [EmailAddress]
    public var sent: Timestamp?
    public var received: Timestamp
    public var size: Int
    public var headerBlock: [UInt8]
    public var text: String
    public var attachments: [Attachment]
    public var isTruncated: Bool
    /// See ``MessageFacts/exceededLimits``.
    public var exceededLimits: [String]
    /// See ``NewMessage/remoteID``.
    public var remoteID: String?
    /// See ``NewMessage/signature``.
    public var signature: SignatureVerdict?
    /// Empty when no mailbox holds it any more.
    public var places: [MessagePlace]
}

/// The mail behind a task.
public struct TodoLink: Hashable, Sendable {
    /// Who made the link.
    public enum Basis: String, Sendable {
        /// Opus, with the task.
        case made
        /// A person, who was asked.
        case agreed
    }

    public var message: EmailID
    public var thread: ThreadID
    /// The part of the thread that decisions act on.
    public var conversation: ThreadID
    public var account: AccountID
    /// The rule, or a person's verb.
    public var rule: String

    public init(
        message: EmailID, thread: ThreadID, conversation: ThreadID? = nil, account: AccountID, rule: String
    ) {
        self.message = message
        self.conversation = conversation ?? thread
        self.thread = thread
        self.account = account
        self.rule = rule
    }
}
