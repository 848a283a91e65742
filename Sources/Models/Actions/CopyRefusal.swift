/// Why opus refuses to copy a message into a mailbox, for a rule or a command.
public enum CopyRefusal: Hashable, Sendable {
    /// The mailbox is for mail that the user writes.
    case ownMail
    /// After a crash, opus finds the copy by its Message-ID.
    case noMessageID
    /// The journal stores the whole copy.
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
