/// An automatic reply, sent to each sender once in a while. RFC 5230.
public struct AutoReply: Hashable, Codable, Sendable {
    /// The envelope sender if it is known, otherwise the address of From.
    public var to: EmailAddress
    public var subject: String
    public var text: String
    /// opus sends the same sender one reply within this many days.
    public var days: Int
    public var sending: Delegation.Sending

    public init(
        to: EmailAddress, subject: String, text: String, days: Int = 7, sending: Delegation.Sending = .draft
    ) {
        self.to = to
        self.subject = subject
        self.text = text
        self.days = days
        self.sending = sending
    }
}
