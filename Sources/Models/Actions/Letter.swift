/// A mail that a rule writes about a message: a reply or a forward.
public struct Letter: Hashable, Codable, Sendable {
    public enum Kind: String, Hashable, Codable, Sendable {
        case reply
        /// Quotes the original and attaches its files.
        case forward
    }

    public var kind: Kind
    public var to: [EmailAddress]
    /// nil: `Re:` or `Fwd:` and the subject of the message.
    public var subject: String?
    /// The user's text above the quoted message.
    public var text: String
    public var sending: Delegation.Sending
    /// 2 for the second mail of this kind to these people about the message, and so on; nil: the first one.
    public var number: Int?

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

/// A wait for a person's answer, without a mail from the user.
public struct Waiting: Hashable, Codable, Sendable {
    /// The person whose answer the task waits for.
    public var on: EmailAddress
    /// Others whom the same mail asked.
    public var others: [EmailAddress]?
    /// nil: the title is "Waiting for NAME: SUBJECT".
    public var title: String?
    public var followUp: TodoDate?
    /// What an answer does to the task; nil: the default.
    public var onReply: ReplyPolicy?

    /// Everyone whose answer the task waits for.
    public var people: [EmailAddress] { [on] + (others ?? []) }

    public init(on: EmailAddress, title: String? = nil, followUp: TodoDate? = nil) {
        self.on = on
        self.title = title
        self.followUp = followUp
    }
}
