import MailStore

/// What unsubscribing would do; nothing is done yet.
public struct UnsubscribePlan: Sendable {
    public var way: ListUnsubscribe.Way
    /// What the user should know before agreeing.
    public var warnings: [String]
    let message: StoredMessage
}
