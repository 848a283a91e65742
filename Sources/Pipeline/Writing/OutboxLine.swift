public import Models

/// One mail of the outbox in a list.
public struct OutboxLine: Sendable {
    public enum State: String, Sendable {
        /// Waits for its due time, or for the next run.
        case queued
        /// opus crashed: the mail waits until the user confirms it.
        case held
        case sending
        /// The final dot was sent and no reply arrived; opus is searching for the mail.
        case unknown
        /// Refused, with the server's reply.
        case failed
        /// The result is unknown, and only the user can decide.
        case needsDecision = "needs-decision"
        case sent
        case discarded
    }

    /// A step of a sent mail that failed or still waits.
    public struct Leftover: Sendable {
        public enum Part: String, Sendable {
            /// The copy in Sent.
            case copy
            /// The removal of the draft from its mailbox.
            case draft
        }

        public var part: Part
        /// Whether the server refused it for good. Otherwise a later run tries again.
        public var isFailed: Bool
        public var reason: String?

        init?(_ step: Step) {
            switch step.kind {
            case .append: part = .copy
            case .remove: part = .draft
            default: return nil
            }
            isFailed = step.state == .rejected
            reason = step.reason
        }
    }

    public var id: String
    public var name: String
    public var account: AccountID
    public var state: State
    public var queuedAt: Timestamp
    /// The earliest time of sending.
    public var dueAt: Timestamp?
    public var recipients: [String]
    public var subject: String
    public var messageID: MessageID
    public var attempts: Int
    /// The server's reply, or why the mail waits.
    public var reason: String?
    /// The server's replies for single recipients.
    public var refusals: [String: String]
    /// Of a sent mail; known only where all mails are listed.
    public var unfinished: [Leftover] = []
    /// Whether Sent has a mail with which another program probably sent this one.
    var wasSentElsewhere = false
    /// The row in the journal.
    public let step: Int64

    /// Whether a queued mail could have been sent by now.
    public func isOverdue(at now: Timestamp) -> Bool {
        state == .queued && dueAt ?? queuedAt <= now
    }
}
