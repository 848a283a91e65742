/// One message in one mailbox, with the marks that it has there.
public struct MessagePlace: Hashable, Sendable {
    public var message: EmailID
    /// Where the message is on the account.
    public var key: MessageKey
    /// The mailbox of the key; in a view of open steps, the one in which the message will be.
    public var mailbox: Mailbox
    /// Whether the mailbox of the key was gone when opus last looked.
    public var isMissing: Bool
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// The unique part of its file name in a Maildir.
    public var remoteName: String?

    public init(
        message: EmailID, key: MessageKey, mailbox: Mailbox, isMissing: Bool = false, flags: Set<Flag> = [],
        keywords: Set<Keyword> = [], remoteName: String? = nil
    ) {
        self.message = message
        self.key = key
        self.mailbox = mailbox
        self.isMissing = isMissing
        self.flags = flags
        self.keywords = keywords
        self.remoteName = remoteName
    }
}

/// The name of a message inside a mailbox: its UID, and in a Maildir the unique part of its file name.
public struct Target: Hashable, Sendable {
    public var uid: UInt32
    public var remoteName: String?

    public init(uid: UInt32, remoteName: String? = nil) {
        self.uid = uid
        self.remoteName = remoteName
    }
}

/// The flags and keywords of the message with this UID, as the store or as the server has them.
public struct MessageMarks: Hashable, Sendable {
    public var uid: UInt32
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>

    public init(uid: UInt32, flags: Set<Flag> = [], keywords: Set<Keyword> = []) {
        self.uid = uid
        self.flags = flags
        self.keywords = keywords
    }
}
