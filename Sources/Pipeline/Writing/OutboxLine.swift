public import Models

/// One mail of the outbox as lists show it.
public struct OutboxLine: Sendable {
    public enum State: String, Sendable {
        /// Waits for its time, or for the next run.
        case queued
        /// opus crashed meanwhile: it waits until the user confirms.
        case held
        case sending
        /// The final dot was sent and its answer is missing; opus is searching for the mail.
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
