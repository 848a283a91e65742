public import MailStore
public import Models

/// A mail before sending, for the user's confirmation.
public struct MailPreview: Sendable {
    public var draft: StoredDraft
    public var account: AccountID
    public var from: EmailAddress
    public var to: [EmailAddress]
    public var cc: [EmailAddress]
    public var bcc: [EmailAddress]
    public var subject: String
    public var files: [String]
    /// In bytes.
    public var size: Int
    /// When to ask again for the answer, as a date phrase; nil: no wait.
    public var wait: String?
}

/// Mails that were queued in the outbox.
public struct QueuedMail: Sendable {
    public var account: AccountID
    /// The journal rows of their submissions.
    public var submissions: [Int64]
    /// The earliest time of sending.
    public var dueAt: Timestamp
}
