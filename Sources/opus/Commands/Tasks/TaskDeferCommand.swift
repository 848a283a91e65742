import ArgumentParser
import Models
import Pipeline

struct TaskDefer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "defer", abstract: "Hide tasks from opus next until a day.",
        discussion: """
            Example: opus task defer 9d4x next monday. A task on the list inbox or next moves to scheduled, so that its mail \
            waits too. The day none removes the start, and moves a scheduled task back to next. The day someday moves the \
            task to the list someday. If a task is due before its new start, its due date moves to the day after that \
            start: opus asks first; without a terminal, it moves the date and reports it.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "A task id (or - for ids from standard input), then the day: 9d4x next monday.")
    var words: [String]

    func validate() throws {
        if words.count < 2 { throw ValidationError("say which task, then when: opus task defer 9d4x friday") }
    }

    func run() throws {
        try TaskDeferring(global: global).run([words[0]], until: words.dropFirst().joined(separator: " "))
    }
}

/// Defers tasks, for `opus task defer` and for `opus defer` with task ids.
struct TaskDeferring {
    let global: GlobalOptions

    /// `phrase`: a date, `someday` or `none`.
    func run(_ typed: [String], until phrase: String) throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .changing)
        defer { session.close() }
        let files = try session.tasks.named(try MessageIDs.read(typed))
        let isSomeday = phrase == "someday"
        let start = phrase == "none" || isSomeday ? nil : try session.tasks.futureDate(phrase)
        let when = When(zone: session.zone, now: session.now)
        var refused: [TaskAnswer] = []
        var wishes: [(file: TodoFile, patch: TodoPatch)] = []
        for file in files {
            let patch =
                isSomeday ? Tasks.someday : session.tasks.deferral(of: file.todo, to: start)
            if let due = patch.due, !isAgreed(file.todo, patch, when, console) {
                refused.append(TaskAnswer(refused: Self.unchanged(file.todo, start, due, when)))
            } else {
                wishes.append((file, patch))
            }
        }
        let answers = try session.taskChanges.change(wishes, command: "task defer")
        for (wish, answer) in zip(wishes, answers) where answer.problem == nil {
            guard let old = wish.file.todo.due, let due = wish.patch.due else { continue }
            let title = TerminalText.line(wish.file.todo.summary)
            console.note(
                "“\(title)”: due date moved from \(when.text(old)) to \(when.text(due)), after the new start"
            )
        }
        try TaskAnswers(session: session, console: console).show(
            refused + answers,
            word: isSomeday ? "deferred without a date" : start == nil ? "no longer deferred" : "deferred")
    }

    /// Whether the due date may be moved. Without a terminal it may: the user wants to do the task later.
    private func isAgreed(_ todo: Todo, _ patch: TodoPatch, _ when: When, _ console: Console) -> Bool {
        guard console.canAsk, !console.isJSON, let old = todo.due, let due = patch.due,
            let start = patch.start
        else { return true }
        return console.ask(
            "“\(TerminalText.line(todo.summary))” is due \(when.text(old)) and would start \(when.text(start)). "
                + "Move its due date to \(when.text(due))?")
    }

    private static func unchanged(_ todo: Todo, _ start: TodoDate?, _ due: TodoDate, _ when: When) -> Problem
    {
        let id = TaskName.short(todo.id)
        let day = start.map { when.machine($0) } ?? "DAY"
        return Problem(
            "due-first", exit: .someFailed,
            message: "“\(todo.summary)” was not changed: it is due before it would start",
            next: ["opus task edit \(id) --start '\(day)' --due '\(when.machine(due))'"])
    }
}
