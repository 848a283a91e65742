/// A message handed to someone else, and the wait for their answer.
public struct Delegation: Hashable, Codable, Sendable {
    public enum Sending: String, Hashable, Codable, Sendable {
        /// Kept in Drafts for a person to send.
        case draft
        /// Submitted by us: only where the rule says `send: now` and the workspace `allow-send: true`.
        case now
    }

    public var to: EmailAddress
    /// Our words above the quoted message.
    public var note: String
    public var followUp: TodoDate?
    public var sending: Sending
    /// What the answer does to the task; nil: the usual.
    public var onReply: ReplyPolicy?

    public init(to: EmailAddress, note: String = "", followUp: TodoDate? = nil, sending: Sending = .draft) {
        self.to = to
        self.note = note
        self.followUp = followUp
        self.sending = sending
    }
}
