/// A message that the user forwards to another person, and the wait for the answer.
public struct Delegation: Hashable, Codable, Sendable {
    public enum Sending: String, Hashable, Codable, Sendable {
        /// It stays in Drafts until the user sends it.
        case draft
        /// opus sends it: only if the rule has `send: now` and the workspace has `allow-send: true`.
        case now
    }

    public var to: EmailAddress
    /// The user's text above the quoted message.
    public var note: String
    public var followUp: TodoDate?
    public var sending: Sending
    /// What an answer does to the task; nil: the default.
    public var onReply: ReplyPolicy?

    /// Whether the mail is already in Sent or Drafts, so that only the task is made; nil: no.
    public var isWritten: Bool?

    public init(to: EmailAddress, note: String = "", followUp: TodoDate? = nil, sending: Sending = .draft) {
        self.to = to
        self.note = note
        self.followUp = followUp
        self.sending = sending
    }
}
