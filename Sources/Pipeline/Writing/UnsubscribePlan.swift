import MailStore
import Models

/// A preview of an unsubscription; nothing is done yet.
public struct UnsubscribePlan: Sendable {
    public var way: ListUnsubscribe.Way
    /// Warnings for the user before confirming.
    public var warnings: [String]
    let message: StoredMessage

    /// The sender's address. Not trusted.
    public var sender: String? { message.from.first?.addrSpec }
}
