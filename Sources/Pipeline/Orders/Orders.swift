import Accounts
import Executor
import MIMEParser
import MailStore
public import Models
import Planner

/// Executes orders that another program gave by moving messages to the command mailboxes. See
/// docs/decisions/0018-command-mailboxes.md.
///
/// When an order is done, its message has left the command mailbox, so moving the same message there again is
/// a new order.
public struct Orders: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let mailboxes: CommandMailboxMaking
    let held: HeldMail
    let store: Store
    let loader: FactLoader
    let delegating: Delegating
    let tasks: Tasks
    let undo: Undoing
    let runner: JournalRunner
    let whole: WholeRun
    let clock: SessionClock
    /// Of a watch, for messages that another program copies before it deletes them.
    var grace: Grace<EmailID>?

    /// Which orders are executed.
    public enum Part: Sendable {
        case all
        /// Before anything of earlier runs is sent: an undo can stop mail that waits in the outbox.
        case undo
        case others
    }

    /// The orders of an account in which opus may not move messages.
    private func refused(_ account: Account) async throws -> OrderReport {
        var report = OrderReport(account: account.id)
        for (_, mailbox) in try await mailboxes.mailboxes(of: account, isLook: true).own {
            let waiting = try loader.facts(.mailbox(account.id, mailbox.name), needs: [])
            for group in try together(waiting, account) {
                guard let head = group.first else { continue }
                report.orders.append(
                    .init(
                        mailbox: mailbox.displayName, mail: try mail(head),
                        failure: account.permissions.refusal(of: .move)))
            }
        }
        return report
    }

    /// Executes the orders of one account that was just synced.
    public func carryOut(
        _ id: AccountID, _ part: Part = .all, isDryRun: Bool = false
    ) async throws -> OrderReport {
        var report = OrderReport(account: id)
        guard workspace.commandMailboxes != nil else { return report }
        let account = try accounts.require(id)
        // An order ends with a move out of its mailbox.
        guard account.permissions.allows(.move) else {
            return part == .undo ? report : try await refused(account)
        }
        let found = try await mailboxes.mailboxes(of: account, isLook: isDryRun)
        if part != .undo { report.strange = found.strange }
        // An undo cancels the open steps of its message; other orders wait until they are done.
        let busy = try store.journal.messagesWithOpenSteps(of: id)
        for (entry, mailbox) in Self.undoFirst(found.own) where part.includes(entry.word) {
            let waiting = try loader.facts(.mailbox(id, mailbox.name), needs: []).filter {
                !$0.isMarkedDeleted && (entry.word == .undo || !busy.contains($0.id))
            }
            for group in try together(waiting, account) {
                guard let head = group.first else { continue }
                if try isHalfMoved(group, account) { continue }
                let mail = try self.mail(head)
                guard !isDryRun else {
                    report.orders.append(.init(mailbox: mailbox.displayName, mail: mail))
                    continue
                }
                let order = Order(entry: entry, mailbox: mailbox, messages: group, account: account)
                var failure: String?
                do {
                    let runs = try await carryOut(order)
                    report.runs += runs
                    failure = runs.lazy.compactMap(\.failure).first
                } catch let problem as Problem where !problem.isOfAccount {
                    failure = problem.message
                }
                report.orders.append(.init(mailbox: mailbox.displayName, mail: mail, failure: failure))
            }
        }
        return report
    }

    /// The others send due mail of earlier runs.
    private static func undoFirst(
        _ mailboxes: [(entry: CommandMailboxes.Entry, mailbox: Mailbox)]
    ) -> [(entry: CommandMailboxes.Entry, mailbox: Mailbox)] {
        mailboxes.filter { $0.entry.word == .undo } + mailboxes.filter { $0.entry.word != .undo }
    }

    /// Messages of one conversation are one order, newest first: phones move whole conversations. A message in which the
    /// writer of the newest one has no part is an order of its own, because anyone can join a conversation.
    private func together(_ messages: [MessageFacts], _ account: Account) throws -> [[MessageFacts]] {
        let company = try loader.company(
            in: Array(Set(messages.map(\.thread))), account: account.id, own: workspace.own(with: account))
        var groups: [[MessageFacts]] = []
        for conversation in Dictionary(grouping: messages, by: \.conversation).values {
            let first = groups.endIndex
            for message in conversation.sorted(by: { ($0.date, $0.id) > ($1.date, $1.id) }) {
                let place = groups[first...].firstIndex { company.joins(message, with: $0[0]) }
                if let place { groups[place].append(message) } else { groups.append([message]) }
            }
        }
        return groups.sorted { a, b in a.isBefore(b) }
    }

    /// One conversation, or a part of one, in one command mailbox.
    private struct Order {
        let entry: CommandMailboxes.Entry
        let mailbox: Mailbox
        /// Newest first.
        let messages: [MessageFacts]
        let account: Account

        /// The verb in the journal, such as `order task`.
        var verb: String { "order " + entry.word.rawValue }
    }

    private func carryOut(_ order: Order) async throws -> [RunReport] {
        try note(order)
        guard order.entry.word != .undo else { return try await takeBack(order) }
        var plan = Plan(
            account: order.account.id, now: clock.now, timeZone: workspace.timeZone, origin: .hand)
        plan.items = try [item(order, decisions(order))].compactMap(\.self)
        var context = try accounts.stepContext(order.account)
        context.token = try CommandToken.next(in: store)
        context.names = try store.threads.ownNames(
            account: order.account.id, in: plan.items.map(\.thread))
        var letters = try await delegating.letters(for: plan, account: order.account, names: context.names)
        var known = try tasks(of: plan, context)
        if order.entry.word == .task, known.isEmpty, let head = order.messages.first,
            try tasks.openTask(of: head.id, among: tasks.files().files) != nil
        {
            plan.items[0].decisions.removeFirst()
        }
        if order.entry.word == .waiting, known.isEmpty, let head = order.messages.first,
            try tasks.openWait(of: head, for: people(head, order.account), among: tasks.files().files) != nil
        {
            plan.items[0].decisions.removeFirst()
        }
        if order.entry.word == .delegate {
            known = try startAgain(&plan, &letters, known, order, context)
        }
        var work = try Planning.workByHand(for: plan, context: context, compose: letters.compose)
        try noteClosed(known)
        work.steps.insert(contentsOf: reopening(known, order, context), at: 0)
        if let list = try denial(order, context) { work.steps.insert(list, at: 0) }
        let run = try await runner.carryOut(work, account: order.account, command: order.verb)
        return [run] + (order.entry.word == .notThisSender ? try await trashElsewhere(order) : [])
    }

    /// The mail of a denied sender in the screener of the other accounts goes to the trash as well.
    private func trashElsewhere(_ order: Order) async throws -> [RunReport] {
        var runs: [RunReport] = []
        for account in workspace.accounts
        where account.id != order.account.id && account.permissions.allows(.move) {
            let waiting = try screened(from: order.messages.first?.from.first, account)
            guard !waiting.isEmpty else { continue }
            var context = try accounts.stepContext(account)
            context.token = try CommandToken.next(in: store)
            let steps = HandSteps(verb: order.verb, context: context)
            var work = QueuedWork()
            work.steps = waiting.map { steps.move($0.message, $0.key, to: context.mailbox(for: .trash)) }
            do {
                runs.append(try await runner.carryOut(work, account: account, command: order.verb))
            } catch let problem as Problem where problem.isOfAccount {
                // The order itself is done.
                continue
            }
        }
        return runs
    }

    /// Notes where the messages go when the order is undone.
    private func note(_ order: Order) throws {
        let own = try store.orders.mailboxes(of: order.account.id)
        let inbox = try accounts.stepContext(order.account).inbox.name
        var homes: [MessageKey: MailboxName] = [:]
        for message in order.messages {
            let origin = try store.orders.origin(of: message.id) ?? inbox
            homes[message.key] = own.contains(origin) ? inbox : origin
        }
        try store.orders.note(homes: homes)
    }

    // MARK: Kinds of orders

    private func decisions(_ order: Order) throws -> [Action] {
        guard let head = order.messages.first else { return [] }
        switch order.entry.word {
        case .task:
            return [
                .task(TodoDraft(summary: head.subject.isEmpty ? "(no subject)" : head.subject)), .archive,
            ]
        case .tomorrow: return [try deferral("tomorrow")]
        case .nextWeek: return [try deferral("next monday")]
        case .someday: return [.place(.deferUntil(.someday))]
        case .waiting:
            guard try !isDraft(head) else { throw Problem.unsentDraft("it is") }
            let people = self.people(head, order.account)
            guard let first = people.first else {
                throw Problem(
                    "no-person", exit: .badData, message: "it has no address of a person to wait for")
            }
            var waiting = Waiting(on: first)
            if people.count > 1 { waiting.others = Array(people.dropFirst()) }
            return [.waiting(waiting), .archive]
        case .delegate:
            guard let person = order.entry.person, !isOwn(person.address, order.account) else {
                throw Problem("own-address", exit: .badData, message: "it would be delegated to yourself")
            }
            return [.delegate(Delegation(to: person.addressee, note: "", followUp: nil)), .archive]
        case .notThisSender: return [.trash]
        case .undo: return []
        }
    }

    private func deferral(_ phrase: String) throws -> Action {
        guard let until = DeferPhrase(workspace: workspace, now: clock.now).until(phrase) else {
            throw Problem("bad-date", exit: .badData, message: "\"\(phrase)\" is not a future time")
        }
        return .place(.deferUntil(until))
    }

    /// All recipients in To (otherwise in Cc) if the user wrote the mail, otherwise its sender.
    private func people(_ mail: MessageFacts, _ account: Account) -> [EmailAddress] {
        guard mail.from.contains(where: { isOwn($0, account) }) else {
            return mail.from.prefix(1).filter(\.hasLocalPart)
        }
        return [mail.to, mail.cc].map { $0.filter { $0.hasLocalPart && !isOwn($0, account) } }
            .first { !$0.isEmpty } ?? []
    }

    /// Whether it is a draft, or was in the mailbox of drafts.
    private func isDraft(_ mail: MessageFacts) throws -> Bool {
        if mail.flags.contains(.draft) { return true }
        guard let origin = try store.orders.origin(of: mail.id) else { return false }
        return try store.sync.mailboxes(of: mail.key.account).contains {
            $0.name == origin && $0.role == .drafts
        }
    }

    private func isOwn(_ address: EmailAddress, _ account: Account) -> Bool {
        workspace.own(with: account).contains(address)
    }

    private func item(_ order: Order, _ actions: [Action]) throws -> Plan.Item? {
        guard let head = order.messages.first else { return nil }
        var item = Plan.Item(
            message: head.id, key: head.key, thread: head.thread, subject: head.subject, date: head.date)
        item.messageID = head.messageID
        item.from = head.from.first
        item.flags = head.flags
        item.keywords = head.keywords
        item.decisions = actions.map { Plan.Decision(rule: order.verb, action: $0) }
        item.threadKeys = order.messages.dropFirst().map { Plan.ThreadMember(message: $0.id, key: $0.key) }
        // If the other program copied the message, or if a mailbox is a label, the message is still in the
        // inbox, too.
        for place in try inboxPlaces(of: order.messages, order.account) {
            item.threadKeys.append(Plan.ThreadMember(message: place.id, key: place.key))
        }
        if order.entry.word == .notThisSender {
            let own = Set([item.key] + item.threadKeys.map(\.key))
            item.threadKeys += try screened(from: head.from.first, order.account).filter {
                !own.contains($0.key)
            }
        }
        return item
    }

    /// Without places that another program has marked for deletion: it moves messages by copying them.
    private func inboxPlaces(of messages: [MessageFacts], _ account: Account) throws -> [MessageFacts] {
        let inbox = try accounts.stepContext(account).inbox.name
        return try loader.facts(.ids(messages.map(\.id)), needs: []).filter {
            $0.mailbox.name == inbox && !$0.isMarkedDeleted
        }
    }

    /// Whether another program may still delete the messages in the inbox, after it has copied them.
    private func isHalfMoved(_ group: [MessageFacts], _ account: Account) throws -> Bool {
        guard let grace, let head = group.first else { return false }
        if try !inboxPlaces(of: group, account).isEmpty, grace.holds(head.id, at: clock.now) { return true }
        grace.forget(head.id)
        return false
    }

    /// The mail of the sender that waits in the screener.
    private func screened(
        from sender: EmailAddress?, _ account: Account
    ) throws -> [Plan.ThreadMember] {
        guard let sender else { return [] }
        return try held.messages(of: account).filter {
            $0.from.first?.comparable == sender.comparable
        }.map { Plan.ThreadMember(message: $0.id, key: $0.key) }
    }

    /// The task or the mail of the message may exist from an earlier order, the mail also in the trash after an undo.
    /// Then this order makes new ones with their own number. An order that failed before its mail was written continues
    /// with its own task.
    ///
    /// - Returns: The task that the plan would make and that already exists.
    private func startAgain(
        _ plan: inout Plan, _ letters: inout LetterWriter, _ first: [Todo], _ order: Order,
        _ context: StepContext
    ) throws -> [Todo] {
        var known = first
        while letters.identity.repetition < LetterWriter.mostRepetitions,
            try known.contains(where: { !isFor(plan, $0) }) || isWritten(plan, letters, order)
        {
            letters.identity.repetition += 1
            plan.items[0].decisions[0].rule = "\(order.verb) \(letters.identity.repetition + 1)"
            known = try tasks(of: plan, context)
        }
        return known
    }

    /// Whether the task waits for the person of the order.
    private func isFor(_ plan: Plan, _ task: Todo) -> Bool {
        guard case .make(.delegate(let delegation))? = plan.items.first?.decisions.first?.action else {
            return true
        }
        return task.waitingOn.flatMap { EmailAddress($0) }?.comparable == delegation.to.comparable
    }

    /// Whether the mail of the delegation exists: as a draft, or sent.
    private func isWritten(_ plan: Plan, _ letters: LetterWriter, _ order: Order) throws -> Bool {
        guard let item = plan.items.first,
            case .make(.delegate(let delegation))? = item.decisions.first?.action
        else { return false }
        return try letters.isWritten(delegation, item, in: store)
    }

    /// The tasks that the plan would make and that already exist.
    private func tasks(of plan: Plan, _ context: StepContext) throws -> [Todo] {
        let ids = Planning.todos(of: plan, context.names).map(\.todo)
        return ids.isEmpty ? [] : try tasks.files().files.map(\.todo).filter { ids.contains($0.id) }
    }

    /// The order is later than the change that closed these tasks, even if no run has seen that change.
    private func noteClosed(_ known: [Todo]) throws {
        let closed = Set(known.filter { !$0.isOpen }.map(\.id))
        guard !closed.isEmpty else { return }
        let files = try tasks.files().files.filter { closed.contains($0.todo.id) }
        try store.todos.saveTodoFiles(files, removing: [])
    }

    /// Reopens a closed task of the message, as the order requests.
    private func reopening(_ tasks: [Todo], _ order: Order, _ context: StepContext) -> [Step] {
        let steps = HandSteps(verb: order.verb, context: context)
        return tasks.filter { !$0.isOpen }.map {
            steps.reopen(
                $0.id, on: order.entry.word == .task ? .next : .waiting, message: order.messages.first?.id)
        }
    }

    private func denial(_ order: Order, _ context: StepContext) throws -> Step? {
        guard order.entry.word == .notThisSender, let head = order.messages.first else { return nil }
        guard let sender = head.from.first else {
            throw Problem("no-sender", exit: .badData, message: "it has no sender")
        }
        guard !isOwn(sender, order.account) else {
            throw Problem("no-sender", exit: .badData, message: "you are its only sender")
        }
        guard SenderLists.isEntry(sender.addrSpec) else {
            throw Problem(
                "bad-address", exit: .badData,
                message: "\(SenderList.denied.path) cannot have its sender \"\(sender.addrSpec)\"")
        }
        return HandSteps(verb: order.verb, context: context).list(
            sender, .denied, isListed: true, message: head.id)
    }

    // MARK: Undo

    /// Undoes the last change of each message, and moves the message back: each is a run that undoes another one.
    private func takeBack(_ order: Order) async throws -> [RunReport] {
        var reports: [RunReport] = []
        for message in order.messages {
            let reported = try await whole.apart {
                whole.begin()
                defer { whole.end() }
                let plan = try await plan(of: message, order)
                var runs: [RunReport] = []
                if let plan, plan.changes > 0 { runs += try await undo.apply(plan) }
                runs += try await putBack(message, order, undoing: plan?.run.id)
                // The user sees no plan of this undo.
                if !runs.isEmpty {
                    runs[0].notices +=
                        plan?.refusals ?? ["nothing to undo: opus has not changed “\(message.subject)”"]
                }
                return runs
            }
            reports += reported
        }
        return reports
    }

    /// nil: no run changed the message.
    private func plan(of message: MessageFacts, _ order: Order) async throws -> UndoPlan? {
        do {
            return try await undo.freshPlan(
                UndoRequest(messages: [message.id.rawValue], account: order.account.id.rawValue))
        } catch let problem as Problem where problem.code == "nothing-to-undo" {
            return nil
        }
    }

    /// Moves the message out of the command mailbox, unless an undone step has moved it or will move it. `run`: the run
    /// of which the move is part of the undo.
    private func putBack(
        _ message: MessageFacts, _ order: Order, undoing run: RunID?
    ) async throws -> [RunReport] {
        let busy = try store.journal.messagesWithOpenSteps(of: order.account.id)
        let places = try loader.facts(.ids([message.id]), needs: [])
        guard !busy.contains(message.id),
            let place = places.first(where: { $0.mailbox.name == order.mailbox.name })
        else { return [] }
        var context = try accounts.stepContext(order.account)
        context.token = try CommandToken.next(in: store)
        let home = try store.orders.home(of: message.key)
        let known = try store.sync.mailboxes(of: order.account.id)
        let destination = known.first { $0.name == home } ?? context.inbox
        var plan = Plan(
            account: order.account.id, now: clock.now, timeZone: workspace.timeZone, origin: .hand)
        let back = Order(
            entry: order.entry, mailbox: order.mailbox, messages: [place], account: order.account)
        plan.items = try [item(back, [.move(to: destination)])].compactMap(\.self)
        let work = try Planning.workByHand(for: plan, context: context)
        return [
            try await runner.carryOut(
                work, account: order.account, command: run == nil ? Undoing.emptyOrder : "undo", undoes: run)
        ]
    }

    private func mail(_ message: MessageFacts) throws -> ReturnedMail {
        ReturnedMail(
            id: message.id,
            shortID: try store.messages.shortPrefix(of: [message.id])[message.id] ?? message.id.rawValue,
            from: message.from.first?.name ?? "(no sender)",
            subject: message.subject.isEmpty ? "(no subject)" : message.subject)
    }
}

extension Orders.Part {
    fileprivate func includes(_ word: CommandMailboxes.Word) -> Bool {
        switch self {
        case .all: true
        case .undo: word == .undo
        case .others: word != .undo
        }
    }
}

extension UndoPlan {
    /// A line for each step that cannot be undone. They contain unescaped text of tasks and addresses.
    fileprivate var refusals: [String] {
        lines.compactMap { line in
            guard case .cannot(let reason) = line.fate else { return nil }
            return "a step of run \(run.id) is not undone: \(reason)"
        }
    }
}

extension [MessageFacts] {
    /// Whether this conversation is handled first: the one with the older first message is.
    fileprivate func isBefore(_ other: [MessageFacts]) -> Bool {
        guard let own = last, let last = other.last else { return false }
        return (own.date, own.id) < (last.date, last.id)
    }
}

extension RunReport {
    /// Why a step of the order did not happen, in one line; nil: all steps happened or will happen.
    fileprivate var failure: String? {
        let failed = drain.failures.first { step in own.isEmpty || step.id.map(own.contains) == true }
        return failed.map { $0.reason ?? "it failed" } ?? drain.interruption
    }
}

extension Problem {
    /// Whether the account as a whole cannot be used, so that other orders would fail, too.
    fileprivate var isOfAccount: Bool {
        switch exit {
        case .unavailable, .temporary, .loginRefused: true
        default: false
        }
    }
}
