public import Models
public import Rules

/// Turns facts and rules, or an edited task file, into a plan, and a plan into steps. Pure functions: no
/// clock, no disk.
public enum Planning {
    /// Decides what happens to the messages of an inbox.
    ///
    /// Items are in the order of `inbox`, one for every message, including those that stay.
    ///
    /// - Parameters:
    ///   - inbox: Every message of the account's inbox. Leaving some out changes which messages move
    ///     together.
    ///   - rules: Rules that were checked and whose tests passed.
    ///   - context: The fixed inputs: clock, time zone, lists, remembered matches.
    ///   - account: The account of the inbox.
    ///   - rulesDigest: Identifies the rules, for the check before a saved plan is applied.
    ///   - mailboxes: The mailboxes that were read, for the same check.
    ///   - todoRules: The rule that made each open task, according to the links in the store. With it, a task
    ///     is also recognised after its message has left the inbox.
    ///   - company: The recipients of the user's mail in the conversations.
    /// - Returns: The plan; the same facts always give the same plan.
    public static func decide(
        inbox: [MessageFacts], rules: RuleSet, context: RuleContext, account: AccountID, rulesDigest: String,
        mailboxes: [Plan.MailboxVersion], todoRules: [TodoID: String] = [:], company: Company = Company()
    ) -> Plan {
        var request = Request(account: account, rulesDigest: rulesDigest)
        request.mailboxes = mailboxes
        request.todoRules = todoRules
        request.company = company
        return decide(
            inbox, rules, context, request, isComplete: true, names: { _ in OwnNames() },
            isAnswer: { _ in false }, reading: noContent)
    }

    private static let noContent: ContentOnDemand.Reader<Never> = { _, _ in [:] }

    /// The same, for facts without header and text: `content` reads both, for messages that need them.
    public static func decide<Failure: Error>(
        inbox: [MessageFacts], rules: RuleSet, context: RuleContext, account: AccountID, rulesDigest: String,
        mailboxes: [Plan.MailboxVersion], todoRules: [TodoID: String], company: Company = Company(),
        reading content: ContentOnDemand.Reader<Failure>
    ) throws(Failure) -> Plan {
        var request = Request(account: account, rulesDigest: rulesDigest)
        request.mailboxes = mailboxes
        request.todoRules = todoRules
        request.company = company
        return try decide(
            inbox, rules, context, request, names: { (_) throws(Failure) in OwnNames() },
            isAnswer: { (_) throws(Failure) in false }, reading: content)
    }

    /// The input of a plan, besides the messages and the rules.
    public struct Request: Sendable {
        public var account: AccountID
        public var rulesDigest: String
        public var mailboxes: [Plan.MailboxVersion] = []
        /// The rule that made each open task, according to the links in the store.
        public var todoRules: [TodoID: String] = [:]
        /// The mail of open tasks of other messages.
        public var todoMail: [TodoID: MessageFacts] = [:]
        /// Open delegations whose draft a server refused: their rules make it again.
        public var undelegated: Set<TodoID> = []
        /// The recipients of the user's mail in the conversations.
        public var company = Company()
        /// The messages of other mailboxes that rules name.
        public var beside: [MessageFacts] = []
        /// Messages that this plan does not change: decisions about them have no effect on other messages.
        public var leftOut: Set<EmailID> = []

        public init(account: AccountID, rulesDigest: String) {
            self.account = account
            self.rulesDigest = rulesDigest
        }
    }

    /// The same for a complete request. The items of other mailboxes follow those of the inbox.
    ///
    /// `names` identifies messages whose `Message-ID` does not, for the conversations that get a task. `isAnswer` says whether
    /// a message can return deferred mail of its conversation, if its writer takes part in it.
    public static func decide<Failure: Error>(
        _ inbox: [MessageFacts], _ rules: RuleSet, _ context: RuleContext, _ request: Request,
        isComplete: Bool = false, names: ([ThreadID]) throws(Failure) -> OwnNames,
        isAnswer: (MessageFacts) throws(Failure) -> Bool,
        reading content: ContentOnDemand.Reader<Failure>
    ) throws(Failure) -> Plan {
        var groups = [Judging.Group(messages: inbox, rules: rules)]
        if !request.beside.isEmpty {
            groups.append(.init(messages: request.beside, rules: rules.forNamedMailboxes))
        }
        let judging = try Judging(groups, context: context, isComplete: isComplete, reading: content)
        var plan = Plan(
            account: request.account, now: context.time, timeZone: context.timeZone,
            origin: .rules(digest: request.rulesDigest))
        plan.mailboxes = request.mailboxes
        let names = try names(judging.threadsWithTasks)
        var replay = replay(judging, context, request, names)
        replay.rulesOfArrival = rules.rulesOfArrival
        plan.items = try items(judging, replay, isAnswer) { (index, sight) throws(Failure) in
            try judging.judge(index, seeing: sight, reading: content)
        }
        return plan
    }

    private static func replay(
        _ judging: Judging, _ context: RuleContext, _ request: Request, _ names: OwnNames
    ) -> ArrivalReplay.Rules {
        let scope = ThreadScope(
            account: request.account, todoRules: request.todoRules, todoMail: request.todoMail,
            undelegated: request.undelegated, company: request.company, names: names)
        let making = TodoMaking(
            account: request.account, timeZone: context.timeZone, now: context.time, names: names)
        var replay = ArrivalReplay.Rules(
            scope: scope, making: making, changingFacts: judging.changingFacts, leftOut: request.leftOut)
        guard judging.changingFacts.contains(.thread) else { return replay }
        var places = StepContext(
            account: request.account,
            inbox: Mailbox(account: request.account, name: .inbox, displayName: "INBOX"), mailboxes: [:],
            now: context.time, timeZone: context.timeZone)
        for role in [MailboxRole.archive, .trash, .junk, .deferred] {
            places.mailboxes[role] = StepContext.mailbox(for: role, among: context.mailboxes)
        }
        replay.destination = { [places] in places.destination(of: $0) }
        return replay
    }

    /// The same for any judge: determines only which messages move together.
    static func items(
        inbox: [MessageFacts], account: AccountID, todoRules: [TodoID: String] = [:],
        company: Company = Company(), judge: (MessageFacts) -> Judgement
    ) -> [Plan.Item] {
        let judging = Judging(inbox: inbox, judgements: inbox.map(judge))
        let replay = ArrivalReplay.Rules(
            scope: ThreadScope(account: account, todoRules: todoRules, company: company),
            making: TodoMaking(account: account, timeZone: "UTC", now: Timestamp(seconds: 0)),
            changingFacts: [])
        return items(judging, replay, { _ in false }) { index, sight in
            judging.judge(index, seeing: sight, reading: noContent)
        }
    }

    private static func items<Failure: Error>(
        _ judging: Judging, _ replay: ArrivalReplay.Rules,
        _ isAnswer: (MessageFacts) throws(Failure) -> Bool, _ judge: ArrivalReplay.Judge<Failure>
    ) throws(Failure) -> [Plan.Item] {
        let inbox = judging.inbox
        let judgements = judging.judgements
        var items = inbox.indices.map { item(inbox[$0], judgements[$0]) }
        let repeated = inbox.repeated
        let all = judging.changingFacts.contains(.thread)
        for thread in conversations(inbox, judgements, without: repeated, all: all) {
            if thread.count == 1, judgements[thread[0]].standsAlone { continue }
            let members = thread.map { index in
                ThreadScope.Member(index: index, facts: inbox[index], judgement: judgements[index])
            }
            let conversation = thread.count > 1 ? judging.conversation(inbox[thread[0]].thread) : nil
            var replayed = ArrivalReplay(replay, members, conversation: conversation)
            for member in try replayed.run(judge, isAnswer: isAnswer) { items[member.index] = item(member) }
        }
        answerOnce(&items, inbox)
        guard !repeated.isEmpty else { return items }
        return items.indices.filter { !repeated.contains($0) }.map { items[$0] }
    }

    /// Of several messages from one sender, only the first gets a reply, of one rule: after that, the sender has already
    /// received one. The others get none later either.
    private static func answerOnce(_ items: inout [Plan.Item], _ inbox: [MessageFacts]) {
        let asking = items.indices.filter { items[$0].decisions.contains { $0.action.name == .vacation } }
        var answered: Set<String> = []
        for index in asking.sorted(by: { ThreadScope.isOlder(inbox[$0], inbox[$1]) }) {
            let again = items[index].decisions.filter { decision in
                guard case .make(.vacation(let reply)) = decision.action else { return false }
                return !answered.insert(reply.to.comparable).inserted
            }
            items[index].decisions.removeAll(where: again.contains)
            items[index].shadowed += again
        }
    }

    /// The conversations with decisions; the others need no further work. `all`: rules depend on the whole
    /// conversation, so a rule that does not match now may have matched when the conversation was shorter.
    private static func conversations(
        _ inbox: [MessageFacts], _ judgements: [Judgement], without repeated: Set<Int>, all: Bool
    ) -> some Collection<[Int]> {
        var moving: Set<ThreadID> = []
        for index in inbox.indices where all || !judgements[index].decisions.isEmpty {
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

    private static func item(_ member: ThreadScope.Member) -> Plan.Item {
        var item = item(member.facts, member.judgement)
        item.threadKeys = member.takes
        if member.preventsMove { item.protectedBy = member.judgement.protectedBy }
        return item
    }

    static func item(_ facts: MessageFacts, _ judgement: Judgement) -> Plan.Item {
        var item = Plan.Item(
            message: facts.id, key: facts.key, thread: facts.thread, subject: facts.subject, date: facts.date)
        item.mailboxRole = facts.mailbox.role == .inbox ? nil : facts.mailbox.role
        item.messageID = facts.messageID
        item.from = facts.from.first
        item.flags = facts.flags
        item.keywords = facts.keywords
        item.shadowed = judgement.shadowed
        item.answered = judgement.answered.isEmpty ? nil : judgement.answered
        // Protection is reported only if it prevented something.
        let hasLost = judgement.shadowed.contains { $0.action.isDisposition }
        item.protectedBy = hasLost ? judgement.protectedBy : nil
        item.warnings = judgement.warnings
        item.failures = judgement.failures.isEmpty ? nil : judgement.failures
        item.decisions = judgement.decisions.filter { !hasDone($0, item) }
        LetterNumbers.assign(in: &item)
        return item
    }

    /// Whether the decision is a mark that is already set, of a rule that could not do all of its work: the rule
    /// is tried in each run, and says nothing of what it did before.
    private static func hasDone(_ decision: Plan.Decision, _ item: Plan.Item) -> Bool {
        guard case .mark = decision.action,
            item.failures?.contains(where: { $0.rule == decision.rule }) == true
        else { return false }
        var (flags, keywords) = (item.flags, item.keywords)
        _ = decision.action.mark(&flags, &keywords)
        return flags == item.flags && keywords == item.keywords
    }
}

extension Plan {
    /// Messages that move with a newer message of their thread, and which one. Their own items have no
    /// disposition, so code that shows a plan must check this before it writes "stays in inbox".
    public var takenAlong: [MessageKey: EmailID] {
        var taken: [MessageKey: EmailID] = [:]
        for item in items {
            for member in item.threadKeys { taken[member.key] = item.message }
        }
        return taken
    }
}

extension [MessageFacts] {
    /// Indexes of messages whose place occurs earlier in the list.
    fileprivate var repeated: Set<Int> {
        let numbers = Set(lazy.map { UInt64($0.key.uidValidity) << 32 | UInt64($0.key.uid) })
        guard numbers.count < count else { return [] }
        var seen: Set<MessageKey> = []
        return Set(indices.filter { !seen.insert(self[$0].key).inserted })
    }
}
