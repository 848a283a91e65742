public import Models

/// Compares two versions of the rules on the same mail: the messages that each rule newly matches, and those
/// that it no longer matches.
public struct RuleComparison: Sendable {
    /// One message, and what a rule does with it.
    public struct Sample: Sendable {
        public var message: EmailID
        public var shortID: String
        public var from: EmailAddress?
        public var subject: String
        public var date: Timestamp
        public var before: [Action]
        public var after: [Action]
    }

    /// One kind of difference: the number of messages, and the newest of them.
    public struct Group: Sendable {
        public var count = 0
        public var samples: [Sample] = []
    }

    public struct Rule: Sendable {
        public var rule: String
        /// Matched by the new version only.
        public var gained = Group()
        /// Matched by the old version only.
        public var lost = Group()
        /// Matched by both versions, with different actions.
        public var changed = Group()

        public var total: Int { gained.count + lost.count + changed.count }
    }

    public struct Side: Sendable {
        public var title: String
        public var files: Int
        public var rules: Int
    }

    public var old: Side
    public var new: Side
    /// As parsed, such as `newer:90d`.
    public var query: String
    /// The number of judged messages.
    public var messages = 0
    /// The number of messages with any difference.
    public var different = 0
    /// Rules with a difference, in the order of the new version; removed rules are last.
    public var rules: [Rule] = []

    public var isEmpty: Bool { different == 0 }
}

/// The versions and the mail to compare.
public struct RuleComparisonRequest: Sendable {
    /// A folder or a git revision.
    public var old: String
    /// nil: the rules of the workspace.
    public var new: String?
    /// `90d`, or a query.
    public var over: String
    /// Judges the current state of messages, instead of their state on arrival.
    public var asOfToday: Bool
    /// The number of messages shown for each difference.
    public var samples: Int
    public var account: String?

    public init(
        old: String, new: String? = nil, over: String = "90d", asOfToday: Bool = false, samples: Int = 3,
        account: String? = nil
    ) {
        self.old = old
        self.new = new
        self.over = over
        self.asOfToday = asOfToday
        self.samples = samples
        self.account = account
    }
}
