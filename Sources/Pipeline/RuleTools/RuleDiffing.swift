import Accounts
import MailStore
public import Models
import Rules

/// Two versions of the rules over the same mail: what each rule would take that it did not take before, and the reverse.
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
        /// Taken now, not before.
        public var gained = Group()
        /// Taken before, not now.
        public var lost = Group()
        /// Taken by both, and other things happen.
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

/// What to compare, and over which mail.
public struct RuleComparisonRequest: Sendable {
    /// A folder or a git revision.
    public var old: String
    /// nil: the rules of the workspace.
    public var new: String?
    /// `90d`, or a query.
    public var over: String
    /// As messages stand now, instead of as they arrived.
    public var asTheyStand: Bool
    /// Messages shown of each difference.
    public var samples: Int
    public var account: String?

    public init(
        old: String, new: String? = nil, over: String = "90d", asTheyStand: Bool = false, samples: Int = 3,
        account: String? = nil
    ) {
        self.old = old
        self.new = new
        self.over = over
        self.asTheyStand = asTheyStand
        self.samples = samples
        self.account = account
    }
}

extension Session {
    /// Judges the mail of the store by two versions of the rules. Nothing is changed.
    public func compareRules(_ request: RuleComparisonRequest, directory: String) throws -> RuleComparison {
        let folder = workspace.rulesFolder
        let oldSource = try RuleSource.named(request.old, rulesFolder: folder, directory: directory)
        let newSource = try request.new.map {
            try RuleSource.named($0, rulesFolder: folder, directory: directory)
        }
        let old = try compiled(oldSource)
        let new = try compiled(newSource ?? .folder(folder, shownBelow: workspace.root))
        let query = try Self.span(request.over, rules: new.rules)
        var work = RuleComparing(
            old: old.rules, new: new.rules, samples: max(0, request.samples), asTheyStand: request.asTheyStand
        )
        let reader = reader(for: old.rules, new.rules)
        for id in try accounts(named: request.account) {
            let account = try requireAccount(id)
            var context = try ruleContext(for: account)
            context.autoReplies = [:]
            let sides = work.sides(in: context, account: account.id)
            let having = query.query.needs.intersection(.content)
            let surroundings = try OldSurroundings(
                self, account, context, old.rules.needs.union(new.rules.needs),
                asTheyStand: request.asTheyStand)
            try history(of: account, matching: query.query) { messages in
                if let context = try surroundings?.context(for: messages) {
                    sides.old.surround(by: context)
                    sides.new.surround(by: context)
                }
                try work.judge(messages, having: having, by: sides, reading: reader)
            }
        }
        var result = RuleComparison(
            old: .init(title: oldSource.title, files: old.rules.fileCount, rules: old.rules.ruleCount),
            new: .init(
                title: newSource?.title ?? "the rules now", files: new.rules.fileCount,
                rules: new.rules.ruleCount), query: query.text)
        result.messages = work.messages
        result.different = work.different
        result.rules = try named(work.rules)
        return result
    }

    private func compiled(_ source: RuleSource) throws -> RuleLibrary {
        let library = RuleLibrary.load(source, workspace)
        guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
        return library
    }

    private func named(_ rules: [RuleComparison.Rule]) throws -> [RuleComparison.Rule] {
        let samples = rules.flatMap { $0.gained.samples + $0.lost.samples + $0.changed.samples }
        let ids = try shortIDs(samples.map(\.message))
        return rules.map { rule in
            var rule = rule
            for group in [\RuleComparison.Rule.gained, \.lost, \.changed] {
                for index in rule[keyPath: group].samples.indices {
                    let id = rule[keyPath: group].samples[index].message
                    rule[keyPath: group].samples[index].shortID = ids[id] ?? id.rawValue
                }
            }
            return rule
        }
    }

    /// `90d`, `12w`, `2 years` are the time up to now, and so is meant what looks like one; anything else is a query.
    static func span(_ over: String, rules: RuleSet) throws -> (query: Query, text: String) {
        let number = over.prefix { $0.isASCII && $0.isNumber }
        let unit = over.dropFirst(number.count).drop { $0 == " " }
        let isAge =
            (1...5).contains(number.count) && !unit.isEmpty && unit.allSatisfy { $0.isASCII && $0.isLetter }
        let text = isAge ? "newer:\(number)\(unit)" : over
        switch Query.parse(text, rules: rules) {
        case .success(let query): return (query, text)
        case .failure(let errors): throw DiagnosticFailure(errors.diagnostics, exit: .usage)
        }
    }
}
