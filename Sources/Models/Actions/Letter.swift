/// A mail that a rule writes about a message: an answer to it, or the message handed on.
public struct Letter: Hashable, Codable, Sendable {
    public enum Kind: String, Hashable, Codable, Sendable {
        case reply
        /// With the original below, and its files.
        case forward
    }

    public var kind: Kind
    public var to: [EmailAddress]
    /// nil: `Re:` or `Fwd:` and the mail's own.
    public var subject: String?
    /// Our words above the quoted message.
    public var text: String
    public var sending: Delegation.Sending

    public init(
        _ kind: Kind, to: [EmailAddress], subject: String? = nil, text: String,
        sending: Delegation.Sending = .draft
    ) {
        self.kind = kind
        self.to = to
        self.subject = subject
        self.text = text
        self.sending = sending
    }
}

/// The wait for a person, without a mail from the user.
public struct Waiting: Hashable, Codable, Sendable {
    /// Whom we wait for.
    public var on: EmailAddress
    /// The others who were asked with them.
    public var others: [EmailAddress]?
    /// nil: "Waiting for NAME: SUBJECT".
    public var title: String?
    public var followUp: TodoDate?
    /// What an answer does to the task; nil: the usual.
    public var onReply: ReplyPolicy?

    /// Everyone whose answer the task waits for.
    public var people: [EmailAddress] { [on] + (others ?? []) }

    public init(on: EmailAddress, title: String? = nil, followUp: TodoDate? = nil) {
        self.on = on
        self.title = title
        self.followUp = followUp
    }
}
