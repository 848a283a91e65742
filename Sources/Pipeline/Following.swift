import Accounts
import MailStore
public import Models
import Planner
import TaskStore

/// What edited task files came to.
public struct FollowReport: Sendable {
    /// One line a change that a person made, in their words.
    public var lines: [String] = []
    /// `path:line: reason` of files that cannot be read; they are left untouched.
    public var malformed: [String] = []
    public var runs: [RunReport] = []
    /// What was not done, because nobody could be asked; it is found again at the next run.
    public var held: [String] = []
    /// Deferred messages that are back.
    public var returned: [ReturnedMail] = []

    /// Whether nobody changed anything, and nothing was carried out.
    public var isQuiet: Bool { lines.isEmpty && runs.allSatisfy(\.didNothing) }
}

/// Whether the mail of a finished task goes to the trash.
public struct FollowQuestion: Sendable {
    /// Of the task; anybody's text.
    public var summary: String
    public var messages: Int
}

/// The answer to something that is asked first.
public enum FollowConsent: Sendable {
    case yes
    /// It is not wished, and not asked again.
    case no
    /// Nobody can be asked now.
    case later
}

/// The way back: from task files to mail, and deferred messages whose time has come.
extension Session {
    /// Compares the task folder with the versions we know, lets the mail follow, brings due messages back, and tells
    /// tasks what happened to their mail.
    ///
    /// `agree` is asked for whatever trashes.
    public func follow(
        _ ids: [AccountID], allowMassDelete: Bool,
        agree: (FollowQuestion) throws -> FollowConsent = { _ in .later }
    ) async throws -> FollowReport {
        var report = FollowReport()
        try finishTaskRuns()
        let known = try store.todoFiles()
        let scan = try Problem.wrap {
            try tasks.scan(known: known, now: now, allowMassDelete: allowMassDelete)
        }
        report.malformed = scan.malformed.map { "tasks/\($0.path):\($0.line): \($0.reason)" }
        let links = try linkedMail(for: scan.changes)
        let contexts = try Dictionary(
            uniqueKeysWithValues: workspace.accounts.map { ($0.id, try stepContext($0)) })
        var plan = Planner.decide(
            changes: scan.changes, links: links, context: followContext(contexts, scan, known))
        let fixed = try workspace.accounts.map(\.id).filter { try store.moveAbility(of: $0) == .no }
        plan.keepInPlace(Set(fixed))
        let isAsked = { (mail: LinkedMail?) in mail.map { ids.contains($0.account) } ?? true }
        let waiting = try settle(&plan, ids, &report, agree)
        report.lines =
            plan.notices.filter { isAsked(links[$0.todo]) }.map(\.text)
            + plan.actions.filter { ids.contains($0.account) }.map { FollowWords.line(for: $0, zone) }
        for id in ids {
            guard let context = contexts[id] else { continue }
            var run = try await followMail(plan, context: context)
            report.lines += FollowWords.takeLabelsNotKept(from: &run)
            report.runs.append(run)
        }
        report.returned = try returned(by: report.runs)
        // Known only now: a crash before this line finds the same changes again, and the journal their steps.
        // What belongs to an account that was not asked for, or waits for a word, stays a change until it is.
        let later = waiting.union(scan.changes.map(\.todo.id).filter { !isAsked(links[$0]) })
        let present = Set(scan.files.map(\.todo.id))
        let before = Dictionary(known.map { ($0.todo.id, $0) }) { first, _ in first }
        try store.saveTodoFiles(
            scan.files.filter { !later.contains($0.todo.id) && before[$0.todo.id] != $0 },
            removing: known.map(\.todo.id).filter { !present.contains($0) && !later.contains($0) })
        try repairContexts(scan.changes.map(\.todo), ids, links: links, later: later, &report)
        try await tellTasks(ids, later: later, &report)
        return report
    }

    private func followContext(
        _ contexts: [AccountID: StepContext], _ scan: TaskScan, _ known: [TodoFile]
    ) -> FollowContext {
        let changed = Set(scan.changes.map(\.todo.id))
        let before = known.filter { changed.contains($0.todo.id) }.map { ($0.todo.id, $0.todo) }
        var context = FollowContext(
            now: now, timeZone: workspace.timeZone, accounts: contexts, changeTokens: tokens(scan, known),
            before: Dictionary(before) { first, _ in first })
        context.whenDone = workspace.whenDone
        context.whenCancelled = workspace.whenCancelled
        return context
    }

    /// Takes out of the plan what nobody agreed to. Answers with the tasks whose change waits for a word.
    private func settle(
        _ plan: inout FollowPlan, _ ids: [AccountID], _ report: inout FollowReport,
        _ agree: (FollowQuestion) throws -> FollowConsent
    ) throws -> Set<TodoID> {
        var waiting: Set<TodoID> = []
        var agreed: [FollowAction] = []
        for action in plan.actions {
            guard action.needsWord, ids.contains(action.account) else {
                agreed.append(action)
                continue
            }
            switch try agree(FollowQuestion(summary: action.summary, messages: action.placements.count)) {
            case .yes: agreed.append(action)
            case .no: report.held.append(FollowWords.declined(action))
            case .later:
                waiting.insert(action.todo)
                report.held.append(FollowWords.held(action))
            }
        }
        plan.actions = agreed
        return waiting
    }

    private func followMail(_ plan: FollowPlan, context: StepContext) async throws -> RunReport {
        let account = try requireAccount(context.account)
        var work = Planner.work(for: plan, context: context)
        let due = try store.deferrals(account: account.id).filter { $0.until <= now }
        let returning = Planner.returning(
            deferrals: due.map { ($0.message, $0.until) }, now: now,
            placements: try placements(of: due.map(\.message)), context: context)
        let moved = Set(work.steps.filter(\.kind.decidesPlace).compactMap(\.message))
        work.steps += returning.steps.filter { step in step.message.map { !moved.contains($0) } ?? true }
        work.deferrals += returning.deferrals
        return try await carryOut(work, account: account, command: "run")
    }

    /// The mail of each changed task: by the store's link, else by the Message-ID in the file.
    private func linkedMail(for changes: [TodoChange]) throws -> [TodoID: LinkedMail] {
        let stored = try store.links(for: changes.map(\.todo.id))
        var linked: [TodoID: LinkedMail] = [:]
        for change in changes {
            let todo = change.todo
            guard let (message, account) = try stored[todo.id].map({ ($0.message, $0.account) }) ?? find(todo)
            else {
                continue
            }
            guard let detail = try store.detail(of: message) else { continue }
            let thread = try store.facts(.thread(detail.thread)).filter { $0.key.account == account }
            let own = thread.first { $0.id == message }
            let conversation = own?.conversation ?? detail.conversation
            let facts = thread.filter { $0.conversation == conversation }
            let company = try company(in: [detail.thread], account: account)
            let deferrals = Dictionary(
                try store.deferrals(account: account).map { ($0.message, $0.until) }
            ) { first, _ in first }
            linked[todo.id] = LinkedMail(
                message: message, account: account, thread: detail.thread,
                placements: facts.map {
                    Planner.Placement(message: $0.id, key: $0.key, mailbox: $0.mailbox, flags: $0.flags)
                },
                deferrals: deferrals.filter { (id, _) in facts.contains { $0.id == id } },
                openTodos: Array(Set(facts.flatMap(\.openTodos))).sorted(),
                putAway: try putAway(Set(facts.map(\.id))),
                others: Self.others(facts, than: own ?? factsWithoutPlace(detail), company))
        }
        return linked
    }

    /// Messages of the conversation that a task made of one of them is not about.
    private static func others(
        _ facts: [MessageFacts], than own: MessageFacts, _ company: Company
    ) -> Set<EmailID> {
        Set(
            facts.filter { $0.id != own.id && !company.takes($0, flags: $0.flags, with: own) }.map(\.id))
    }

    /// To whom the user wrote in the conversations of these threads.
    func company(in threads: [ThreadID], account: AccountID) throws -> Company {
        Company(written: try store.recipientsOfOwnMail(in: threads, account: account))
    }

    /// Messages whose last move was made because of a task, by where it took them. What a person or a rule moved
    /// since, and what was undone, is theirs.
    private func putAway(_ messages: Set<EmailID>) throws -> [EmailID: MailboxName] {
        let verbs = Set(FollowAction.Verb.allCases.filter(\.putsAway).map(\.rawValue))
        var putAway: [EmailID: MailboxName] = [:]
        for message in messages {
            let moves = try store.runsMentioning(message).lazy.map(\.step).filter { $0.state == .confirmed }
            for step in moves {
                guard case .move(_, let destination) = step.kind else { continue }
                if verbs.contains(step.rule) { putAway[message] = destination.name }
                break
            }
        }
        return putAway
    }

    /// A task whose link was lost with the store still names its mail.
    private func find(_ todo: Todo) throws -> (EmailID, AccountID)? {
        guard let messageID = todo.messageID else { return nil }
        let candidates = workspace.accounts.map(\.id).filter { todo.account == nil || $0 == todo.account }
        for account in candidates {
            if let message = try store.message(with: messageID, account: account) {
                try store.linkTodo(todo.id, to: message, account: account, rule: todo.rule ?? "")
                return (message, account)
            }
        }
        return nil
    }

    private func placements(of messages: [EmailID]) throws -> [EmailID: [Planner.Placement]] {
        let facts = try store.facts(.ids(messages))
        return Dictionary(
            grouping: facts.map {
                Planner.Placement(message: $0.id, key: $0.key, mailbox: $0.mailbox, flags: $0.flags)
            }, by: \.message)
    }

    /// The version of each changed file: the same change made again later is another wish.
    private func tokens(_ scan: TaskScan, _ known: [TodoFile]) -> [TodoID: String] {
        var tokens: [TodoID: String] = [:]
        for file in known { tokens[file.todo.id] = file.digest }
        for file in scan.files { tokens[file.todo.id] = "\(file.digest) \(file.modifiedNanoseconds)" }
        return tokens
    }
}

extension Step.Kind {
    /// Whether it says where a message is to be, now or later.
    fileprivate var decidesPlace: Bool {
        switch self {
        case .move, .wait: true
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .store, .remove,
            .saveFile,
            .removeFile:
            false
        }
    }
}
