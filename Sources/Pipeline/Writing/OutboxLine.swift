public import Models

/// One mail of the outbox as lists show it.
public struct OutboxLine: Sendable {
    public enum State: String, Sendable {
        /// Waits for its time, or for the next run.
        case queued
        /// A crash came between: it waits until the user confirms.
        case held
        case sending
        /// The last dot left and its answer is missing; it is being looked for.
        case unknown
        /// Refused; in the server's words.
        case failed
        /// Unknown: only the user can find out whether it arrived.
        case needsDecision = "needs-decision"
        case sent
        case discarded
    }

    public var id: String
    public var name: String
    public var account: AccountID
    public var state: State
    public var queuedAt: Timestamp
    /// Not before then.
    public var dueAt: Timestamp?
    public var recipients: [String]
    public var subject: String
    public var messageID: MessageID
    public var attempts: Int
    /// The server's words, or why it waits.
    public var reason: String?
    /// The server's words for single recipients.
    public var refusals: [String: String]
    /// The journal's row.
    public let step: Int64
}
