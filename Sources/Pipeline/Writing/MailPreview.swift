public import MailStore
public import Models

/// A mail as it will be sent, for the user's confirmation.
public struct MailPreview: Sendable {
    public var draft: StoredDraft
    public var account: AccountID
    public var from: EmailAddress
    public var recipients: [EmailAddress]
    public var subject: String
    public var files: [String]
    /// Bytes.
    public var size: Int
    /// When to ask again for the answer, as a date phrase; nil: there is no wait.
    public var wait: String?
}

/// Mails that were put into the outbox.
public struct QueuedMail: Sendable {
    public var account: AccountID
    /// The rows of the journal that submit them.
    public var submissions: [Int64]
    /// When the first of them may leave.
    public var dueAt: Timestamp
}
