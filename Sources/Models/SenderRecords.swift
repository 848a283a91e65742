/// A decision about a sender, as the journal has it.
public struct SenderRecord: Hashable, Sendable {
    public var run: RunID
    public var at: Timestamp
    public var account: AccountID
    /// The verb: `approve`.
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

/// How much a sender writes, and how much of it is read.
public struct SenderVolume: Hashable, Sendable {
    /// As the newest message has it.
    public var address: EmailAddress
    public var messages = 0
    public var read = 0
    /// When the newest read message arrived; nil: all are unread.
    public var lastRead: Timestamp?
    public var newest: EmailID
    public var newestAt: Timestamp

    public init(address: EmailAddress, newest: EmailID, newestAt: Timestamp) {
        self.address = address
        self.newest = newest
        self.newestAt = newestAt
    }
}

/// A sender whose mail the person unsubscribed from.
public struct Unsubscription: Hashable, Sendable {
    public var account: AccountID
    /// ``EmailAddress/comparable``
    public var sender: String
    public var at: Timestamp
    /// `post`, `mail` or `page`.
    public var way: String
    /// The mail that asks the sender to stop: it may be a draft still.
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
}
