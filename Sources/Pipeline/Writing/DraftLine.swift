public import Models

/// One draft as lists show it.
public struct DraftLine: Sendable {
    public enum State: String, Sendable {
        /// Here and in the Drafts mailbox.
        case saved
        /// Here; the Drafts mailbox has an older version, or none.
        case local
        /// What was typed cannot be read as a message yet.
        case unfinished
        /// Its submission is queued, on its way, or needs the user's decision.
        case sending
        /// In the Drafts mailbox, written by another program or by a rule.
        case elsewhere
        /// The Drafts mailbox had it, but no longer does.
        case removedElsewhere = "removed-elsewhere"
    }

    public var id: String
    /// The whole id.
    public var name: String
    public var account: AccountID
    public var savedAt: Timestamp
    public var state: State
    public var to: [EmailAddress]
    public var subject: String
    /// When to ask again for the answer once it was sent, as a date phrase; nil: there is no wait.
    public var wait: String?
}
