/// Why opus does not copy a message into a mailbox, by rule or by hand.
public enum CopyRefusal: Hashable, Sendable {
    /// The mailbox is for mail that the user writes.
    case ownMail
    /// The Message-ID tells, after a crash, whether the copy is there.
    case noMessageID
    /// The journal holds the whole copy.
    case tooLarge

    public static let largestMegabytes = 50

    /// nil: the message can be copied.
    public init?(of facts: MessageFacts, to mailbox: Mailbox) {
        if mailbox.role == .drafts || mailbox.role == .sent {
            self = .ownMail
        } else if facts.messageID == nil {
            self = .noMessageID
        } else if facts.size > Self.largestMegabytes << 20 {
            self = .tooLarge
        } else {
            return nil
        }
    }
}
