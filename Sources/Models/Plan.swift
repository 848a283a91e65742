/// The planned actions for each message. They can be printed and saved, and a dry run plans the same as a real run.
public struct Plan: Hashable, Codable, Sendable {
    public var account: AccountID
    /// The time at which opus read the facts.
    public var now: Timestamp
    /// The IANA name of the zone.
    public var timeZone: String
    public var origin: Origin
    /// The mailboxes that opus read, with their UIDVALIDITY, to detect that a saved plan is stale.
    public var mailboxes: [MailboxVersion]
    public var items: [Item]
    public var warnings: [String]
    /// Mailboxes that moves and copies of the plan need and that opus makes; nil: none.
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

    /// `opus.plan/1` has the field `rulesDigest` in place of `origin`; it is empty for a plan by hand.
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

    /// One message and all decisions about it. A message without actions stays where it is.
    public struct Item: Hashable, Codable, Sendable {
        public var message: EmailID
        public var key: MessageKey
        /// The role of the mailbox; nil: the inbox, or no role.
        public var mailboxRole: MailboxRole?
        public var messageID: MessageID?
        public var thread: ThreadID
        /// The first address of From; text from a stranger.
        public var from: EmailAddress?
        public var subject: String
        public var date: Timestamp
        /// The flags and keywords at the time of the decision. `apply` compares them again.
        public var flags: Set<Flag>
        public var keywords: Set<Keyword>
        /// Marks and places, in the order in which they happen.
        public var decisions: [Decision]
        /// Older messages of the thread in the inbox that move with this one.
        public var threadKeys: [ThreadMember]
        /// Actions of later rules that an earlier rule overrides or takes itself.
        public var shadowed: [Decision]
        /// Actions that count as done: deferrals that a later message of the conversation ended before they began, and
        /// dispositions of mail that came back after the user deferred it; nil: none.
        public var answered: [Decision]?
        /// The `protect` entry that keeps the message in place, if any.
        public var protectedBy: String?
        public var warnings: [String]
        /// Why matching rules keep the message; nil: no rule does. Their reasons are also warnings.
        public var failures: [RuleFailure]?

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

        /// Where the message ends up; `keep` if no rule decides it.
        public var disposition: Action {
            decisions.lazy.map(\.action).last(where: \.isDisposition) ?? .keep
        }

        public var isUntouched: Bool { decisions.allSatisfy { $0.action == .keep } }
    }

    /// An action, and the rule or command that decided it.
    public struct Decision: Hashable, Codable, Sendable {
        /// The id of the rule; in a plan by hand the verb of the command.
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
    /// Whether opus makes this mailbox when it applies the plan.
    public func makes(_ mailbox: Mailbox) -> Bool {
        newMailboxes?.contains { $0.name == mailbox.name } ?? false
    }
}

extension Plan.Item {
    /// Writes sets in order, so that equal plans have equal bytes.
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
        try values.encodeIfPresent(answered, forKey: .answered)
        try values.encodeIfPresent(protectedBy, forKey: .protectedBy)
        try values.encode(warnings, forKey: .warnings)
        try values.encodeIfPresent(failures, forKey: .failures)
    }
}
