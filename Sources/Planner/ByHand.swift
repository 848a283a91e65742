public import Models

/// How much of a conversation a request changes.
public enum HandReach: Hashable, Sendable {
    /// Only the message itself.
    case message
    /// Also the mail in the same mailbox of those with whom its writer talks; see ``Company/joining(_:with:)``.
    case company
    /// Also all other mail in the same mailbox.
    case conversation
}

/// A change that the user requests for some messages.
public struct HandWish: Hashable, Sendable {
    /// The verb of the command: `archive`.
    public var verb: String
    /// A disposition, a mark or a copy.
    public var action: Action
    public var reach: HandReach
    /// Whether messages under `protect` are changed, too.
    public var isForced: Bool

    public init(verb: String, action: Action, reach: HandReach, isForced: Bool = false) {
        self.verb = verb
        self.action = action
        self.reach = reach
        self.isForced = isForced
    }
}

extension Planning {
    /// The user's request as a plan: one item for each message and place, also those in the requested state.
    ///
    /// A disposition acts on the place of the message in the inbox, otherwise in the deferred mailbox,
    /// otherwise anywhere. A message that is already in its destination stays, unless an open move takes it away. A mark is
    /// set in every place of the message. A copy is made once per message.
    ///
    /// - Parameters:
    ///   - wish: One verb for all messages.
    ///   - messages: Each requested message with the facts of all its places; no inner list is empty.
    ///   - threads: The facts of all messages in the threads of these messages.
    ///   - company: The user's addresses, and the recipients of the user's mail in the conversations.
    ///   - protections: The `protect` entry that applies to a message.
    ///   - context: The account's mailboxes.
    /// - Returns: A plan whose rule is the verb.
    public static func byHand(
        _ wish: HandWish, messages: [[MessageFacts]], threads: [ThreadID: [MessageFacts]],
        company: Company = Company(), protections: [EmailID: String], context: StepContext
    ) -> Plan {
        var plan = Plan(
            account: context.account, now: context.now, timeZone: context.timeZone, origin: .hand)
        let wishes = Wishes(
            wish: wish, threads: threads, company: company, protections: protections, context: context)
        var seen: Set<MessageKey> = []
        for places in messages {
            for item in wishes.items(places) where seen.insert(item.key).inserted { plan.items.append(item) }
        }
        plan.leaveToOneItem()
        return plan
    }

    /// The journal entries of such a plan. They are not remembered as matches of a rule. A message that
    /// leaves the deferred mailbox is no longer deferred. `original` has the bytes of a message that is
    /// copied.
    public static func workByHand(
        for plan: Plan, context: StepContext,
        compose: (Delegation, Plan.Item) throws -> ComposedMail = { _, _ in throw NoDelegationByHand() },
        original: (Plan.Item) -> [UInt8]? = { _ in nil }
    ) throws -> QueuedWork {
        var work = try Planning.work(for: plan, context: context, compose: compose, original: original)
        work.remembered = []
        let deferred = context.mailbox(for: .deferred).name
        for step in work.steps {
            guard case .move(let key, to: let destination) = step.kind, let message = step.message,
                key.mailbox == deferred, destination.name != deferred
            else { continue }
            work.deferrals.append(.init(message: message, until: nil))
        }
        return work
    }
}

/// A command without a delegation needs no delegation mail.
public struct NoDelegationByHand: Error {
    public init() {}
}

/// One request, message by message.
private struct Wishes {
    let wish: HandWish
    let threads: [ThreadID: [MessageFacts]]
    let company: Company
    let protections: [EmailID: String]
    let context: StepContext

    func items(_ shown: [MessageFacts]) -> [Plan.Item] {
        let places = shown.map(context.placed)
        if case .make(let make) = wish.action, let mailbox = make.copyDestination {
            return [copy(places, to: mailbox)].compactMap(\.self)
        }
        guard let destination = context.destination(of: wish.action) else { return marks(places) }
        return [move(places, to: destination)].compactMap(\.self)
    }

    /// The message stays where it is. If a copy is already in the mailbox, there is nothing to do.
    private func copy(_ places: [MessageFacts], to mailbox: Mailbox) -> Plan.Item? {
        let isThere = places.contains { $0.mailbox.name == mailbox.name }
        return places.min { rank($0.mailbox) < rank($1.mailbox) }.map {
            item($0, isThere ? nil : wish.action)
        }
    }

    private func marks(_ places: [MessageFacts]) -> [Plan.Item] {
        let real = places.filter { $0.mailbox.role != .all }
        return (real.isEmpty ? places : real).map(context.marked).map { facts in
            var (flags, keywords) = (facts.flags, facts.keywords)
            _ = wish.action.mark(&flags, &keywords)
            let isDone = flags == facts.flags && keywords == facts.keywords
            return item(facts, isDone ? nil : wish.action)
        }
    }

    private func move(_ places: [MessageFacts], to destination: Mailbox) -> Plan.Item? {
        let waiting = places.filter {
            context.isMailbox($0.mailbox, .inbox) || context.isMailbox($0.mailbox, .deferred)
        }
        if case .place(.deferUntil) = wish.action,
            let there = places.first(where: { $0.mailbox.name == destination.name })
        {
            return together(there)
        }
        // Compares with the place that the user sees, which includes the effects of queued steps.
        let isThere = places.contains { $0.mailbox.name == destination.name }
        let candidates = (isThere ? waiting : places).filter { $0.mailbox.name != destination.name }
        let leaving = places.filter { context.isLeaving($0.id, for: destination) }
        guard let facts = (candidates + leaving).min(by: { rank($0.mailbox) < rank($1.mailbox) }) else {
            return places.first.map { self.item($0, nil) }
        }
        if let protector = protections[facts.id], !wish.isForced {
            var item = self.item(facts, nil)
            item.protectedBy = protector
            return item
        }
        return together(facts)
    }

    /// The item of a message that moves, with the rest of its conversation if requested.
    private func together(_ facts: MessageFacts) -> Plan.Item {
        var item = self.item(facts, wish.action)
        guard wish.reach != .message else { return item }
        var members = (threads[facts.thread] ?? []).map(context.placed).filter { member in
            member.mailbox.name == facts.mailbox.name && member.key != facts.key
                && member.conversation == facts.conversation
        }
        if wish.reach == .company { members = company.joining(members, with: facts) }
        for member in members where moves(member) && (wish.isForced || protections[member.id] == nil) {
            item.threadKeys.append(Plan.ThreadMember(message: member.id, key: member.key))
        }
        item.threadKeys.sort { $0.key.uid < $1.key.uid }
        return item
    }

    /// Whether the request changes where the message is, or until when it is deferred.
    private func moves(_ facts: MessageFacts) -> Bool {
        guard let destination = context.destination(of: wish.action) else { return true }
        if case .place(.deferUntil) = wish.action { return true }
        return facts.mailbox.name != destination.name || context.isLeaving(facts.id, for: destination)
    }

    /// All Mail is last: a message that is moved out of it also stays in it.
    private func rank(_ mailbox: Mailbox) -> Int {
        if context.isMailbox(mailbox, .inbox) { return 0 }
        if context.isMailbox(mailbox, .deferred) { return 1 }
        return mailbox.role == .all ? 3 : 2
    }

    private func item(_ facts: MessageFacts, _ action: Action?) -> Plan.Item {
        var item = Plan.Item(
            message: facts.id, key: facts.key, thread: facts.thread, subject: facts.subject, date: facts.date)
        item.messageID = facts.messageID
        item.from = facts.from.first
        item.flags = facts.flags
        item.keywords = facts.keywords
        if let action { item.decisions = [Plan.Decision(rule: wish.verb, action: action)] }
        return item
    }
}

extension Plan {
    /// Makes each message belong to one item only. A message that the user named keeps its own item.
    fileprivate mutating func leaveToOneItem() {
        var own = Set(items.filter { !$0.isUntouched }.map(\.key))
        for index in items.indices {
            items[index].threadKeys.removeAll { !own.insert($0.key).inserted }
        }
        // A message that moves with another one is shown with it.
        let taken = Set(items.flatMap { $0.threadKeys.map(\.key) })
        items.removeAll { $0.isUntouched && $0.protectedBy == nil && taken.contains($0.key) }
    }
}
