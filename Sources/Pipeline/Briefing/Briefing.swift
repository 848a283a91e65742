public import Models

/// The state of mail and tasks on one day, as data. Text, HTML and JSON are made from this value.
///
/// Text of senders and of task files is not escaped: each writer escapes it.
public struct Briefing: Equatable, Sendable {
    /// A message with its short id.
    public struct Mail: Equatable, Sendable, BundledMail {
        public var id: EmailID
        public var shortID: String
        public var from: String
        public var subject: String
        public var bundle: Bundle?
        public var writer: EmailAddress?
    }

    /// The answer of a person for which the user waited, with the task to decide about.
    public struct Answer: Equatable, Sendable {
        public var mail: Mail
        public var task: TodoID
        /// Days from the question to the answer.
        public var days: Int
        /// The answer does not refer to a mail of the user, but the person and the subject match.
        public var isGuess: Bool
        /// A filter of the server put it into Junk, where the user would not look for it.
        public var isInJunk = false
    }

    public struct DueTask: Equatable, Sendable {
        public var id: TodoID
        public var summary: String
        public var due: CalendarDate
        public var isOverdue: Bool
    }

    public struct Draft: Equatable, Sendable {
        public var id: String
        public var to: String
        public var subject: String
        /// The task that waits for an answer once this draft is sent.
        public var task: TodoID?
        /// When to ask again after this draft is sent, as a date phrase.
        public var wait: String?
        /// A server refused to send it.
        public var isRefused = false
    }

    /// A mail of the outbox that opus does not send without the user.
    public struct StoppedMail: Equatable, Sendable {
        public var id: String
        public var to: String
        public var subject: String
        public var state: OutboxLine.State
    }

    /// A wait for an answer.
    public struct Wait: Equatable, Sendable {
        public var id: TodoID
        public var who: String
        public var summary: String
        public var state: WaitState
        /// Days since the question was sent; nil: unknown.
        public var days: Int?
        /// The names of the people who have already answered, and of those to whom the question was not
        /// delivered.
        public var answered: [String] = []
        public var undelivered: [String] = []

        /// It is time to ask again.
        public var isOverdue: Bool { state == .overdue }
    }

    /// The size of the inbox at the end of a day; nil: unknown.
    public struct Day: Equatable, Sendable {
        public var day: CalendarDate
        public var messages: Int?
    }

    /// A run in which rules changed something.
    public struct RuleRun: Equatable, Sendable {
        public var id: RunID
        public var account: AccountID
        public var startedAt: Timestamp
        public var changes: Int
        /// Sorted by name.
        public var rules: [String]
    }

    public struct Sender: Equatable, Sendable {
        public var name: String
        public var address: String
        public var messages: Int
    }

    public struct BundleCount: Equatable, Sendable {
        public var name: String
        public var messages: Int
        public var senders: Int
    }

    public struct StaleAccount: Equatable, Sendable {
        public var account: AccountID
        /// nil: never.
        public var lastSync: Timestamp?
    }

    public var day: CalendarDate
    /// The time of the briefing, and the time up to which the last one reported.
    public var now: Timestamp
    public var since: Timestamp
    /// Deferred mail that came back today and is still in the inbox.
    public var returned: [Mail] = []
    /// Answers of people for which the user waited; automatic replies are left out.
    public var answered: [Answer] = []
    public var due: [DueTask] = []
    public var drafts: [Draft] = []
    /// Refused mail that has a draft is listed with the drafts.
    public var stopped: [StoppedMail] = []
    /// Undelivered and overdue questions first, then by length of the wait. Questions that are still drafts
    /// are listed with the drafts.
    public var waiting: [Wait] = []
    public var inbox = 0
    /// Bundles in the inbox, sorted by name.
    public var bundles: [BundleCount] = []
    /// Fourteen days; the last one is ``day``.
    public var trend: [Day] = []
    public var ruleRuns: [RuleRun] = []
    /// Enabled rules that have never matched, if rules have been used for 90 days.
    public var unusedRules: [String] = []
    public var newSenders: [Sender] = []
    /// Senders who still write ten days after the user unsubscribed.
    public var stillSending: [ListSenders.Persistent] = []
    public var staleAccounts: [StaleAccount] = []
    /// Accounts whose login expires soon.
    public var endingLogins: [LoginEnds.Ending] = []

    public init(day: CalendarDate, now: Timestamp, since: Timestamp) {
        self.day = day
        self.now = now
        self.since = since
    }

    /// Whether there is nothing to report.
    public var isEmpty: Bool {
        returned.isEmpty && answered.isEmpty && due.isEmpty && drafts.isEmpty && stopped.isEmpty
            && waiting.isEmpty && inbox == 0 && ruleRuns.isEmpty && unusedRules.isEmpty && newSenders.isEmpty
            && stillSending.isEmpty
            && staleAccounts.isEmpty && endingLogins.isEmpty
    }
}
