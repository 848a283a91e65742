import MailStore
import Models

/// A preview of an unsubscription; nothing is done yet.
public struct UnsubscribePlan: Sendable {
    public var way: ListUnsubscribe.Way
    /// Warnings that are shown before the user agrees.
    public var warnings: [String]
    let message: StoredMessage

    /// The address that the message comes from. Text from a stranger.
    public var sender: String? { message.from.first?.addrSpec }
}
