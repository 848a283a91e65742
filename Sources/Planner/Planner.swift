public import Models
public import Rules

/// Facts and rules, or an edited task file, become a plan; a plan becomes steps. Pure: no clock, no disk.
public enum Planner {
    /// Reads header and text of messages, for rules that ask for them.
    public typealias ContentReader = ([EmailID], FactNeeds) throws -> [EmailID: MessageContent]

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
    ///   - company: To whom the user wrote in the conversations.
    /// - Returns: A plan that the same facts always give.
    public static func decide(
        inbox: [MessageFacts], rules: RuleSet, context: RuleContext, account: AccountID, rulesDigest: String,
        mailboxes: [Plan.MailboxVersion], todoRules: [TodoID: String] = [:], company: Company = Company()
    ) -> Plan {
        let judging = Judging(inbox: inbox, rules: rules, context: context, isComplete: true) { _, _ in [:] }
        var plan = Plan(
            account: account, now: context.now, timeZone: context.timeZone, rulesDigest: rulesDigest)
        plan.mailboxes = mailboxes
        plan.items = items(judging, account, todoRules, company)
        return plan
    }

    /// The same, of facts without header and text: `content` gives both for some hundreds of messages at a time, and only
    /// for those that could not be judged without.
    public static func decide(
        inbox: [MessageFacts], rules: RuleSet, context: RuleContext, account: AccountID, rulesDigest: String,
        mailboxes: [Plan.MailboxVersion], todoRules: [TodoID: String], company: Company = Company(),
        reading content: ContentReader
    ) rethrows -> Plan {
        let judging = try Judging(
            inbox: inbox, rules: rules, context: context, isComplete: false, reading: content)
        var plan = Plan(
            account: account, now: context.now, timeZone: context.timeZone, rulesDigest: rulesDigest)
        plan.mailboxes = mailboxes
        plan.items = items(judging, account, todoRules, company)
        return plan
    }

    /// The same for any judge: what remains is the scope of a decision.
    static func items(
        inbox: [MessageFacts], account: AccountID, todoRules: [TodoID: String] = [:],
        company: Company = Company(), judge: (MessageFacts) -> Judgement
    ) -> [Plan.Item] {
        items(Judging(inbox: inbox, judgements: inbox.map(judge)), account, todoRules, company)
    }

    private static func items(
        _ judging: Judging, _ account: AccountID, _ todoRules: [TodoID: String], _ company: Company
    ) -> [Plan.Item] {
        let inbox = judging.inbox
        let judgements = judging.judgements
        var items = inbox.indices.map { item(inbox[$0], judgements[$0]) }
        let repeated = repeated(inbox)
        let scope = ThreadScope(account: account, todoRules: todoRules, company: company)
        for thread in conversations(inbox, judgements, without: repeated) {
            if thread.count == 1, judgements[thread[0]].standsAlone { continue }
            let members = thread.map { index in
                ThreadScope.Member(index: index, facts: inbox[index], judgement: judgements[index])
            }
            for member in scope.apply(to: members) { items[member.index] = item(member) }
        }
        guard !repeated.isEmpty else { return items }
        return items.indices.filter { !repeated.contains($0) }.map { items[$0] }
    }

    /// The conversations in which something is decided: in the others nothing has anything to say.
    private static func conversations(
        _ inbox: [MessageFacts], _ judgements: [Judgement], without repeated: Set<Int>
    ) -> some Collection<[Int]> {
        var moving: Set<ThreadID> = []
        for index in inbox.indices where !judgements[index].decisions.isEmpty {
            moving.insert(inbox[index].conversation)
        }
        var threads: [ThreadID: [Int]] = [:]
        guard !moving.isEmpty else { return threads.values }
        for index in inbox.indices where repeated.isEmpty || !repeated.contains(index) {
            let thread = inbox[index].conversation
            if moving.contains(thread) { threads[thread, default: []].append(index) }
        }
        return threads.values
    }

    /// Places that came before.
    private static func repeated(_ inbox: [MessageFacts]) -> Set<Int> {
        let numbers = Set(inbox.lazy.map { UInt64($0.key.uidValidity) << 32 | UInt64($0.key.uid) })
        guard numbers.count < inbox.count else { return [] }
        var seen: Set<MessageKey> = []
        return Set(inbox.indices.filter { !seen.insert(inbox[$0].key).inserted })
    }

    private static func item(_ member: ThreadScope.Member) -> Plan.Item {
        var item = item(member.facts, member.judgement)
        item.threadKeys = member.takes
        if member.preventsMove { item.protectedBy = member.judgement.protectedBy }
        return item
    }

    private static func item(_ facts: MessageFacts, _ judgement: Judgement) -> Plan.Item {
        var item = Plan.Item(
            message: facts.id, key: facts.key, thread: facts.thread, subject: facts.subject, date: facts.date)
        item.mailboxRole = facts.mailbox.role == .inbox ? nil : facts.mailbox.role
        item.messageID = facts.messageID
        item.from = facts.from.first
        item.flags = facts.flags
        item.keywords = facts.keywords
        item.decisions = judgement.decisions
        item.shadowed = judgement.shadowed
        // Protection is worth telling where it prevented something.
        let hasLost = judgement.shadowed.contains { $0.action.isDisposition }
        item.protectedBy = hasLost ? judgement.protectedBy : nil
        item.warnings = judgement.warnings
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
