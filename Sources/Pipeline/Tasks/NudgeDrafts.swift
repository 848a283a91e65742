import Accounts
import MIMEParser
import MailStore
import Models
import Planner

/// The drafts of nudges that no longer serve a purpose, for each run.
///
/// | the draft | the wait is answered, or its task is closed | the person is still asked |
/// |---|---|---|
/// | as opus wrote it | goes to the trash, and its line leaves the notes | stays |
/// | edited, or with a text of the user | stays; the run says so, once | stays |
/// | in the outbox, or sent | stays | stays |
/// | discarded by another program | its line stays: it may have been sent | its line leaves the notes |
struct NudgeDrafts: Sendable {
    let store: Store
    let waits: Waits
    let drafts: Drafts
    let mailbox: DraftsMailbox
    let replies: SentReplies
    let notes: NudgeNotes
    let runner: JournalRunner

    /// Takes over versions that another program saved, before ``settle(_:before:)`` judges the drafts. Returns a sentence
    /// for each.
    func pickUp(_ account: Account) async throws -> [String] {
        guard try !nudges(of: account).isEmpty else { return [] }
        return try await mailbox.pickUp(of: account.id)
    }

    /// The notes of a task whose wait is in this state, without the lines of the nudges that ``settle(_:before:)`` will
    /// remove: one change of the task can be undone as a whole.
    func notes(
        _ notes: String, of todo: Todo, _ state: WaitState, _ account: Account
    ) throws -> String {
        guard Self.isOver(todo, state), account.permissions.allows(.draft),
            NudgeNotes.count(in: notes) > 0
        else { return notes }
        var result = notes
        let tokens = Set(self.notes.tokens(of: todo, account))
        for draft in try unsent(account)
        where try tokens.contains(draft.messageID) && NudgeText.isOwn(draft)
            && self.notes.isAlive(draft.messageID, account)
        {
            result = try self.notes.removing(draft.messageID, from: result, of: todo, account)
        }
        return result
    }

    /// `before`: the tasks as the last run left them. Returns lines for users, which contain untrusted text.
    func settle(
        _ account: Account, before: [TodoID: Todo]
    ) async throws -> (lines: [String], runs: [RunReport]) {
        var lines: [String] = []
        var runs: [RunReport] = []
        guard account.permissions.allows(.draft) else { return (lines, runs) }
        for (todo, draft) in try nudges(of: account) {
            let reading = try waits.read([todo], of: account)[todo.id]
            guard try notes.isAlive(draft.messageID, account) else {
                runs += try await takeBack(draft, todo, reading, account)
                continue
            }
            guard Self.isOver(todo, reading?.wait.state) else { continue }
            let name = try drafts.shortName(of: draft)
            guard NudgeText.isOwn(draft) else {
                if Self.isNews(before[todo.id]) {
                    lines.append(
                        "task “\(todo.summary)” needs no nudge any more; you wrote in draft \(name), so it stays "
                            + "(opus drafts discard \(name))")
                }
                continue
            }
            let (report, news) = try await mailbox.discard(drafts.opened(draft), command: "run")
            runs.append(report)
            lines.append("task “\(todo.summary)” needs no nudge any more: draft \(name) is removed")
            lines += news
        }
        return (lines, runs)
    }

    private func unsent(_ account: Account) throws -> [StoredDraft] {
        try store.drafts.drafts(of: account.id).filter {
            $0.submission?.state.isSending != true && $0.submission?.state != .confirmed
        }
    }

    private func nudges(of account: Account) throws -> [(todo: Todo, draft: StoredDraft)] {
        let unsent = try unsent(account)
        guard !unsent.isEmpty else { return [] }
        let todos = try store.todos.todoFiles().map(\.todo).filter {
            $0.waitingOn != nil || NudgeNotes.count(in: $0.notes) > 0
        }
        return todos.flatMap { todo in
            let tokens = Set(notes.tokens(of: todo, account))
            return unsent.filter { tokens.contains($0.messageID) }.map { (todo, $0) }
        }
    }

    private static func isOver(_ todo: Todo, _ state: WaitState?) -> Bool {
        guard todo.isOpen else { return true }
        switch state {
        case .answered, .closed: return true
        case .drafted, .sent, .overdue, .undelivered, nil: return false
        }
    }

    /// Whether the wait was not over in the last run.
    private static func isNews(_ before: Todo?) -> Bool {
        guard let before else { return true }
        return before.isOpen && !WaitLine.saysAnswered(before.notes)
    }

    /// Another program removed the draft from the Drafts mailbox. It may also have sent it under a Message-ID of its own.
    private func takeBack(
        _ nudge: StoredDraft, _ todo: Todo, _ reading: Waits.Reading?, _ account: Account
    ) async throws -> [RunReport] {
        let tokens = Set(notes.tokens(of: todo, account))
        guard let reading, let question = reading.question,
            try store.sync.mailboxes(of: account.id).contains(where: { $0.role == .sent }),
            try replies.reminders(todo, question, todo.askedPeople, account, besides: tokens).isEmpty,
            let patch = try notes.patch(takingBack: nudge.messageID, todo, account)
        else { return [] }
        let step = Step.byHand(
            "nudge note", "\(todo.id.rawValue) \(try CommandToken.next(in: store))", account, message: nil,
            .updateTodo(todo.id, patch))
        return [try await runner.carryOut(QueuedWork(steps: [step]), account: account, command: "run")]
    }
}

/// The text that opus writes for a nudge.
enum NudgeText {
    private static let request = "I would like to ask about this again."

    static func text(to people: [EmailAddress], lastWritten day: CalendarDate) -> String {
        let names = people.map { $0.displayName.split(separator: " ").first.map(String.init) ?? "" }
        let hello = names.count == 1 && !names[0].isEmpty ? "Hello \(ReplyNote.clean(names[0]))," : "Hello,"
        return """
            \(hello)

            \(request) We last wrote about it on \(day).
            A short reply would help me.

            Thank you!

            """
    }

    /// Whether the user has written nothing in the draft.
    static func isOwn(_ draft: StoredDraft) -> Bool {
        guard draft.revision == 1, draft.typed == nil, draft.versions.adopted.isEmpty else { return false }
        return MIMEParser.parse(draft.content).text().contains(request)
    }
}
