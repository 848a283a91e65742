import Models
import Planner
import TodoCalendar

/// Computes how mail changes one task: the lines in its notes, and the state of its wait. Has no side
/// effects.
struct WaitSettling {
    let todo: Todo
    let zone: ZoneClock
    var notes: String
    private(set) var patch = TodoPatch()
    /// For users; contains untrusted text.
    private(set) var lines: [String] = []
    private(set) var notices: [TaskNotice] = []
    /// Messages whose line has left the notes: the user undid the run that noted them.
    private var undone: Set<EmailID> = []
    /// Noted before, or the notes are full: nothing is written.
    private(set) var silent: [TaskNotice] = []

    /// The maximum number of reply lines in the notes; longer conversations should be read in the mailbox.
    private static let mostReplies = 50
    private static let mostNotes = 16 << 10

    init(_ todo: Todo, _ zone: ZoneClock) {
        self.todo = todo
        self.zone = zone
        notes = todo.notes
    }

    /// The change of the task; nil: none.
    var change: TodoPatch? {
        var patch = patch
        if notes != todo.notes { patch.notes = notes }
        return patch.isEmpty ? nil : patch
    }

    /// Whether the new notes say that the answer is late and the old ones did not.
    var hasBecomeLate: Bool { WaitLine.saysLate(notes) && !WaitLine.saysLate(todo.notes) }

    /// Call before ``note(_:_:isTold:)``. `fresh`: the messages that are not in the task yet.
    mutating func noteUndone(_ reading: Waits.Reading, fresh: Set<EmailID>) {
        guard ReplyNote.count(notes) < Self.mostReplies, notes.utf8.count <= Self.mostNotes else { return }
        undone = Set(
            reading.mails.values.filter { mail in
                !fresh.contains(mail.id)
                    && !ReplyNote.has(
                        ReplyNote.line(mail, reading.kinds[mail.id] ?? .human, zone), in: notes)
            }.map(\.id))
    }

    /// `isTold`: whether the run reports it.
    mutating func note(_ facts: MessageFacts, _ kind: AnswerKind, isTold: Bool) {
        let line = ReplyNote.line(facts, kind, zone)
        let isFull = ReplyNote.count(notes) >= Self.mostReplies || notes.utf8.count > Self.mostNotes
        let notice = TaskNotice(.reply, todo: todo.id, message: facts.id)
        guard !isFull, !ReplyNote.has(line, in: notes) else { return silent.append(notice) }
        notes = ReplyNote.adding(line, to: notes)
        notices.append(notice)
        if isTold { lines.append("task “\(todo.summary)” has \(ReplyNote.news(facts, kind))") }
    }

    /// The mail is a copy of one that was noted before.
    mutating func leaveOut(copy: EmailID) {
        silent.append(TaskNotice(.reply, todo: todo.id, message: copy))
    }

    /// The user sent the mail of the delegation to others than the task names. The contact names them, and so does the
    /// title, if opus wrote it. `question`: that mail; opus does this once for it, so that an undo lasts.
    mutating func rename(to wait: Wait, question: EmailID) {
        let before = todo.askedPeople
        let (old, new) = (Set(before.map(\.comparable)), Set(wait.asked.map(\.comparable)))
        guard todo.list == .waiting, !new.isEmpty, old.isDisjoint(with: new) else { return }
        patch.contact = wait.asked.map(\.description).joined(separator: ", ")
        let people = WaitWords.people(wait.asked)
        if todo.summary.hasPrefix(WaitWords.waiting(for: WaitWords.people(before), "")) {
            patch.summary = WaitWords.waiting(for: people, WaitWords.subject(todo))
        }
        notices.append(TaskNotice(.reply, todo: todo.id, message: question))
        lines.append("task “\(todo.summary)” waits for \(people): you sent its mail to them")
    }

    /// `fresh`: the messages that are not in the task yet.
    mutating func settle(
        _ wait: Wait, fresh: Set<EmailID>, now: Timestamp, timeZone: String, workdays: Set<Int>
    ) {
        guard todo.list == .waiting else { return }
        let decision = wait.decision(
            for: todo, fresh: fresh, now: now, timeZone: timeZone, workdays: workdays)
        switch decision.outcome {
        case .decide(let answer):
            let title = WaitWords.title(todo)
            patch.list = .next
            patch.summary = title
            if todo.start != nil { patch.clears = [.start] }
            lines.append(WaitWords.decided(todo, answer, wait, title))
        case .close(let answer):
            patch.status = .completed
            patch.completed = now
            lines.append(WaitWords.closed(todo, answer, wait))
        case .stays:
            if wait.answers.contains(where: { fresh.contains($0.message) }) {
                lines.append(WaitWords.kept(todo, wait))
            }
        }
        patch.start = decision.start.map { day in
            todo.due.flatMap { StartBeforeDue.inForm(of: $0, .date(day), zone: todo.timeZone ?? timeZone) }
                ?? .date(day)
        }
        for absence in wait.openAbsences where fresh.contains(absence.message) {
            lines.append(WaitWords.away(todo, absence, decision.start))
        }
        for failure in wait.failures where fresh.contains(failure.message) {
            lines.append(WaitWords.undelivered(todo, failure))
        }
        write(wait, decision)
        if hasBecomeLate { lines.append(WaitWords.late(todo, wait)) }
    }

    private mutating func write(_ wait: Wait, _ decision: WaitDecision) {
        var wait = wait
        // The day to ask again has just been moved, so an overdue wait is no longer overdue.
        if decision.start != nil, wait.state == .overdue { wait.state = .sent }
        guard let wait = decision.outcome == .stays ? stillNoted(wait) : wait,
            let line = WaitLine.line(wait, zone)
        else { return }
        let present = WaitLine.present(in: notes)
        guard present != line, present != nil || WaitLine.isNews(wait) else { return }
        notes = WaitLine.setting(line, in: notes)
    }

    /// The wait without the messages whose note was undone; nil: its state needs them.
    private func stillNoted(_ wait: Wait) -> Wait? {
        var wait = wait
        wait.answers.removeAll { undone.contains($0.message) }
        wait.absences.removeAll { undone.contains($0.message) }
        wait.failures.removeAll { undone.contains($0.message) }
        switch wait.state {
        case .answered: return wait.isAnswered ? wait : nil
        case .undelivered: return wait.failures.isEmpty ? nil : wait
        case .drafted, .sent, .overdue, .closed: return wait
        }
    }
}
