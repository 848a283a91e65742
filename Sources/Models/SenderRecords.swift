/// A decision about a sender, as the journal stores it.
public struct SenderRecord: Hashable, Sendable {
    public var run: RunID
    public var at: Timestamp
    public var account: AccountID
    /// The command: `approve`.
    public var cause: Step.Cause
    public var list: SenderList
    public var entry: String
    public var isListed: Bool
    public var isUndone: Bool

    public init(
        run: RunID, at: Timestamp, account: AccountID, cause: Step.Cause, list: SenderList, entry: String,
        isListed: Bool, isUndone: Bool
    ) {
        self.run = run
        self.at = at
        self.account = account
        self.cause = cause
        self.list = list
        self.entry = entry
        self.isListed = isListed
        self.isUndone = isUndone
    }
}

/// How much mail a sender writes, and how much of it the user reads.
public struct SenderVolume: Hashable, Sendable {
    /// As the newest message spells it.
    public var address: EmailAddress
    public var messages = 0
    public var read = 0
    /// The arrival time of the newest read message; nil: all are unread.
    public var lastRead: Timestamp?
    public var newest: EmailID
    public var newestAt: Timestamp

    public init(address: EmailAddress, newest: EmailID, newestAt: Timestamp) {
        self.address = address
        self.newest = newest
        self.newestAt = newestAt
    }
}

/// A sender whose mail the user unsubscribed from.
public struct Unsubscription: Hashable, Sendable {
    public var account: AccountID
    /// The address of the discussion list or of the sender, in the form of ``EmailAddress/comparable``.
    public var sender: String
    public var at: Timestamp
    /// `post`, `mail`, `page`, or ``begun``.
    public var way: String
    /// The mail that requests the unsubscription; it may still be a draft.
    public var mail: MessageID?

    public init(
        account: AccountID, sender: String, at: Timestamp, way: String, mail: MessageID? = nil
    ) {
        self.account = account
        self.sender = sender
        self.at = at
        self.way = way
        self.mail = mail
    }

    /// The way of a request over HTTPS whose answer is not known: it may have reached the server.
    public static let begun = "post begun"

    public var isBegun: Bool { way == Self.begun }
}
