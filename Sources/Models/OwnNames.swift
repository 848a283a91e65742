/// Identities for messages that their `Message-ID` does not identify: careless senders and web forms write the same one
/// into all their mails.
public struct OwnNames: Hashable, Sendable {
    /// The digest of the message itself, which stays the same after the store is lost.
    public var digests: [EmailID: String] = [:]
    /// Messages whose `Message-ID` belongs to an earlier, different message: they are not part of its conversation.
    public var borrowed: Set<EmailID> = []
    /// The message that arrived first in each conversation.
    public var first: [ThreadID: EmailID] = [:]

    public init() {}
}
