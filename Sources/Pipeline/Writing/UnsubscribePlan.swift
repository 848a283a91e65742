import MailStore
import Models

/// A preview of an unsubscription; nothing is done yet.
public struct UnsubscribePlan: Sendable {
    public var way: ListUnsubscribe.Way
    /// Warnings for the user before confirming.
    public var warnings: [String]
    let message: StoredMessage

    /// The address of the discussion list or of the sender. Not trusted.
    public var sender: String? { AskedToStop.address(message)?.addrSpec }
}
