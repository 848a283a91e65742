// Queries of the store: which messages, and which parts of them.

public import Models

/// Which messages to read, each in every mailbox that holds it.
public enum FactSelection: Hashable, Sendable {
    /// The mailboxes with that role, in one account or in all accounts.
    case role(AccountID?, MailboxRole)
    case mailbox(AccountID, MailboxName)
    case ids([EmailID])
    case thread(ThreadID)
    case threads([ThreadID])
    case everything(AccountID?)
}

/// Data that costs more than a row: read only if a rule needs it.
public struct FactParts: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let headers = FactParts(rawValue: 1)
    public static let text = FactParts(rawValue: 2)
}

/// Everything that the store has about one message.
public struct StoredMessage: Hashable, Sendable {
    public var id: EmailID
    public var account: AccountID
    public var fingerprint: String
    /// nil: it was stored before opus compared bodies.
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
    /// Empty if no mailbox holds it.
    public var places: [MessagePlace]
}

/// The mail that a task is linked to.
public struct TodoLink: Hashable, Sendable {
    /// The reason for the link.
    public enum Basis: String, Sendable {
        /// Opus made the link together with the task.
        case made
        /// The user confirmed the link.
        case agreed
    }

    public var message: EmailID
    public var thread: ThreadID
    /// The part of the thread that decisions act on.
    public var conversation: ThreadID
    public var account: AccountID
    /// The id of the rule, or the verb of the user.
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
