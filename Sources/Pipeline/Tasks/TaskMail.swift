import Accounts
import MailStore
public import Models
import Planner
public import Rules
import TodoCalendar

/// The mails of a task, the tasks of a mail, and tasks that the user makes from a mail.
public struct TaskMail: Sendable {
    /// The command in the journal; a further task of the same message adds its number.
    static let verb = "task from"

    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let lines: MessageLines
    let tasks: Tasks
    let runner: JournalRunner
    let clock: SessionClock

    /// The mails of a task: its own message first, then the rest of the thread, oldest first, without drafts that were
    /// discarded. Empty: it has no mail, or the mail is not in the store.
    public func mails(of todo: Todo) throws -> [MessageLine] {
        guard let (message, account) = try mailLink(of: todo),
            let account = workspace.accounts.first(where: { $0.id == account })
        else { return [] }
        guard let detail = try store.messages.detail(of: message) else { return [] }
        var seen: Set<EmailID> = []
        let facts = try loader.facts(.thread(detail.thread), needs: []).filter {
            $0.key.account == account.id && seen.insert($0.id).inserted
                && !($0.mailbox.role == .trash && $0.flags.contains(.draft))
        }
        let sorted = facts.sorted {
            ($0.id == message ? 0 : 1, $0.date, $0.id) < ($1.id == message ? 0 : 1, $1.date, $1.id)
        }
        return try lines.of(sorted, account: account)
    }

    /// Whether the mail of the task is in the store, but in no mailbox.
    public func isMailGone(of todo: Todo) throws -> Bool {
        guard let (message, _) = try mailLink(of: todo), let detail = try store.messages.detail(of: message)
        else {
            return false
        }
        return detail.places.isEmpty
    }

    private func mailLink(of todo: Todo) throws -> (EmailID, AccountID)? {
        if let link = try store.todos.links(for: [todo.id])[todo.id] { return (link.message, link.account) }
        guard let messageID = todo.messageID else { return nil }
        for account in workspace.accounts.map(\.id) where todo.account == nil || account == todo.account {
            if let message = try store.messages.message(with: messageID, account: account) {
                return (message, account)
            }
        }
        return nil
    }

    /// Tasks whose mail is in the thread, open and closed, sorted by list and due date.
    public func tasks(ofThread thread: ThreadID) throws -> [TodoFile] {
        let (board, _) = try tasks.board()
        let links = try store.todos.links(for: board.files.map(\.todo.id))
        let found = board.files.filter { links[$0.todo.id]?.thread == thread }
        return board.sorted(found, .list)
    }

    /// Open and closed tasks that match a query, for a search that also covers mail.
    public func tasks(matching query: Query) throws -> [TodoFile] {
        let (board, _) = try tasks.board()
        return board.sorted(board.files.filter { query.matches($0.todo) }, .list)
    }

    // MARK: A task from a mail

    /// Makes a task from a message through the journal, so that it can be undone. If the message has a task already,
    /// by this command or an open one by a rule, the report names it.
    ///
    /// `again`: makes another task in this case.
    public func make(_ draft: TodoDraft, of typed: String, again: Bool = false) async throws -> RunReport {
        let detail = try lookup.message(typed)
        let account = try accounts.require(detail.account)
        let facts = try loader.facts(.ids([detail.id]), needs: [])
        var context = try accounts.decisionContext(account)
        context.token = try CommandToken.next(in: store)
        context.deferrals = try store.deferrals.dates(account: account.id)
        let place =
            facts.first { context.isMailbox($0.mailbox, .inbox) }
            ?? facts.first { context.isMailbox($0.mailbox, .deferred) } ?? facts.first
        guard let place else {
            throw Problem(
                "gone", exit: .notFound, message: "\(typed) is no longer in any mailbox", next: ["opus sync"])
        }
        var item = Plan.Item(
            message: place.id, key: place.key, thread: place.thread, subject: place.subject, date: place.date)
        item.messageID = place.messageID
        item.from = place.from.first
        item.flags = place.flags
        item.keywords = place.keywords
        item.decisions = [Plan.Decision(rule: Self.verb, action: .task(draft))]
        if let until = deferral(draft), context.mayDefer(place) {
            item.decisions.append(Plan.Decision(rule: Self.verb, action: .place(.deferUntil(until))))
        }
        var plan = Plan(account: account.id, now: clock.now, timeZone: workspace.timeZone, origin: .hand)
        plan.items = [item]
        // Before anything is queued: otherwise the task would be written although its mail stays.
        try accounts.requireMailboxes(of: plan, account, among: store.sync.mailboxes(of: account.id))
        context.names = try store.threads.ownNames(account: account.id, in: [place.thread])
        let present = try again ? nil : present(plan, context.names)
        if present != nil { plan.items[0].decisions.removeFirst() }
        if again { try number(&plan, context.names) }
        let work = try Planning.workByHand(for: plan, context: context)
        var report = RunReport(account: account.id)
        if !work.isEmpty {
            report = try await runner.carryOut(work, account: account, command: Self.verb)
        }
        report.present = present?.id
        report.isPresentClosed = present?.isOpen == false
        return report
    }

    /// The task of the plan, if it exists, otherwise an open task of another origin.
    private func present(_ plan: Plan, _ names: OwnNames) throws -> Todo? {
        let ids = Planning.todos(of: plan, names).map(\.todo)
        let files = try tasks.files().files
        let same = files.first { ids.contains($0.todo.id) }?.todo
        return try same ?? tasks.openTask(of: plan.items[0].message, among: files)
    }

    private static let mostTasks = 100

    /// Gives the task of the plan the first number that no task of the message has.
    private func number(_ plan: inout Plan, _ names: OwnNames) throws {
        let known = Set(try tasks.files().files.map(\.todo.id))
        for number in 2...Self.mostTasks {
            guard Planning.todos(of: plan, names).contains(where: { known.contains($0.todo) }) else { return }
            plan.items[0].decisions[0].rule = "\(Self.verb) \(number)"
        }
    }

    /// The subject of the message, as the title of a task.
    public func title(ofMessage typed: String) throws -> String {
        let subject = try lookup.message(typed).subject
        return subject.isEmpty ? "(no subject)" : subject
    }

    /// Until when the mail of a new task is deferred: until the start of a scheduled or waiting task, and without a date for
    /// one that is done someday. nil: it is not.
    private func deferral(_ draft: TodoDraft) -> DeferredUntil? {
        if draft.list == .someday { return .someday }
        guard draft.list == .scheduled || draft.list == .waiting, let start = draft.start else { return nil }
        let time = ReturnTime.instant(start, timeZone: workspace.timeZone)
        return time > clock.now ? .time(time) : nil
    }

    // MARK: Links

    /// Links the task to the mail that its file names, or records that it does not decide about that mail.
    ///
    /// - Returns: The subject of the mail, which is untrusted text.
    public func answerLink(of file: TodoFile, isAgreed: Bool) throws -> LinkAnswer {
        let todo = file.todo
        if let link = try store.todos.links(for: [todo.id])[todo.id] {
            guard isAgreed else {
                throw Problem(
                    "linked", exit: .usage,
                    message: "opus made this link itself, so it cannot be refused",
                    place: tasks.path(of: file))
            }
            return LinkAnswer(
                subject: try store.messages.detail(of: link.message)?.subject ?? "", wasLinked: true)
        }
        guard let messageID = todo.messageID else {
            throw Problem(
                "no-mail", exit: .notFound, message: "the task file does not name a mail",
                place: tasks.path(of: file),
                next: ["add a line URL:mid:MESSAGE-ID to the file"])
        }
        for account in workspace.accounts.map(\.id) where todo.account == nil || account == todo.account {
            guard let message = try store.messages.message(with: messageID, account: account) else {
                continue
            }
            if isAgreed {
                try store.todos.linkTodo(
                    todo.id, to: message, account: account, rule: todo.rule ?? "", basis: .agreed)
            } else {
                try store.todos.answer(.no, claimOf: todo.id, to: message)
            }
            return LinkAnswer(
                subject: try store.messages.detail(of: message)?.subject ?? "", wasLinked: false)
        }
        throw Problem(
            "no-mail", exit: .notFound, message: "no account has the mail that the task file names",
            place: tasks.path(of: file), next: ["opus sync"])
    }
}

/// The user's answer whether a task may decide about a mail.
public struct LinkAnswer: Sendable {
    public let subject: String
    /// The task was already linked to the mail: nothing changed.
    public let wasLinked: Bool
}
