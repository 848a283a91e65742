public import Models
public import Rules

/// Facts and rules, or an edited task file, become a plan; a plan becomes steps. Pure: no clock, no disk.
public enum Planner {
    /// What is to happen to the messages of an inbox.
    ///
    /// Items come in the order of `inbox`, one for every message, also for those that stay.
    ///
    /// - Parameters:
    ///   - inbox: Every message of the account's inbox. Leaving some out changes what a decision takes along.
    ///   - rules: Checked, and their tests passed.
    ///   - context: The frozen surroundings: clock, zone, lists, what was remembered.
    ///   - account: The account of the inbox.
    ///   - rulesDigest: Names the rules, for the check before a saved plan is applied.
    ///   - mailboxes: The mailboxes looked at, for the same check.
    ///   - todoRules: Which rule made an open task (the store's links); with it, a task is recognised also
    ///     when the message that it was made of has left the inbox.
    /// - Returns: A plan that the same facts always give.
    public static func decide(
        inbox: [MessageFacts], rules: RuleSet, context: RuleContext, account: AccountID, rulesDigest: String,
        mailboxes: [Plan.MailboxVersion], todoRules: [TodoID: String] = [:]
    ) -> Plan {
        var plan = Plan(
            account: account, now: context.now, timeZone: context.timeZone, rulesDigest: rulesDigest)
        plan.mailboxes = mailboxes
        let evaluate = rules.evaluator(in: context)
        plan.items = items(inbox: inbox, account: account, todoRules: todoRules) {
            Judgement(evaluate($0))
        }
        return plan
    }

    /// The same for any judge: what remains is the scope of a decision.
    static func items(
        inbox: [MessageFacts], account: AccountID, todoRules: [TodoID: String] = [:],
        judge: (MessageFacts) -> Judgement
    ) -> [Plan.Item] {
        let scope = ThreadScope(account: account, todoRules: todoRules)
        var items: [MessageKey: Plan.Item] = [:]
        let threads = Dictionary(grouping: inbox, by: \.thread)
        for thread in threads.values {
            let members = thread.map {
                ThreadScope.Member(facts: $0, judgement: judge($0).restrained(by: $0.exceededLimits))
            }
            for member in scope.apply(to: members) { items[member.facts.key] = item(member) }
        }
        var seen: Set<MessageKey> = []
        return inbox.compactMap { seen.insert($0.key).inserted ? items[$0.key] : nil }
    }

    private static func item(_ member: ThreadScope.Member) -> Plan.Item {
        let facts = member.facts
        var item = Plan.Item(
            message: facts.id, key: facts.key, thread: facts.thread, subject: facts.subject, date: facts.date)
        item.messageID = facts.messageID
        item.from = facts.from.first
        item.flags = facts.flags
        item.keywords = facts.keywords
        item.decisions = member.judgement.decisions
        item.threadKeys = member.takes
        item.shadowed = member.judgement.shadowed
        // Protection is worth telling where it prevented something.
        let hasLost = member.judgement.shadowed.contains { $0.action.isDisposition }
        item.protectedBy = hasLost || member.preventsMove ? member.judgement.protectedBy : nil
        item.warnings = member.judgement.warnings
        return item
    }
}

extension Plan {
    /// Messages that leave with a newer message of their thread, and with which. Their own items have no
    /// disposition: whoever shows a plan asks here before writing "stays in inbox".
    public var takenAlong: [MessageKey: EmailID] {
        var taken: [MessageKey: EmailID] = [:]
        for item in items {
            for member in item.threadKeys { taken[member.key] = item.message }
        }
        return taken
    }
}
