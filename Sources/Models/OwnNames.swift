/// What messages are called whose `Message-ID` does not name them: careless senders and web forms write the same one into all
/// their mails.
public struct OwnNames: Hashable, Sendable {
    /// The digest of the message itself, which is the same after the store was lost.
    public var digests: [EmailID: String] = [:]
    /// Those whose `Message-ID` an earlier, other message has: they are not part of that one's conversation.
    public var borrowed: Set<EmailID> = []

    public init() {}
}
