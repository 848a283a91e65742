import Models
import Planner
import TodoCalendar

/// The line with the state of a wait in the notes of a task, which every program shows: `Wait: sent
/// 2026-03-10`.
///
/// It is for users. opus computes the state from the mail, and reads the line only to see whether it has changed, and
/// whether a mail that is gone had been sent.
enum WaitLine {
    static let mark = Todo.waitMark
    private static let undelivered = mark + "not delivered to "

    /// nil: the wait is closed, so it has no line.
    static func line(_ wait: Wait, _ zone: ZoneClock) -> String? {
        let day = { (time: Timestamp?) in time.map { zone.local($0).date.description } ?? "" }
        switch wait.state {
        case .closed: return nil
        case .drafted: return Todo.draftedWait
        case .undelivered:
            let people = wait.failures.flatMap(\.recipients).map(\.addrSpec)
            return undelivered + clean(people.joined(separator: ", "))
        case .answered:
            guard let answer = wait.lastAnswer else { return nil }
            let link = answer.messageID.map { ": <\(MailLink.url($0))>" } ?? ""
            return mark + "answered \(day(answer.received)) \(WaitWords.after(answer, wait)) by "
                + clean(WaitWords.people(wait.answers.map(\.from)))
                + (answer.isGuess ? " (a guess: it has the same subject)" : "") + link
        case .overdue: return mark + "overdue since \(day(wait.askAt))" + partly(wait)
        case .sent: return mark + "sent \(day(wait.since))" + partly(wait)
        }
    }

    /// Whether to add the line if there is none. The task of a draft has one from the start; a mail that is
    /// being sent needs none.
    static func isNews(_ wait: Wait) -> Bool {
        switch wait.state {
        case .drafted, .sent: !wait.answers.isEmpty || !wait.absences.isEmpty
        case .answered, .overdue, .undelivered, .closed: true
        }
    }

    private static func partly(_ wait: Wait) -> String {
        var text = ""
        if !wait.answers.isEmpty {
            text += "; answered by " + clean(WaitWords.people(wait.answers.map(\.from)))
        }
        if let absence = wait.openAbsences.last, let until = absence.until {
            text += "; \(clean(absence.from.name)) is away until \(until)"
        }
        return text
    }

    static func saysLate(_ notes: String) -> Bool {
        present(in: notes)?.hasPrefix(mark + "overdue") ?? false
    }

    static func saysAnswered(_ notes: String) -> Bool {
        present(in: notes)?.hasPrefix(mark + "answered") ?? false
    }

    static func saysUndelivered(_ notes: String) -> Bool {
        present(in: notes)?.hasPrefix(undelivered) ?? false
    }

    /// Whether an earlier run found that the mail was sent.
    static func saysSent(_ notes: String) -> Bool {
        present(in: notes).map { $0 != Todo.draftedWait } ?? false
    }

    /// Whether an earlier run found that the mail was not sent yet.
    static func saysDrafted(_ notes: String) -> Bool { present(in: notes) == Todo.draftedWait }

    static func present(in notes: String) -> String? {
        notes.split(whereSeparator: \.isNewline).first { $0.hasPrefix(mark) }.map(String.init)
    }

    /// The notes with this line: it replaces the old one, or is added above the link to the mail.
    static func setting(_ line: String, in notes: String) -> String {
        var lines = notes.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let place = lines.firstIndex(where: { $0.hasPrefix(mark) }) else {
            return ReplyNote.adding(line, to: notes)
        }
        lines[place] = line
        return lines.joined(separator: "\n")
    }

    private static func clean(_ text: String) -> String { String(ReplyNote.clean(text).prefix(200)) }
}

/// The lines of a run about waits.
enum WaitWords {
    static func people(_ people: [EmailAddress]) -> String {
        var seen: Set<String> = []
        return people.filter { seen.insert($0.comparable).inserted }.map(\.name).joined(separator: ", ")
    }

    static func after(_ answer: Wait.Answer, _ wait: Wait) -> String {
        switch wait.days(until: answer) {
        case 0: "on the same day"
        case 1: "after 1 day"
        case let days: "after \(days) days"
        }
    }

    static func decided(_ todo: Todo, _ answer: Wait.Answer, _ wait: Wait, _ title: String) -> String {
        answered(todo, answer, wait) + ": it is now “\(title)”"
    }

    static func closed(_ todo: Todo, _ answer: Wait.Answer, _ wait: Wait) -> String {
        answered(todo, answer, wait) + ": it is done"
    }

    private static func answered(_ todo: Todo, _ answer: Wait.Answer, _ wait: Wait) -> String {
        "task “\(todo.summary)” was answered \(after(answer, wait)) by \(people(wait.answers.map(\.from)))"
            + (answer.isGuess ? " (a guess: the mail has the same subject)" : "")
    }

    static func kept(_ todo: Todo, _ wait: Wait) -> String {
        let missing = wait.missing
        return "task “\(todo.summary)” has an answer from \(people(wait.answers.map(\.from)))"
            + (missing.isEmpty ? "" : "; \(haveNotAnswered(missing))")
    }

    static func late(_ todo: Todo, _ wait: Wait) -> String {
        "task “\(todo.summary)” is overdue: \(haveNotAnswered(wait.missing))"
    }

    private static func haveNotAnswered(_ missing: [EmailAddress]) -> String {
        "\(people(missing)) \(missing.count == 1 ? "has" : "have") not answered"
    }

    static func undelivered(_ todo: Todo, _ failure: Wait.Failure) -> String {
        "the mail of task “\(todo.summary)” did not reach "
            + failure.recipients.map(\.addrSpec).joined(separator: ", ")
    }

    static func away(_ todo: Todo, _ absence: Wait.Absence, _ start: CalendarDate?) -> String {
        "task “\(todo.summary)”: \(absence.from.name) is away"
            + (absence.until.map { " until \($0)" } ?? "") + (start.map { "; ask again on \($0)" } ?? "")
    }

    /// `Decide: Server move`
    static func title(_ todo: Todo) -> String { String("Decide: \(subject(todo))".prefix(300)) }

    /// `Waiting for Bob Singh: Server move`
    static func waiting(for people: String, _ subject: String) -> String {
        String("Waiting for \(people): \(subject)".prefix(300))
    }

    /// The title of the task without the names of people: usually the subject of the mail.
    static func subject(_ todo: Todo) -> String {
        var rest = todo.summary[...]
        if rest.hasPrefix("Waiting for "), let colon = rest.firstRange(of: ": ") {
            rest = rest[colon.upperBound...]
        }
        return String(rest)
    }
}
