/// One message in one mailbox, with its flags and keywords there.
public struct MessagePlace: Hashable, Sendable {
    public var message: EmailID
    /// The account, the mailbox and the UID of the message.
    public var key: MessageKey
    /// The mailbox of the key; after open steps are taken into account, the mailbox that the message will be in.
    public var mailbox: Mailbox
    /// Whether the mailbox of the key was gone when opus last checked.
    public var isMissing: Bool
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// In a Maildir, the unique part of the file name.
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

/// What names a message inside a mailbox: its UID, or in a Maildir the unique part of its file name.
public struct Target: Hashable, Sendable {
    public var uid: UInt32
    public var remoteName: String?

    public init(uid: UInt32, remoteName: String? = nil) {
        self.uid = uid
        self.remoteName = remoteName
    }
}

/// The flags and keywords of the message with this UID, in the store or on the server.
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
