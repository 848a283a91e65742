import Accounts
import Executor
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
/// | to several people, and one has answered or the question did not reach one | | as opus wrote it: a draft to the others replaces it; edited: the run says so |
/// | to several people, and none of them needs it any more | | the same, without a draft to others |
/// | discarded by another program | its line stays: it may have been sent | its line leaves the notes |
struct NudgeDrafts: Sendable {
    let store: Store
    let waits: Waits
    let drafts: Drafts
    let mailbox: DraftsMailbox
    let replies: SentReplies
    let notes: NudgeNotes
    let nudging: Nudging
    let originals: OriginalsReading
    let whole: WholeRun
    let runner: JournalRunner

    /// Takes over versions that another program saved, before ``settle(_:before:)`` judges the drafts. Returns a sentence
    /// for each.
    func pickUp(_ account: Account) async throws -> [String] {
        try await takeOverLost(account)
        guard try !nudges(of: account).isEmpty else { return [] }
        return try await mailbox.pickUp(of: account.id)
    }

    /// After the store was lost, or on another machine: makes the drafts of nudges that ``settle(_:before:)`` will judge
    /// drafts of this store. A draft counts as opus's own if opus would write the same bytes again.
    private func takeOverLost(_ account: Account) async throws {
        let todos = try store.todos.todoFiles().map(\.todo).filter {
            NudgeNotes.count(in: $0.notes) > 0
        }
        for todo in todos {
            for token in notes.tokens(of: todo, account).prefix(NudgeNotes.count(in: todo.notes)) {
                guard try notes.isUnknown(token, account),
                    let message = try notes.traces.draftMessage(token, account.id)
                else { continue }
                try await takeOver(message, token, todo, account)
            }
        }
    }

    private func takeOver(
        _ message: EmailID, _ token: MessageID, _ todo: Todo, _ account: Account
    ) async throws {
        guard let reading = try waits.read([todo], of: account)[todo.id],
            let stored = try store.messages.detail(of: message), let version = stored.messageID,
            Self.isOver(todo, reading.wait.state) || !Recipients(stored.to, reading.wait).needless.isEmpty,
            let place = try store.messages.places(of: message).first(where: {
                !$0.isMissing && $0.mailbox.role == .drafts
            })
        else { return }
        guard let bytes = try await originals.read([message], of: account).bytes[message] else { return }
        let savedAt = stored.sent ?? stored.received
        var draft = StoredDraft(
            account: account.id, messageID: token, savedAt: savedAt, content: bytes)
        draft.pushed = .init(revision: 1, message: message, uid: place.key.uid, token: version)
        if try await isUntouched(bytes, token, todo, reading, account) {
            draft.versions.addOwn(MessageDigest.of(bytes))
        } else {
            draft.versions.adopt(MessageDigest.of(bytes))
        }
        _ = try store.drafts.save(draft)
    }

    private func isUntouched(
        _ bytes: [UInt8], _ token: MessageID, _ todo: Todo, _ reading: Waits.Reading, _ account: Account
    ) async throws -> Bool {
        let envelope = HeaderBlock.envelope(of: bytes)
        guard let date = envelope.date else { return false }
        let letter = try await nudging.letter(token, todo, reading, account, to: envelope.to)
        let again = try letter.content(revision: 1, now: date, zone: nudging.zone)
        return MessageDigest.of(again) == MessageDigest.of(bytes)
    }

    /// The notes of a task with this wait, with the lines of the nudges as ``settle(_:before:)`` will leave them: one
    /// change of the task can be undone as a whole.
    func notes(
        _ notes: String, of todo: Todo, _ reading: Waits.Reading, _ account: Account
    ) throws -> String {
        guard account.permissions.allows(.draft), NudgeNotes.count(in: notes) > 0 else { return notes }
        var result = notes
        let tokens = Set(self.notes.tokens(of: todo, account))
        for draft in try unsent(account)
        where try tokens.contains(draft.messageID) && NudgeText.isOwn(draft)
            && self.notes.isAlive(draft.messageID, account)
        {
            let people = Recipients(HeaderBlock.envelope(of: draft.content).to, reading.wait)
            guard Self.isOver(todo, reading.wait.state) || !people.needless.isEmpty else { continue }
            result = try self.notes.removing(draft.messageID, from: result, of: todo, account)
            if !Self.isOver(todo, reading.wait.state), !people.missing.isEmpty {
                result = ReplyNote.adding(nudging.line(to: people.missing), to: result)
            }
        }
        return result
    }

    /// The people to whom a draft goes.
    private struct Recipients {
        var answered: [EmailAddress]
        /// The question did not reach them, so the draft would not either.
        var unreached: [EmailAddress]
        var missing: [EmailAddress]

        init(_ people: [EmailAddress], _ wait: Wait) {
            let done = Set(wait.answers.map(\.from.comparable))
            let failed = Set(wait.failures.flatMap(\.recipients).map(\.comparable)).subtracting(done)
            answered = people.filter { done.contains($0.comparable) }
            unreached = people.filter { failed.contains($0.comparable) }
            missing = people.filter { !done.contains($0.comparable) && !failed.contains($0.comparable) }
        }

        var needless: [EmailAddress] { answered + unreached }

        /// Why they need no reminder, for users.
        var reason: String {
            var reasons: [String] = []
            if !answered.isEmpty {
                reasons.append(
                    "\(WaitWords.people(answered)) \(answered.count == 1 ? "has" : "have") answered")
            }
            if !unreached.isEmpty {
                reasons.append("the mail did not reach \(WaitWords.people(unreached))")
            }
            return reasons.joined(separator: ", ")
        }
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
            guard Self.isOver(todo, reading?.wait.state) else {
                if let reading {
                    let shorter = try await leaveOut(
                        draft, todo, reading.wait, before[todo.id], account)
                    lines += shorter.lines
                    runs += shorter.runs
                }
                continue
            }
            let name = try drafts.shortName(of: draft)
            guard NudgeText.isOwn(draft) else {
                if Self.isNews(before[todo.id]) {
                    lines.append(
                        "task “\(todo.summary)” no longer needs a nudge; you wrote in draft \(name), so it stays "
                            + "(opus drafts discard \(name))")
                }
                continue
            }
            let (report, news) = try await mailbox.discard(drafts.opened(draft), command: "run")
            runs.append(report)
            lines.append("task “\(todo.summary)” no longer needs a nudge: draft \(name) is removed")
            lines += news
        }
        return (lines, runs)
    }

    /// A person who has answered, or whom the question did not reach, is not asked again: a draft to the others replaces the
    /// draft of opus.
    private func leaveOut(
        _ draft: StoredDraft, _ todo: Todo, _ wait: Wait, _ before: Todo?, _ account: Account
    ) async throws -> (lines: [String], runs: [RunReport]) {
        let people = Recipients(HeaderBlock.envelope(of: draft.content).to, wait)
        guard !people.needless.isEmpty else { return ([], []) }
        let name = try drafts.shortName(of: draft)
        let has = "task “\(todo.summary)”: \(people.reason)"
        guard NudgeText.isOwn(draft) else {
            guard Self.hasNews(before, todo) else { return ([], []) }
            return (["\(has); you wrote in draft \(name), so it stays (opus drafts edit \(name))"], [])
        }
        whole.begin()
        defer { whole.end() }
        let (report, news) = try await mailbox.discard(drafts.opened(draft), command: "run")
        guard !people.missing.isEmpty,
            let file = try notes.tasks.files().files.first(where: { $0.todo.id == todo.id })
        else { return (["\(has): draft \(name) is removed"] + news, [report]) }
        do {
            let new = try await nudging.nudge(to: people.missing, file)
            let others = WaitWords.people(people.missing)
            let draft = try drafts.shortName(of: new.draft.stored)
            return (["\(has): draft \(draft) to \(others) replaces draft \(name)"] + news, [report])
        } catch let problem as Problem {
            return (["\(has): draft \(name) is removed; \(problem.message)"] + news, [report])
        }
    }

    private func unsent(_ account: Account) throws -> [StoredDraft] {
        try store.drafts.drafts(of: account.id).filter {
            try $0.submission?.state.isSending != true && $0.submission?.state != .confirmed
                && !drafts.places.isUnlisted($0)
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

    /// Whether an answer or a bounce has come since the last run.
    private static func hasNews(_ before: Todo?, _ todo: Todo) -> Bool {
        let notes = before?.notes ?? ""
        return ReplyNote.count(notes) < ReplyNote.count(todo.notes)
            || WaitLine.saysUndelivered(todo.notes)
                && WaitLine.present(in: notes) != WaitLine.present(in: todo.notes)
    }

    /// Another program removed the draft from the Drafts mailbox. It may also have sent it under a Message-ID of its own.
    private func takeBack(
        _ nudge: StoredDraft, _ todo: Todo, _ reading: Waits.Reading?, _ account: Account
    ) async throws -> [RunReport] {
        let tokens = Set(notes.tokens(of: todo, account))
        guard let reading,
            try store.sync.mailboxes(of: account.id).contains(where: { $0.role == .sent }),
            try replies.reminders(todo, reading, todo.askedPeople, account, besides: tokens).isEmpty,
            let patch = try notes.patch(takingBack: nudge.messageID, todo, account)
        else { return [] }
        let step = Step.byHand(
            Step.Cause.nudgeNote.name, "\(todo.id.rawValue) \(try CommandToken.next(in: store))", account,
            message: nil,
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
