/// An answer that no person writes: to each sender once in a while. RFC 5230.
public struct AutoReply: Hashable, Codable, Sendable {
    /// The envelope's sender where it is known, else the writer.
    public var to: EmailAddress
    public var subject: String
    public var text: String
    /// A sender gets no second one within this many days.
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
