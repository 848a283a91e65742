public import Models

/// Two versions of the rules over the same mail: which messages each rule matches now but did not before, and the
/// reverse.
public struct RuleComparison: Sendable {
    /// One message and what a rule does with it.
    public struct Sample: Sendable {
        public var message: EmailID
        public var shortID: String
        public var from: EmailAddress?
        public var subject: String
        public var date: Timestamp
        public var before: [Action]
        public var after: [Action]
    }

    /// One kind of difference: how many messages, and the newest of them.
    public struct Group: Sendable {
        public var count = 0
        public var samples: [Sample] = []
    }

    public struct Rule: Sendable {
        public var rule: String
        /// Matched now, not before.
        public var gained = Group()
        /// Matched before, not now.
        public var lost = Group()
        /// Matched by both, with different actions.
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
    /// As it was understood: `newer:90d`.
    public var query: String
    /// Messages that were judged.
    public var messages = 0
    /// Those among them with any difference.
    public var different = 0
    /// Rules with a difference, in the order of the new version; those that are gone last.
    public var rules: [Rule] = []

    public var isEmpty: Bool { different == 0 }
}

/// The versions to compare, and the mail.
public struct RuleComparisonRequest: Sendable {
    /// A folder or a git revision.
    public var old: String
    /// nil: the rules of the workspace.
    public var new: String?
    /// `90d`, or a query.
    public var over: String
    /// As messages are now, instead of as they arrived.
    public var asOfToday: Bool
    /// Messages shown of each difference.
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
