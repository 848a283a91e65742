/// The result of one sync of an account, by mailbox.
public struct SyncReport: Sendable {
    public var account: AccountID
    public var mailboxes: [MailboxReport] = []

    public init(account: AccountID) { self.account = account }

    public struct MailboxReport: Sendable {
        public var mailbox: Mailbox
        public var added = 0
        public var flagsChanged = 0
        public var removed = 0
        /// Known messages that got new UIDs, because the mailbox has a new UIDVALIDITY.
        public var rebound = 0
        /// Messages that could not be read, and those that were left out.
        public var skipped = 0
        /// Of those, messages that were not requested, because the server could not hand them out before.
        public var leftOut = 0
        /// Why the mailbox was left alone, or what to look at.
        public var problem: String?
        /// What an earlier sync has reported as a problem, and is still so.
        public var notices: [String] = []

        public init(mailbox: Mailbox) { self.mailbox = mailbox }

        /// Whether nothing was different from what we knew.
        public var isQuiet: Bool { added == 0 && flagsChanged == 0 && removed == 0 }
    }

    public var isQuiet: Bool { mailboxes.allSatisfy(\.isQuiet) }

    public var added: Int { mailboxes.reduce(0) { $0 + $1.added } }
    public var changed: Int { mailboxes.reduce(0) { $0 + $1.flagsChanged } }
    public var removed: Int { mailboxes.reduce(0) { $0 + $1.removed } }
    public var rebound: Int { mailboxes.reduce(0) { $0 + $1.rebound } }
    public var notices: [String] {
        mailboxes.flatMap { report in report.notices.map { "\(report.mailbox.displayName): \($0)" } }
    }
    public var problems: [String] {
        mailboxes.compactMap { report in
            report.problem.map { "\(report.mailbox.displayName): \($0)" }
        }
    }
}

/// How far a sync is, for a line on a terminal.
public struct SyncProgress: Sendable {
    public var account: AccountID
    public var mailbox: String
    public var done: Int
    public var total: Int
    public var stage: Stage

    /// What is being fetched.
    public enum Stage: Sendable {
        /// Headers alone: they may show that a message is known.
        case headers
        case bodies
    }

    public init(account: AccountID, mailbox: String, done: Int, total: Int, stage: Stage = .bodies) {
        self.stage = stage
        self.account = account
        self.mailbox = mailbox
        self.done = done
        self.total = total
    }
}
