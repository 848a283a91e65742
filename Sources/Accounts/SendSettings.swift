/// Settings for sending: how long a mail can be cancelled, and how many mails can be sent at once.
public struct SendSettings: Hashable, Sendable {
    /// Seconds between the confirmation and the sending of a mail.
    public var hold = 30
    /// The maximum number of messages of one command.
    public var perRun = 20
    /// The maximum number of messages within any sixty minutes.
    public var perHour = 60
    /// The maximum number of messages to one address within any sixty minutes.
    public var perRecipientPerHour = 3

    public init() {}
}
