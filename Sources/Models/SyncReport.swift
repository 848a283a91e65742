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
        /// Known messages with new UIDs, because the UIDVALIDITY of the mailbox changed.
        public var rebound = 0
        /// Messages that opus could not read or did not request.
        public var skipped = 0
        /// The part of ``skipped`` that opus did not request, because the server had failed to return them before.
        public var leftOut = 0
        /// Why opus did not sync the mailbox, or what the user should check.
        public var problem: String?
        /// Problems that an earlier sync reported and that still exist.
        public var notices: [String] = []

        public init(mailbox: Mailbox) { self.mailbox = mailbox }

        /// Whether the sync found no change.
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

/// How far a sync is, for the progress line.
public struct SyncProgress: Sendable {
    public var account: AccountID
    public var mailbox: String
    public var done: Int
    public var total: Int
    public var stage: Stage

    /// What the sync is fetching.
    public enum Stage: Sendable {
        /// Headers only: they may show that opus already has the message.
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
