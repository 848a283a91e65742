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
}

/// The way back: from task files to mail, and deferred messages whose time has come.
extension Session {
    /// Compares the task folder with the versions we know, lets the mail follow, and brings due messages back.
    public func follow(_ ids: [AccountID], allowMassDelete: Bool) async throws -> FollowReport {
        var report = FollowReport()
        let known = try store.todoFiles()
        let scan = try Problem.wrap {
            try tasks.scan(known: known, now: now, allowMassDelete: allowMassDelete)
        }
        report.malformed = scan.malformed.map { "tasks/\($0.path):\($0.line): \($0.reason)" }
        let links = try linkedMail(for: scan.changes)
        let contexts = try Dictionary(
            uniqueKeysWithValues: workspace.accounts.map { ($0.id, try stepContext($0)) })
        let plan = Planner.decide(
            changes: scan.changes, links: links,
            context: FollowContext(
                now: now, timeZone: workspace.timeZone, accounts: contexts, changeTokens: tokens(scan, known))
        )
        let isAsked = { (mail: LinkedMail?) in mail.map { ids.contains($0.account) } ?? true }
        report.lines =
            plan.notices.filter { isAsked(links[$0.todo]) }.map(\.text)
            + plan.actions.filter { ids.contains($0.account) }.map { words(for: $0) }
        for id in ids {
            guard let context = contexts[id] else { continue }
            report.runs.append(try await followMail(plan, context: context))
        }
        // Known only now: a crash before this line finds the same changes again, and the journal their steps.
        // What belongs to an account that was not asked for stays a change until it is.
        let later = Set(scan.changes.map(\.todo.id).filter { !isAsked(links[$0]) })
        let present = Set(scan.files.map(\.todo.id))
        try store.saveTodoFiles(
            scan.files.filter { !later.contains($0.todo.id) },
            removing: known.map(\.todo.id).filter { !present.contains($0) && !later.contains($0) })
        return report
    }

    private func followMail(_ plan: FollowPlan, context: StepContext) async throws -> RunReport {
        let account = try requireAccount(context.account)
        var work = Planner.work(for: plan, context: context)
        let due = try store.deferrals(account: account.id).filter { $0.until <= now }
        let returning = Planner.returning(
            deferrals: due.map { ($0.message, $0.until) }, now: now,
            placements: try placements(of: due.map(\.message)), context: context)
        let moved = Set(work.steps.compactMap(\.message))
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
            let facts = try store.facts(.thread(detail.thread))
            linked[todo.id] = LinkedMail(
                message: message, account: account, thread: detail.thread,
                placements: facts.filter { $0.key.account == account }.map {
                    Planner.Placement(message: $0.id, key: $0.key, mailbox: $0.mailbox, flags: $0.flags)
                },
                deferral: try store.deferrals(account: account).first { $0.message == message }?.until,
                openTodos: Array(Set(facts.flatMap(\.openTodos))).sorted())
        }
        return linked
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

    private func words(for action: FollowAction) -> String {
        let count = action.placements.count
        let mail = count == 1 ? "its mail" : "its \(count) messages"
        return switch action.effect {
        case .archive: "task \"\(action.summary)\" is done: \(mail) to archive"
        case .backToInbox: "task \"\(action.summary)\" is open: \(mail) back to the inbox"
        case .deferUntil(let time):
            "task \"\(action.summary)\" starts later: \(mail) deferred until \(zone.rfc3339(time))"
        }
    }
}
