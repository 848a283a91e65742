import Models
import Pipeline

/// Sets one status for several tasks. Reports the tasks that it cannot change, and changes the others.
struct TaskStatusChange {
    let global: GlobalOptions
    let status: TodoStatus
    let command: String
    let word: String

    func run(_ typed: [String], next: MailFollows?) throws {
        let patch = TodoPatch(status: status)
        try TaskPatching(global: global, command: command, word: word).run(typed, next: next) { _, _ in patch
        }
    }
}

/// Changes several tasks in one run, and prints a line for each.
struct TaskPatching {
    let global: GlobalOptions
    /// The name of the command in `opus runs`.
    let command: String
    let word: String

    func run(
        _ typed: [String], next: MailFollows?, _ patch: (TodoFile, Session) throws -> TodoPatch
    ) throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .changing)
        defer { session.close() }
        var refused: [TaskAnswer] = []
        var wishes: [(TodoFile, TodoPatch)] = []
        for file in try session.tasks.named(try MessageIDs.read(typed)) {
            do {
                wishes.append((file, try patch(file, session)))
            } catch let problem as Problem {
                refused.append(TaskAnswer(refused: problem))
            }
        }
        let answers = refused + (try session.taskChanges.change(wishes, command: command))
        try TaskAnswers(session: session, console: console).show(answers, word: word, next: next)
    }
}

/// What the next run does with the mail of tasks that this command closed or reopened.
enum MailFollows {
    case completed, cancelled, reopened

    func applies(to todo: Todo) -> Bool {
        todo.messageID != nil && todo.isOpen == (self == .reopened)
    }

    /// nil: nothing happens to the mail.
    func words(_ session: Session) -> String? {
        switch self {
        case .completed: Self.words(session.tasks.finishedMail(isCancelled: false), "completed tasks")
        case .cancelled: Self.words(session.tasks.finishedMail(isCancelled: true), "cancelled tasks")
        case .reopened: "brings back the mail that completing had archived"
        }
    }

    private static func words(_ finished: FinishedMail, _ tasks: String) -> String? {
        switch finished {
        case .archive: "archives the mail behind \(tasks)"
        case .trash: "asks to move the mail behind \(tasks) to the trash"
        case .keep: nil
        }
    }
}

/// Prints the results of a command on tasks. With one task, its failure is the failure of the command; with several,
/// each failure is reported.
struct TaskAnswers {
    let session: Session
    let console: Console

    func show(_ answers: [TaskAnswer], word: String, next: MailFollows? = nil) throws {
        let problems = answers.compactMap(\.problem)
        if answers.count == 1, let problem = problems.first { throw problem }
        for problem in problems { console.report(problem) }
        let files = answers.compactMap(\.file)
        let unchanged = Set(answers.filter(\.wasSo).compactMap(\.file?.todo.id))
        try TaskOutput(session: session, console: console).changed(word, files, unchanged: unchanged)
        if let next, let words = next.words(session),
            files.contains(where: { next.applies(to: $0.todo) && !unchanged.contains($0.todo.id) })
        {
            console.note("next: opus run      \(words)")
        }
        TaskSyncNews.show(session, console)
        if !problems.isEmpty { throw Outcome(status: .someFailed) }
    }
}
