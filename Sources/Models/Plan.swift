/// The planned actions, message by message: printable, serialisable, and the same for a dry run and a real one.
public struct Plan: Hashable, Codable, Sendable {
    public var account: AccountID
    /// The clock at which the facts were frozen.
    public var now: Timestamp
    /// IANA name.
    public var timeZone: String
    public var origin: Origin
    /// The mailboxes that were read, by UIDVALIDITY, so that a saved plan can be found stale.
    public var mailboxes: [MailboxVersion]
    public var items: [Item]
    public var warnings: [String]
    /// The mailboxes that moves and copies of the plan need and that the account does not have: they are made. nil: none.
    public var newMailboxes: [Mailbox]?

    public init(account: AccountID, now: Timestamp, timeZone: String, origin: Origin) {
        self.account = account
        self.now = now
        self.timeZone = timeZone
        self.origin = origin
        mailboxes = []
        items = []
        warnings = []
    }

    /// `opus.plan/1` has no field `origin`, but `rulesDigest`: it is empty for a plan by hand.
    private enum CodingKeys: String, CodingKey {
        case account
        case now
        case timeZone
        case origin = "rulesDigest"
        case mailboxes
        case items
        case warnings
        case newMailboxes
    }

    public struct MailboxVersion: Hashable, Codable, Sendable {
        public var name: MailboxName
        public var uidValidity: UInt32

        public init(name: MailboxName, uidValidity: UInt32) {
            self.name = name
            self.uidValidity = uidValidity
        }
    }

    /// One message and everything decided about it. An item without actions stays where it is.
    public struct Item: Hashable, Codable, Sendable {
        public var message: EmailID
        public var key: MessageKey
        /// The role of its mailbox, unless that is the inbox.
        public var mailboxRole: MailboxRole?
        public var messageID: MessageID?
        public var thread: ThreadID
        /// The first address of From; text from a stranger.
        public var from: EmailAddress?
        public var subject: String
        public var date: Timestamp
        /// Flags and keywords that the decision saw: `apply` checks them again.
        public var flags: Set<Flag>
        public var keywords: Set<Keyword>
        /// Marks and dispositions in the order in which they are to happen.
        public var decisions: [Decision]
        /// Older inbox messages of the thread that the disposition takes along.
        public var threadKeys: [ThreadMember]
        /// What a later rule wanted and did not get.
        public var shadowed: [Decision]
        /// The `protect` entry that kept the message in place, if one did.
        public var protectedBy: String?
        public var warnings: [String]

        public init(
            message: EmailID, key: MessageKey, thread: ThreadID, subject: String, date: Timestamp
        ) {
            self.message = message
            self.key = key
            self.thread = thread
            self.subject = subject
            self.date = date
            flags = []
            keywords = []
            decisions = []
            threadKeys = []
            shadowed = []
            warnings = []
        }

        /// Where the message ends up; `keep` when no rule said anything.
        public var disposition: Action {
            decisions.lazy.map(\.action).last(where: \.isDisposition) ?? .keep
        }

        public var isUntouched: Bool { decisions.allSatisfy { $0.action == .keep } }
    }

    /// An action and who asked for it.
    public struct Decision: Hashable, Codable, Sendable {
        /// The rule's id; in a plan by hand the verb of the command.
        public var rule: String
        public var action: Action

        public init(rule: String, action: Action) {
            self.rule = rule
            self.action = action
        }
    }

    public struct ThreadMember: Hashable, Codable, Sendable {
        public var message: EmailID
        public var key: MessageKey

        public init(message: EmailID, key: MessageKey) {
            self.message = message
            self.key = key
        }
    }
}

extension Plan {
    /// Whether the mailbox is made when the plan is carried out.
    public func makes(_ mailbox: Mailbox) -> Bool {
        newMailboxes?.contains { $0.name == mailbox.name } ?? false
    }
}

extension Plan.Item {
    /// Sets are written in order, so that the same plan has the same bytes.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(message, forKey: .message)
        try values.encode(key, forKey: .key)
        try values.encodeIfPresent(mailboxRole, forKey: .mailboxRole)
        try values.encodeIfPresent(messageID, forKey: .messageID)
        try values.encode(thread, forKey: .thread)
        try values.encodeIfPresent(from, forKey: .from)
        try values.encode(subject, forKey: .subject)
        try values.encode(date, forKey: .date)
        try values.encode(flags.sorted(), forKey: .flags)
        try values.encode(keywords.sorted(), forKey: .keywords)
        try values.encode(decisions, forKey: .decisions)
        try values.encode(threadKeys, forKey: .threadKeys)
        try values.encode(shadowed, forKey: .shadowed)
        try values.encodeIfPresent(protectedBy, forKey: .protectedBy)
        try values.encode(warnings, forKey: .warnings)
    }
}
