public import Accounts
import MIMEParser
import MailStore
public import Models
import Planner
import Rules
import TaskStore

/// Applies changes of mail to task files: a reply is noted in the task, an answer ends its wait, and deleted
/// mail is reported. An answer completes a task only if a rule says so.
///
/// | in the mailbox | effect on the task |
/// |---|---|
/// | archived, moved, deferred by another program | none |
/// | a reply of another person in the thread | a line in the notes |
/// | the answer that the task waits for | a next action: "Decide: …"; see ``Wait`` |
/// | the mail was deleted on the server | stays; the run reports it once |
struct ReplyNotes: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let waits: Waits
    let nudges: NudgeDrafts
    let runner: JournalRunner
    let clock: SessionClock
    let zone: ZoneClock

    /// `later`: tasks whose edited file is not processed yet. `waiting`: the open tasks that wait for people.
    func note(
        for ids: [AccountID], later: Set<TodoID>, waiting: [TodoID], _ report: inout FollowReport
    ) async throws {
        for id in ids {
            let replies = try store.todos.unnotedReplies(account: id).filter { !later.contains($0.todo) }
            try tellGone(of: id, &report)
            let ids = Set(waiting).subtracting(later).union(replies.map(\.todo))
            guard !ids.isEmpty, let account = workspace.accounts.first(where: { $0.id == id }) else {
                continue
            }
            let todos = try store.todos.openTodos(Array(ids))
            let readings = try waits.read(todos.values, of: account)
            guard !replies.isEmpty || !readings.isEmpty else { continue }
            try await note(replies, readings, todos, account: account, &report)
        }
        try await noteElsewhere(ids, Set(waiting).subtracting(later), &report)
    }

    /// Answers in these accounts to mail of other accounts, which are not part of this run.
    private func noteElsewhere(
        _ synced: [AccountID], _ waiting: Set<TodoID>, _ report: inout FollowReport
    ) async throws {
        let others = workspace.accounts.filter { !synced.contains($0.id) }
        guard !waiting.isEmpty, !others.isEmpty, !synced.isEmpty else { return }
        let todos = try store.todos.openTodos(Array(waiting))
        for account in others {
            let readings = try waits.read(todos.values, of: account)
            let known = try store.todos.notices(.reply, of: Array(readings.keys))
            for id in synced {
                let answered = readings.filter { todo, reading in
                    relevant(reading, known[todo] ?? []).contains { $0.key.account == id }
                }
                guard !answered.isEmpty, let journal = workspace.accounts.first(where: { $0.id == id })
                else { continue }
                try await note([], answered, todos, account: account, in: journal, &report)
            }
        }
    }

    private func tellGone(of id: AccountID, _ report: inout FollowReport) throws {
        for (todo, message) in try store.todos.todosWithoutMail(account: id) {
            try store.todos.note([TaskNotice(.mailGone, todo: todo, message: message)])
            let summary = try store.todos.todoFile(todo)?.todo.summary ?? todo.rawValue
            let place = workspace.goneMail(of: id)
            report.lines.append("the mail of task “\(summary)” is \(place); the task stays")
        }
    }

    /// `journal`: the account of the run; nil: `account`, which is that of the tasks.
    private func note(
        _ replies: [(todo: TodoID, message: EmailID)], _ readings: [TodoID: Waits.Reading],
        _ todos: [TodoID: Todo], account: Account, in journal: Account? = nil, _ report: inout FollowReport
    ) async throws {
        let facts = Dictionary(
            try store.messages.facts(.ids(Array(Set(replies.map(\.message))))).map { ($0.id, $0) }
        ) { first, _ in first }
        let own = workspace.own(with: account)
        let groups = Dictionary(grouping: replies, by: \.todo)
        let known = try store.todos.notices(.reply, of: Array(readings.keys))
        var work = QueuedWork()
        for id in Set(groups.keys).union(readings.keys).sorted() {
            guard let todo = todos[id], todo.isOpen else { continue }
            let reading = readings[id]
            var settling = WaitSettling(todo, zone)
            let messages = reading.map { relevant($0, known[id] ?? []) } ?? []
            if let reading { settling.noteUndone(reading, fresh: Set(messages.map(\.id))) }
            for facts in messages {
                let kind = reading?.kinds[facts.id] ?? .human
                // For a task on the list waiting, the decision about the wait reports the answer.
                settling.note(facts, kind, isTold: kind == .human && todo.list != .waiting)
            }
            for (_, message) in groups[id] ?? [] where !messages.contains(where: { $0.id == message }) {
                guard let facts = facts[message], isReply(facts, to: todo, own) else { continue }
                if let reading, let name = facts.messageID, names(of: known[id], reading).contains(name) {
                    settling.leaveOut(copy: message)
                    continue
                }
                settling.note(facts, reading?.kinds[message] ?? .human, isTold: true)
            }
            if let reading {
                if let question = reading.question?.id, known[id]?.contains(question) != true {
                    settling.rename(to: reading.wait, question: question)
                }
                settling.settle(
                    reading.wait, fresh: Set(messages.map(\.id)), now: clock.now,
                    timeZone: workspace.timeZone, workdays: workspace.workday.days)
                let fresh = Set(messages.map(\.id))
                if reading.wait.answers.contains(where: { fresh.contains($0.message) }) {
                    report.answered.append(todo.summary)
                }
                settling.notes = try nudges.notes(settling.notes, of: todo, reading, account)
                if settling.hasBecomeLate { report.overdue.append(todo.summary) }
            }
            take(settling, journal ?? account, &work, &report)
            try store.todos.note(settling.silent)
        }
        guard !work.isEmpty else { return }
        report.runs.append(
            try await runner.carryOut(work, account: journal ?? account, command: "run"))
    }

    private func take(
        _ settling: WaitSettling, _ account: Account, _ work: inout QueuedWork, _ report: inout FollowReport
    ) {
        report.lines += settling.lines
        guard let patch = settling.change else { return }
        work.notices += settling.notices
        work.steps.append(
            Planning.replyStep(
                patch, on: settling.todo, messages: settling.notices.map(\.message), account: account.id))
    }

    /// The messages that are relevant to the wait and not in the task yet, oldest first.
    private func relevant(_ reading: Waits.Reading, _ known: Set<EmailID>) -> [MessageFacts] {
        let wait = reading.wait
        let ids =
            wait.answers.map(\.message) + wait.absences.map(\.message) + wait.failures.map(\.message)
        let names = names(of: known, reading)
        return Set(ids).subtracting(known).compactMap { reading.mails[$0] }.filter {
            $0.messageID.map(names.contains) != true
        }.sorted {
            ($0.received, $0.id) < ($1.received, $1.id)
        }
    }

    /// The Message-IDs of mail that was noted before: another account may have a copy of it.
    private func names(of known: Set<EmailID>?, _ reading: Waits.Reading) -> Set<MessageID> {
        Set((known ?? []).compactMap { reading.mails[$0]?.messageID })
    }

    /// Another person wrote the message after the task was made.
    private func isReply(_ facts: MessageFacts, to todo: Todo, _ own: OwnAddressSet) -> Bool {
        guard facts.received > (todo.created ?? Timestamp(seconds: 0)) else { return false }
        return !facts.from.contains { own.contains($0) }
    }
}

extension Workspace {
    /// Where mail is that no read mailbox has. The user may exclude mailboxes, and another program may have moved it there.
    ///
    /// `account`: nil: any of them may have it.
    public func goneMail(of account: AccountID?) -> String {
        let excludes = accounts.contains {
            (account == nil || $0.id == account) && $0.sync.exclude != .nothing
        }
        return excludes ? "in no mailbox that opus reads" : "gone from the server"
    }
}
