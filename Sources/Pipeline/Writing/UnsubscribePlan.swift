import MailStore

/// What leaving a list would do; nothing is done yet.
public struct UnsubscribePlan: Sendable {
    public var way: ListUnsubscribe.Way
    /// What the person should know before saying yes.
    public var warnings: [String]
    let message: StoredMessage
}
