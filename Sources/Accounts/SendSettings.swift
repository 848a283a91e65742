/// How mail is sent: how long it can be cancelled, and how many mails can be sent at once.
public struct SendSettings: Hashable, Sendable {
    /// Seconds between the word to send and the sending.
    public var hold = 30
    /// Messages that one command may send.
    public var perRun = 20
    /// Messages within any sixty minutes.
    public var perHour = 60
    /// Messages to one address within any sixty minutes.
    public var perRecipientPerHour = 3

    public init() {}
}
