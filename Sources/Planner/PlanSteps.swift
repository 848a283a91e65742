public import Models

extension Planning {
    /// The steps of a plan, in order. `compose` creates the message of a delegation.
    public static func steps(
        for plan: Plan, context: StepContext, compose: (Delegation, Plan.Item) throws -> ComposedMail
    ) throws -> [Step] {
        try work(for: plan, context: context, compose: compose).steps
    }

    /// The tasks that a plan makes, each with the message from which it is made.
    public static func todos(of plan: Plan, _ names: OwnNames) -> [(todo: TodoID, message: EmailID)] {
        let making = TodoMaking(
            account: plan.account, timeZone: plan.timeZone, now: plan.now, names: names)
        return plan.items.flatMap { item in
            making.todos(of: item.decisions, item).map { ($0.todo.id, item.message) }
        }
    }

    /// All journal entries of a plan. `original` has the bytes of a message whose action needs them
    /// (``Action/Make/needsOriginal``).
    ///
    /// The order is thread by thread: tasks, drafts and mail, then marks. All moves are last, grouped by
    /// their two mailboxes, as they are sent to the account. So if a task cannot be written, its mail is
    /// still in its old place, and changes that are made together are consecutive in the journal.
    public static func work(
        for plan: Plan, context: StepContext, compose: (Delegation, Plan.Item) throws -> ComposedMail,
        answer: (AutoReply, Plan.Item) throws -> ComposedMail? = { _, _ in nil },
        write: (Letter, Plan.Item) throws -> ComposedMail? = { _, _ in nil },
        original: (Plan.Item) -> [UInt8]? = { _ in nil }
    ) throws -> QueuedWork {
        var work = QueuedWork()
        var threads: [ThreadID: [Plan.Item]] = [:]
        for item in plan.items { threads[item.thread, default: []].append(item) }
        var moved: Set<MessageKey> = []
        var moves = MovesByPlace()
        for item in plan.items {
            // The steps of a thread are at the position of its first item.
            guard let items = threads.removeValue(forKey: item.thread) else { continue }
            for item in items {
                var builder = ItemSteps(item: item, context: context, plan: plan)
                try builder.build(compose, answer, write, original)
                work.autoReplies += builder.autoReplies
                work.steps += builder.creating + builder.marking
                work.links += builder.links
                work.remembered += builder.remembered
                for (step, key) in builder.moves where moved.insert(key).inserted {
                    moves.add(step)
                    if let message = step.message, case .place(.deferUntil(let until)) = item.disposition {
                        work.deferrals.append(.init(message: message, until: until))
                    }
                }
            }
        }
        work.steps += moves.steps
        work.steps.insert(contentsOf: newMailboxes(of: plan, for: work.steps, context), at: 0)
        return work
    }

    /// One step for each mailbox that the plan creates and uses. In another plan it is a new request: the
    /// mailbox may have been deleted by then.
    private static func newMailboxes(
        of plan: Plan, for steps: [Step], _ context: StepContext
    ) -> [Step] {
        var causes: [MailboxName: Step.Cause] = [:]
        for step in steps {
            guard case .move(_, to: let mailbox) = step.kind, causes[mailbox.name] == nil else { continue }
            causes[mailbox.name] = step.cause
        }
        return (plan.newMailboxes ?? []).compactMap { mailbox in
            causes[mailbox.name].map { cause in
                Step(
                    idempotencyKey: IdempotencyKey.make(
                        account: context.account, message: nil, kind: "createMailbox",
                        target: mailbox.name.description, rule: cause.name,
                        token: "\(context.token)\(context.again) \(plan.now.seconds)"),
                    message: nil, cause: cause, kind: .createMailbox(mailbox))
            }
        }
    }
}

/// Moves grouped by their two mailboxes, in the order of the first move of each group.
private struct MovesByPlace {
    private struct Pair: Hashable {
        let source: MailboxName
        let destination: MailboxName
    }

    private var order: [Pair] = []
    private var members: [Pair: [Step]] = [:]

    mutating func add(_ step: Step) {
        guard case .move(let key, let destination) = step.kind else { return }
        let pair = Pair(source: key.mailbox, destination: destination.name)
        if members[pair] == nil { order.append(pair) }
        members[pair, default: []].append(step)
    }

    var steps: [Step] { order.flatMap { members[$0] ?? [] } }
}

/// Collects the steps of one item.
struct ItemSteps {
    let item: Plan.Item
    let context: StepContext
    let making: TodoMaking
    /// Whether rules made the plan, or a command.
    let origin: Plan.Origin

    private(set) var creating: [Step] = []
    private(set) var marking: [Step] = []
    private(set) var moves: [(step: Step, key: MessageKey)] = []
    private(set) var links: [QueuedWork.Link] = []
    private(set) var remembered: [RememberedMatch] = []
    private(set) var autoReplies: [QueuedWork.AutoReplied] = []

    init(item: Plan.Item, context: StepContext, plan: Plan) {
        self.item = item
        self.context = context
        origin = plan.origin
        making = TodoMaking(
            account: plan.account, timeZone: plan.timeZone, now: plan.now, names: context.names)
    }

    mutating func build(
        _ compose: (Delegation, Plan.Item) throws -> ComposedMail,
        _ answer: (AutoReply, Plan.Item) throws -> ComposedMail?,
        _ write: (Letter, Plan.Item) throws -> ComposedMail?,
        _ original: (Plan.Item) -> [UInt8]?
    ) throws {
        var taskCount: [String: Int] = [:]
        for decision in item.decisions {
            guard case .make(let make) = decision.action else { continue }
            switch make {
            case .task(let draft):
                let number = taskCount[decision.rule, default: 0]
                taskCount[decision.rule] = number + 1
                create(making.todo(draft, of: item, rule: decision.rule, number: number), decision.rule)
            case .delegate(let delegation):
                try delegate(delegation, decision.rule, compose(delegation, item))
            case .vacation(let reply):
                if let mail = try answer(reply, item) { vacation(reply, decision.rule, mail) }
            case .letter(let letter):
                if let mail = try write(letter, item) { self.letter(letter, decision.rule, mail) }
            case .waiting(let waiting):
                create(making.waiting(waiting, of: item, rule: decision.rule), decision.rule)
            case .copy(let mailbox): copy(original(item), to: mailbox, decision.rule)
            case .saveFiles(let saving): save(saving, decision.rule)
            }
        }
        mark()
        move()
        remember()
    }

    // MARK: Create

    private mutating func create(_ todo: Todo, _ rule: String) {
        creating.append(step(rule, "createTodo", todo.id.rawValue, .createTodo(todo)))
        links.append(.init(todo: todo.id, message: item.message, thread: item.thread, rule: rule))
    }

    private mutating func save(_ saving: SavedFiles, _ rule: String) {
        for (file, path) in zip(saving.files, saving.paths) {
            creating.append(
                step(
                    rule, "saveFile", file.section + " " + path,
                    .saveFile(section: file.section, folder: saving.folder, name: file.name)))
        }
    }

    /// Adds nothing if the message was deleted meanwhile.
    private mutating func copy(_ message: [UInt8]?, to mailbox: Mailbox, _ rule: String) {
        guard let message, let token = item.messageID else { return }
        let kind = Step.Kind.append(to: mailbox, message: message, flags: item.flags, token: token)
        creating.append(step(rule, "copy", mailbox.name.description, kind))
    }

    private mutating func delegate(_ delegation: Delegation, _ rule: String, _ mail: ComposedMail) {
        create(making.waiting(delegation, of: item, rule: rule, sent: mail.messageID), rule)
        guard delegation.isWritten != true else { return }
        for (name, kind) in letter(mail, delegation.sending) {
            creating.append(step(rule, name, delegation.to.comparable, kind))
        }
    }

    /// The steps for a mail: a draft, or the submission and its copy in Sent.
    private func letter(_ mail: ComposedMail, _ sending: Delegation.Sending) -> [(
        name: String, kind: Step.Kind
    )] {
        switch sending {
        case .draft:
            let draft = Step.Kind.append(
                to: context.mailbox(for: .drafts), message: mail.message, flags: [.draft, .seen],
                token: mail.messageID)
            return [("draft", draft)]
        case .now:
            let submit = Step.Kind.submit(
                reversePath: mail.reversePath, forwardPaths: mail.forwardPaths, message: mail.message,
                token: mail.messageID)
            let copy = Step.Kind.append(
                to: mail.sentMailbox ?? context.mailbox(for: .sent), message: mail.message, flags: [.seen],
                token: mail.messageID)
            return [("submit", submit), ("sentCopy", copy)]
        }
    }

    private mutating func letter(_ letter: Letter, _ rule: String, _ mail: ComposedMail) {
        let target = letter.kind.rawValue + " " + letter.to.map(\.comparable).joined(separator: " ")
        for (name, kind) in self.letter(mail, letter.sending) {
            creating.append(step(rule, name, target, kind))
        }
    }

    /// The key contains the sender instead of the message: of several messages in a run, only one gets a
    /// reply.
    private mutating func vacation(_ reply: AutoReply, _ rule: String, _ mail: ComposedMail) {
        autoReplies.append(.init(rule: rule, sender: reply.to.comparable))
        for (name, kind) in letter(mail, reply.sending) {
            let key = IdempotencyKey.make(
                account: context.account, message: nil, kind: "vacation " + name, target: reply.to.comparable,
                rule: rule, token: "\(context.now.seconds / (Int64(reply.days) * 86_400))")
            creating.append(
                Step(idempotencyKey: key, message: item.message, cause: origin.cause(rule), kind: kind))
        }
    }

    // MARK: Mark

    /// One `store` for each rule, without marks that are already set.
    private mutating func mark() {
        var flags = item.flags
        var keywords = item.keywords
        var rules: [String] = []
        for decision in item.decisions where !rules.contains(decision.rule) { rules.append(decision.rule) }
        for rule in rules {
            let (flagsBefore, keywordsBefore) = (flags, keywords)
            for decision in item.decisions where decision.rule == rule {
                _ = decision.action.mark(&flags, &keywords)
            }
            let kind = Step.Kind.store(
                item.key, addFlags: flags.subtracting(flagsBefore),
                removeFlags: flagsBefore.subtracting(flags),
                addKeywords: keywords.subtracting(keywordsBefore),
                removeKeywords: keywordsBefore.subtracting(keywords))
            guard flags != flagsBefore || keywords != keywordsBefore else { continue }
            let changes =
                flags.symmetricDifference(flagsBefore).sorted().map {
                    (flags.contains($0) ? "+" : "-") + $0.rawValue
                }
                + keywords.symmetricDifference(keywordsBefore).sorted().map {
                    (keywords.contains($0) ? "+" : "-") + "keyword " + $0.rawValue.lowercased()
                }
            marking.append(
                step(rule, "store", Planning.placeText(item.key) + " " + changes.joined(separator: " "), kind)
            )
        }
    }

    // MARK: Move

    private mutating func move() {
        guard let decision = item.decisions.last(where: { $0.action.isDisposition }),
            let destination = context.destination(of: decision.action)
        else { return }
        // A place outside the mailbox of the item is last: it may be an old place of a message that another
        // program moved here, and then opus finds the message in its destination.
        let mailbox = item.key.mailbox
        let isBeside = { (member: Plan.ThreadMember) in member.key.mailbox != mailbox }
        let members =
            item.threadKeys.filter { !isBeside($0) }
            + [Plan.ThreadMember(message: item.message, key: item.key)] + item.threadKeys.filter(isBeside)
        // For an item by hand, the message is not in its destination now, or a queued step will move it away:
        // the key contains its current place.
        for member in members where origin == .hand || member.key.mailbox != destination.name {
            if case .place(.deferUntil(let until)) = decision.action,
                member.key.mailbox == destination.name, !context.isLeaving(member.message, for: destination)
            {
                marking += [deferAgain(member, until, decision.rule)].compactMap(\.self)
                continue
            }
            moves.append(
                (
                    Planning.moveStep(
                        member.message, member.key, to: destination, cause: origin.cause(decision.rule),
                        context: context,
                        token: context.token + context.again),
                    member.key
                ))
        }
    }

    /// A step that changes the due date of a deferred message; nil: the date stays the same.
    private func deferAgain(
        _ member: Plan.ThreadMember, _ until: DeferredUntil, _ rule: String
    ) -> Step? {
        let before = context.deferrals[member.message]
        guard before != until else { return nil }
        return Step(
            idempotencyKey: IdempotencyKey.make(
                account: context.account, message: member.message, kind: "wait \(until.word)",
                target: Planning.placeText(member.key), rule: rule, token: context.token + context.again),
            message: member.message, cause: origin.cause(rule), kind: .wait(until: until, before: before))
    }

    // MARK: Remember

    /// Remembers rules that acted here, rules whose task the thread already had, those whose mail is already written, and
    /// those whose deferral an answer ended.
    private mutating func remember() {
        for decision in item.decisions where decision.action != .keep && !isPending(decision.rule) {
            remember(decision.rule)
        }
        for match in RememberedMatch.refused(of: [item]) { remember(match.rule) }
    }

    /// Whether the rule could not do all of its work and so far only marked the message, such as a rule with a
    /// label and a move to a mailbox that does not exist. It acts again as soon as it can; a mark that is
    /// already set makes no step.
    private func isPending(_ rule: String) -> Bool {
        guard item.failures?.contains(where: { $0.rule == rule }) == true else { return false }
        return item.decisions.allSatisfy { decision in
            if case .mark = decision.action {
                true
            } else {
                decision.rule != rule || decision.action == .keep
            }
        }
    }

    private mutating func remember(_ rule: String) {
        let match = RememberedMatch(rule: rule, message: item.message)
        if !remembered.contains(match) { remembered.append(match) }
    }

    // MARK: Steps

    private func step(_ rule: String, _ name: String, _ target: String, _ kind: Step.Kind) -> Step {
        Step(
            idempotencyKey: IdempotencyKey.make(
                account: context.account, message: item.message, kind: name, target: target, rule: rule,
                token: context.token + context.again),
            message: item.message, cause: origin.cause(rule), kind: kind)
    }
}

extension Planning {
    /// The key of a move contains the place: after the user moved a message back, moving it from its new
    /// place is a new request.
    static func moveStep(
        _ message: EmailID, _ key: MessageKey, to destination: Mailbox, cause: Step.Cause,
        context: StepContext,
        token: String = ""
    ) -> Step {
        Step(
            idempotencyKey: IdempotencyKey.make(
                account: context.account, message: message, kind: "move",
                target: placeText(key) + " to " + destination.name.description, rule: cause.name, token: token
            ),
            message: message, cause: cause, kind: .move(key, to: destination))
    }

    static func placeText(_ key: MessageKey) -> String {
        "\(key.mailbox.description)/\(key.uidValidity)/\(key.uid)"
    }
}

extension RememberedMatch {
    /// The matches of rules whose task the conversation already had, whose mail is already written, whose sender was answered
    /// recently, whose action an earlier rule takes, whose deferral an answer ended before it began, or whose move the
    /// user's own deferral prevented.
    public static func refused(of items: [Plan.Item]) -> [RememberedMatch] {
        items.flatMap { item in
            let taken = Set(item.decisions.lazy.map(\.action).filter { !$0.isDisposition })
            let made = item.shadowed.filter {
                $0.action.isNamedAfterMessage || $0.action.name == .vacation || taken.contains($0.action)
            }
            return (made + (item.answered ?? [])).map {
                RememberedMatch(rule: $0.rule, message: item.message)
            }
        }
    }
}
