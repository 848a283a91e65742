import Accounts
import MIMEParser
import MailStore
public import Models
import Planner

/// Makes a polite reminder: a draft in the thread of an unanswered question. Sends nothing.
public struct Nudging: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let waits: Waits
    let composing: Composing
    let drafts: Drafts
    let traces: MailTraces
    let replies: SentReplies
    let notes: NudgeNotes
    let draftsMailbox: DraftsMailbox
    let taskChanges: TaskChanges
    let whole: WholeRun
    let clock: SessionClock
    let zone: ZoneClock

    /// The draft of a nudge.
    public struct Nudge: Sendable {
        public var draft: OpenDraft
        /// The people who are not asked again, because the mail did not reach them.
        public var leftOut: [EmailAddress]
    }

    /// Saves the draft, notes it on the task, and puts it into the Drafts mailbox if the account can be reached: one run.
    /// `until`: the new day to ask again. `again`: also if a nudge was sent today.
    public func nudge(
        _ file: TodoFile, body: String?, until: TodoDate?, again: Bool = false
    ) async throws -> Nudge {
        try await nudge(file, to: nil, body: body, until: until, again: again)
    }

    /// Saves a draft to these people in place of one to more people.
    func nudge(to people: [EmailAddress], _ file: TodoFile) async throws -> Nudge {
        try await nudge(file, to: people, body: nil, until: nil, again: true)
    }

    /// The line in the notes of the task for a nudge that is written now.
    func line(to people: [EmailAddress]) -> String { notes.line(at: clock.now, to: people) }

    private func nudge(
        _ file: TodoFile, to wanted: [EmailAddress]?, body: String?, until: TodoDate?, again: Bool
    ) async throws -> Nudge {
        let todo = file.todo
        let id = TaskName.short(todo.id)
        let (reading, account) = try self.reading(todo)
        let wait = reading.wait
        let missing = wanted ?? (wait.missing.isEmpty ? wait.asked : wait.missing)
        let failed = Set(wait.failures.flatMap(\.recipients).map(\.comparable))
        let people = missing.filter { !failed.contains($0.comparable) }
        let leftOut = missing.filter { failed.contains($0.comparable) }
        guard !people.isEmpty else { throw Self.unreachable(leftOut, id) }
        let purpose = NudgeNotes.purpose(todo.id, account.id)
        let past = try traces.traces(of: purpose, account.id, domain: account.address.domain)
        let tokens = (0..<max(NudgeNotes.count(in: todo.notes), past.past.count)).map {
            MailTraces.messageID(purpose, $0, domain: account.address.domain)
        }
        let others = try replies.reminders(todo, reading, people, account, besides: Set(tokens))
        try refuseSecond(past.past.map(\.trace), id, again: again)
        try refuseSecond(draftsOf: tokens, id, account)
        if !again { try refuseToday(others, id) }
        let count = try count(tokens, account, others: others.count)
        guard count < workspace.mostNudges else {
            throw Problem(
                "nudged-enough", exit: .usage,
                message: "task \(id) was nudged \(count) times, the most that tasks.max-nudges allows",
                next: ["opus task show \(id)", "call them, or: opus task cancel \(id)"])
        }
        let draft = try drafts.keep(
            await letter(past.next, todo, reading, account, to: people, body: body))
        var patch = TodoPatch()
        if wanted == nil || !ReplyNote.has(line(to: people), in: todo.notes) {
            patch.notes = ReplyNote.adding(line(to: people), to: todo.notes)
        }
        patch.start = until
        whole.begin()
        defer { whole.end() }
        if !patch.isEmpty { _ = try taskChanges.change(file, patch, command: "nudge") }
        do {
            _ = try await draftsMailbox.push(of: draft.accountID, command: "nudge")
        } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
            // The draft is saved locally, and the next run puts it into the account.
        }
        return Nudge(draft: draft, leftOut: leftOut)
    }

    private static func unreachable(_ people: [EmailAddress], _ id: String) -> Problem {
        Problem(
            "undelivered", exit: .usage,
            message: "the mail of task \(id) did not reach " + people.map(\.addrSpec).joined(separator: ", ")
                + ": another mail would not either",
            next: ["opus compose --to ADDRESS, with an address that works", "opus task cancel \(id)"])
    }

    /// The draft of a nudge that is not saved yet. `body`: nil: the text of opus.
    func letter(
        _ token: MessageID, _ todo: Todo, _ reading: Waits.Reading, _ account: Account,
        to people: [EmailAddress],
        body: String? = nil
    ) async throws -> OpenDraft {
        let question = reading.question
        var wish = MailWish(question.map { MailWish.Purpose.reply($0.id.rawValue) } ?? .new)
        let written = reading.wait.since ?? question?.date ?? clock.now
        wish.body = body ?? NudgeText.text(to: people, lastWritten: zone.local(written).date)
        wish.leavesOutQuote = false
        if question == nil {
            wish.account = account.id.rawValue
            wish.subject = "Re: " + WaitWords.subject(todo)
        }
        var draft = try await composing.compose(wish)
        if question == nil {
            // The question is not in the account any more, but the person has it.
            let name = todo.delegatedMessageID ?? todo.messageID
            draft.builder.inReplyTo = name
            draft.builder.references = [name].compactMap(\.self)
        }
        draft.builder.to = people
        draft.builder.cc = []
        draft.stored.messageID = token
        draft.builder.messageID = token
        return draft
    }

    /// Throws if the draft of an earlier nudge is not sent, or if one was sent today and `again` is false.
    private func refuseSecond(_ past: [MailTraces.Trace], _ id: String, again: Bool) throws {
        for trace in past.reversed() {
            switch trace {
            case .draft(let draft):
                let name = try drafts.shortName(of: draft)
                throw Problem(
                    "nudge-draft", exit: .usage,
                    message: "the last nudge of task \(id) is not sent yet: it is draft \(name)",
                    next: ["opus send \(name)", "opus drafts edit \(name)", "opus drafts discard \(name)"])
            case .sending(let draft): try drafts.refuseWhileSending(draft)
            case .sent(let time):
                let local = zone.local(time)
                guard !again, local.date == zone.local(clock.now).date else { return }
                throw Problem(
                    "nudged-today", exit: .usage,
                    message: "the last nudge of task \(id) was sent today at \(local.clock.prefix(5))",
                    next: ["opus nudge \(id) --again", "opus waiting"])
            case .discarded: continue
            }
        }
    }

    /// After the store was lost or a discard was undone, only the Drafts mailbox shows whether the draft of an earlier
    /// nudge exists.
    private func refuseSecond(draftsOf tokens: [MessageID], _ id: String, _ account: Account) throws {
        for token in tokens {
            switch try traces.trace(of: token, account: account.id) {
            case .draft, .sending, .sent: continue
            case .discarded, nil: break
            }
            guard let draft = try traces.draftMessage(token, account.id) else { continue }
            let name = "m:" + (try store.messages.shortPrefix(of: [draft])[draft] ?? draft.rawValue)
            throw Problem(
                "nudge-draft", exit: .usage,
                message: "the last nudge of task \(id) is not sent yet: it is draft \(name)",
                next: ["opus send \(name)", "opus drafts edit \(name)", "opus drafts discard \(name)"])
        }
    }

    /// Throws if the user wrote to these people today: that mail counts as a nudge.
    private func refuseToday(_ mails: [MessageFacts], _ id: String) throws {
        guard let last = mails.last else { return }
        let local = zone.local(last.date)
        guard local.date == zone.local(clock.now).date else { return }
        let name = try store.messages.shortPrefix(of: [last.id])[last.id] ?? last.id.rawValue
        throw Problem(
            "nudged-today", exit: .usage,
            message: "you wrote about task \(id) today at \(local.clock.prefix(5)): m:\(name)",
            next: ["opus show m:\(name)", "opus nudge \(id) --again"])
    }

    /// How often the task was nudged. A draft that was discarded or undone does not count, unless another program sent it
    /// under its own Message-ID. `others`: how many mails of the user may be such nudges.
    private func count(_ tokens: [MessageID], _ account: Account, others: Int) throws -> Int {
        let hasSent = try store.sync.mailboxes(of: account.id).contains { $0.role == .sent }
        var sure = 0
        var unsent = 0
        for token in tokens {
            switch try traces.trace(of: token, account: account.id) {
            case .draft, .sending, .sent: sure += 1
            case .discarded: unsent += 1
            // The store was lost since. Without Sent, opus cannot find out whether the nudge was sent.
            case nil where hasSent: unsent += 1
            case nil: sure += 1
            }
        }
        return sure + min(unsent, others)
    }

    private func reading(_ todo: Todo) throws -> (Waits.Reading, Account) {
        for account in workspace.accounts {
            guard let reading = try waits.read([todo], of: account)[todo.id] else { continue }
            try refuse(reading.wait.state, TaskName.short(todo.id))
            return (reading, account)
        }
        throw Problem(
            "not-waiting", exit: .usage, message: "task \(TaskName.short(todo.id)) does not wait for anyone",
            next: ["opus waiting"])
    }

    private func refuse(_ state: WaitState, _ id: String) throws {
        let problem: (words: String, next: String)
        switch state {
        case .sent, .overdue, .undelivered: return
        case .drafted: problem = ("the mail that asks is not sent yet", "opus drafts")
        case .answered: problem = ("everyone who was asked has answered", "opus task show \(id)")
        case .closed: problem = ("the task is closed", "opus task reopen \(id)")
        }
        throw Problem(
            "not-waiting", exit: .usage, message: "task \(id) needs no nudge: \(problem.words)",
            next: [problem.next])
    }
}
