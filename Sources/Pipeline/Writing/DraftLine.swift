public import Models

/// One draft in a list.
public struct DraftLine: Sendable {
    public enum State: String, Sendable {
        /// Saved locally and in the Drafts mailbox.
        case saved
        /// Saved locally; the Drafts mailbox has an older version, or none.
        case local
        /// The typed text cannot be parsed as a message yet.
        case unfinished
        /// Its submission is queued, in progress, or needs the user's decision.
        case sending
        /// A server refused to send it, and the user has not changed it since.
        case refused
        /// In the Drafts mailbox, written by another program or by a rule.
        case elsewhere
        /// It was removed from the Drafts mailbox.
        case removedElsewhere = "removed-elsewhere"
    }

    public var id: String
    /// The full id.
    public var name: String
    public var account: AccountID
    public var savedAt: Timestamp
    public var state: State
    public var to: [EmailAddress]
    public var subject: String
    /// When to ask again for the answer after sending, as a date phrase; nil: no wait.
    public var wait: String?
}
