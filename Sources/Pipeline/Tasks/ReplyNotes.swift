import Accounts
import MailStore
import Models
import Planner
import Rules
import TaskStore

/// From mail to task file: a reply is noted on the task, and mail that is gone is reported. Nothing that happens to mail
/// completes a task.
///
/// | in the mailbox | the task |
/// |---|---|
/// | archived, moved, deferred by another program | nothing |
/// | a reply of another person in the thread | a line in the notes |
/// | the mail is gone from the server | stays; the run says so, once |
struct ReplyNotes: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let runner: JournalRunner
    let zone: ZoneClock

    /// More lines than these are a conversation to be read in the mailbox.
    private static let mostReplies = 50
    private static let mostNotes = 16 << 10

    /// `later`: tasks whose edited file is not taken over yet.
    func note(for ids: [AccountID], later: Set<TodoID>, _ report: inout FollowReport) async throws {
        var files: [TodoID: Todo]?
        for id in ids {
            let replies = try store.todos.unnotedReplies(account: id).filter { !later.contains($0.todo) }
            let gone = try store.todos.todosWithoutMail(account: id)
            guard !replies.isEmpty || !gone.isEmpty else { continue }
            let known =
                try files
                ?? Dictionary(try store.todos.todoFiles().map { ($0.todo.id, $0.todo) }) { first, _ in first }
            files = known
            for (todo, message) in gone {
                try store.todos.note([TaskNotice(.mailGone, todo: todo, message: message)])
                let summary = known[todo]?.summary ?? todo.rawValue
                report.lines.append("the mail of task “\(summary)” is gone from the server; the task stays")
            }
            try await note(replies, known, account: try accounts.require(id), &report)
        }
    }

    private func note(
        _ replies: [(todo: TodoID, message: EmailID)], _ known: [TodoID: Todo], account: Account,
        _ report: inout FollowReport
    ) async throws {
        let facts = Dictionary(
            try store.messages.facts(.ids(Array(Set(replies.map(\.message))))).map { ($0.id, $0) }
        ) { first, _ in first }
        let own = Set((workspace.addresses + [account.address]).map(\.comparable))
        var work = QueuedWork()
        for (id, group) in Dictionary(grouping: replies, by: \.todo).sorted(by: { $0.key < $1.key }) {
            guard let todo = known[id], todo.isOpen else { continue }
            var notes = todo.notes
            for (_, message) in group {
                guard let facts = facts[message], isReply(facts, to: todo, own) else { continue }
                let line = ReplyNote.line(facts, zone)
                let isFull = ReplyNote.count(notes) >= Self.mostReplies || notes.utf8.count > Self.mostNotes
                if isFull || ReplyNote.has(line, in: notes) {
                    try store.todos.note([TaskNotice(.reply, todo: id, message: message)])
                    continue
                }
                notes = ReplyNote.adding(line, to: notes)
                work.notices.append(TaskNotice(.reply, todo: id, message: message))
                report.lines.append("task “\(todo.summary)” has a reply from \(ReplyNote.name(facts))")
            }
            guard notes != todo.notes else { continue }
            work.steps.append(
                Planning.noteStep(notes, on: id, messages: group.map(\.message), account: account.id))
        }
        guard !work.isEmpty else { return }
        report.runs.append(try await runner.carryOut(work, account: account, command: "run"))
    }

    /// Another person wrote it, after the task was made.
    private func isReply(_ facts: MessageFacts, to todo: Todo, _ own: Set<String>) -> Bool {
        guard facts.received > (todo.created ?? Timestamp(seconds: 0)) else { return false }
        return !facts.from.contains { own.contains($0.comparable) }
    }
}
