public import Models
public import Rules

/// Facts and rules, or an edited task file, become a plan; a plan becomes steps. Pure: no clock, no disk.
public enum Planning {
    /// Reads header and text of messages, for rules that ask for them.
    public typealias ContentReader = ([EmailID], FactNeeds) throws -> [EmailID: MessageContent]

    /// Decides what happens to the messages of an inbox.
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
            reading: { _, _ in [:] })
    }

    /// The same, for facts without header and text: `content` reads both for a few hundred messages at a time, and only
    /// for those that cannot be judged without them.
    public static func decide(
        inbox: [MessageFacts], rules: RuleSet, context: RuleContext, account: AccountID, rulesDigest: String,
        mailboxes: [Plan.MailboxVersion], todoRules: [TodoID: String], company: Company = Company(),
        reading content: ContentReader
    ) rethrows -> Plan {
        var request = Request(account: account, rulesDigest: rulesDigest)
        request.mailboxes = mailboxes
        request.todoRules = todoRules
        request.company = company
        return try decide(
            inbox, rules, context, request, names: { _ in OwnNames() }, reading: content)
    }

    /// The input of a plan, besides the messages and the rules.
    public struct Request: Sendable {
        public var account: AccountID
        public var rulesDigest: String
        public var mailboxes: [Plan.MailboxVersion] = []
        /// Which rule made an open task, by the store's links.
        public var todoRules: [TodoID: String] = [:]
        /// To whom the user wrote in the conversations.
        public var company = Company()
        /// The messages of the other mailboxes that rules name.
        public var beside: [MessageFacts] = []
        /// Messages on which this plan does nothing: what they would make is not a fact for the others.
        public var leftOut: Set<EmailID> = []

        public init(account: AccountID, rulesDigest: String) {
            self.account = account
            self.rulesDigest = rulesDigest
        }
    }

    /// The same, with everything that a request can contain. The items of other mailboxes come after those of the
    /// inbox.
    ///
    /// `names` tells what messages are called whose `Message-ID` does not name them, of the conversations that get a task.
    public static func decide(
        _ inbox: [MessageFacts], _ rules: RuleSet, _ context: RuleContext, _ request: Request,
        isComplete: Bool = false, names: ([ThreadID]) throws -> OwnNames,
        reading content: ContentReader
    ) rethrows -> Plan {
        var groups = [Judging.Group(messages: inbox, rules: rules)]
        if !request.beside.isEmpty {
            groups.append(.init(messages: request.beside, rules: rules.forNamedMailboxes))
        }
        let judging = try Judging(groups, context: context, isComplete: isComplete, reading: content)
        var plan = Plan(
            account: request.account, now: context.now, timeZone: context.timeZone,
            origin: .rules(digest: request.rulesDigest))
        plan.mailboxes = request.mailboxes
        let names = try names(judging.threadsWithTasks)
        plan.items = try items(judging, replay(judging, context, request, names)) { index, sight in
            try judging.judge(index, seeing: sight, reading: content)
        }
        return plan
    }

    private static func replay(
        _ judging: Judging, _ context: RuleContext, _ request: Request, _ names: OwnNames
    ) -> ArrivalReplay.Rules {
        let scope = ThreadScope(
            account: request.account, todoRules: request.todoRules, company: request.company, names: names)
        let making = TodoMaking(
            account: request.account, timeZone: context.timeZone, now: context.now, names: names)
        var replay = ArrivalReplay.Rules(
            scope: scope, making: making, changingFacts: judging.changingFacts, leftOut: request.leftOut)
        guard judging.changingFacts.contains(.thread) else { return replay }
        var places = StepContext(
            account: request.account,
            inbox: Mailbox(account: request.account, name: .inbox, displayName: "INBOX"), mailboxes: [:],
            now: context.now, timeZone: context.timeZone)
        for role in [MailboxRole.archive, .trash, .junk, .deferred] {
            places.mailboxes[role] = StepContext.mailbox(for: role, among: context.mailboxes)
        }
        replay.destination = { [places] in places.destination(of: $0) }
        return replay
    }

    /// The same for any judge: only the scope of a decision remains to be found.
    static func items(
        inbox: [MessageFacts], account: AccountID, todoRules: [TodoID: String] = [:],
        company: Company = Company(), judge: (MessageFacts) -> Judgement
    ) -> [Plan.Item] {
        let judging = Judging(inbox: inbox, judgements: inbox.map(judge))
        let replay = ArrivalReplay.Rules(
            scope: ThreadScope(account: account, todoRules: todoRules, company: company),
            making: TodoMaking(account: account, timeZone: "UTC", now: Timestamp(seconds: 0)),
            changingFacts: [])
        return items(judging, replay) { index, sight in
            judging.judge(index, seeing: sight) { _, _ in [:] }
        }
    }

    private static func items(
        _ judging: Judging, _ replay: ArrivalReplay.Rules, _ judge: ArrivalReplay.Judge
    ) rethrows -> [Plan.Item] {
        let inbox = judging.inbox
        let judgements = judging.judgements
        var items = inbox.indices.map { item(inbox[$0], judgements[$0]) }
        let repeated = repeated(inbox)
        let all = judging.changingFacts.contains(.thread)
        for thread in conversations(inbox, judgements, without: repeated, all: all) {
            if thread.count == 1, judgements[thread[0]].standsAlone { continue }
            let members = thread.map { index in
                ThreadScope.Member(index: index, facts: inbox[index], judgement: judgements[index])
            }
            let conversation = thread.count > 1 ? judging.conversation(inbox[thread[0]].thread) : nil
            var replayed = ArrivalReplay(replay, members, conversation: conversation)
            for member in try replayed.run(judge) { items[member.index] = item(member) }
        }
        answerOnce(&items, inbox)
        guard !repeated.isEmpty else { return items }
        return items.indices.filter { !repeated.contains($0) }.map { items[$0] }
    }

    /// Of several messages from one sender only the first is answered: for the later ones the sender already has an
    /// answer.
    private static func answerOnce(_ items: inout [Plan.Item], _ inbox: [MessageFacts]) {
        func isAnswer(_ decision: Plan.Decision) -> Bool {
            decision.action.name == .vacation
        }
        let asking = items.indices.filter { items[$0].decisions.contains(where: isAnswer) }
        guard asking.count > 1 else { return }
        var answered: Set<AutoReplyKey> = []
        for index in asking.sorted(by: { ThreadScope.isOlder(inbox[$0], inbox[$1]) }) {
            items[index].decisions.removeAll { decision in
                guard case .make(.vacation(let reply)) = decision.action else { return false }
                return !answered.insert(AutoReplyKey(rule: decision.rule, sender: reply.to.comparable))
                    .inserted
            }
        }
    }

    /// The conversations in which something is decided: the others need no further work. `all`: rules look at the
    /// whole conversation, and a rule that does not match now may have matched when it was shorter.
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

    static func item(_ facts: MessageFacts, _ judgement: Judgement) -> Plan.Item {
        var item = Plan.Item(
            message: facts.id, key: facts.key, thread: facts.thread, subject: facts.subject, date: facts.date)
        item.mailboxRole = facts.mailbox.role == .inbox ? nil : facts.mailbox.role
        item.messageID = facts.messageID
        item.from = facts.from.first
        item.flags = facts.flags
        item.keywords = facts.keywords
        item.decisions = judgement.decisions
        item.shadowed = judgement.shadowed
        // Protection is reported only if it prevented something.
        let hasLost = judgement.shadowed.contains { $0.action.isDisposition }
        item.protectedBy = hasLost ? judgement.protectedBy : nil
        item.warnings = judgement.warnings
        return item
    }
}

extension Plan {
    /// Messages that leave with a newer message of their thread, and with which. Their own items have no
    /// disposition: code that shows a plan asks here before it writes "stays in inbox".
    public var takenAlong: [MessageKey: EmailID] {
        var taken: [MessageKey: EmailID] = [:]
        for item in items {
            for member in item.threadKeys { taken[member.key] = item.message }
        }
        return taken
    }
}
