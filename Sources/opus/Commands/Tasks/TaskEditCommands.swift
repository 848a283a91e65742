import ArgumentParser
import Models
import Pipeline

/// Commands that make and change task files.

struct TaskAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "A new task of your own.",
        discussion: "opus task add Pay the rent --due 'last friday of month'")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var fields: TaskFieldOptions

    @Option(
        name: .long, help: ArgumentHelp("The list (next); a new name makes a new list.", valueName: "list"))
    var list = "next"

    @Argument(help: "The title; several words are one title.")
    var title: [String]

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .changing)
        defer { session.close() }
        let title = title.joined(separator: " ")
        guard !title.allSatisfy(\.isWhitespace) else {
            throw Problem(
                "no-title", exit: .usage, message: "a task needs a title", next: ["opus task add Call Ann"])
        }
        var todo = Todo(
            id: Tasks.newID(), list: try session.tasks.list(list, mayBeNew: true), summary: title)
        let patch = try fields.patch(session)
        todo.due = patch.due
        todo.start = patch.start
        todo.priority = patch.priority ?? 0
        todo.notes = patch.notes ?? ""
        todo.categories = patch.categories ?? []
        todo.contact = patch.contact
        todo.parent = patch.parent
        let added = try session.taskChanges.add(todo, command: "task add").added
        try TaskOutput(session: session, console: console).changed("added", [added])
    }
}

struct TaskEdit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change a task; without options, its file in your editor.",
        discussion:
            "none takes a date, a priority, a contact or a project away. --context replaces all contexts.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var fields: TaskFieldOptions

    @Option(name: .long, help: ArgumentHelp("Another title.", valueName: "text"))
    var title: String?

    @Option(name: .long, help: ArgumentHelp("One more context; may be repeated.", valueName: "context"))
    var addContext: [String] = []

    @Option(name: .long, help: ArgumentHelp("A context less; may be repeated.", valueName: "context"))
    var removeContext: [String] = []

    @Argument(help: "Task ids (opus task list); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .changing)
        defer { session.close() }
        let files = try session.tasks.named(try MessageIDs.read(ids))
        var patch = try fields.patch(session)
        patch.summary = title
        if patch.isEmpty, addContext.isEmpty, removeContext.isEmpty {
            return try edit(files, session, console)
        }
        if let parent = patch.parent {
            let (board, _) = try session.tasks.board()
            let project = try session.tasks.task(parent.rawValue)
            for file in files { try session.tasks.requireNoCircle(file, below: project, board) }
        }
        let wishes = files.map { file in
            var own = patch
            if !addContext.isEmpty || !removeContext.isEmpty {
                own.categories = contexts(patch.categories ?? file.todo.categories)
            }
            return (file, own)
        }
        try TaskAnswers(session: session, console: console).show(
            try session.taskChanges.change(wishes, command: "task edit"), word: "changed")
    }

    private func contexts(_ old: [String]) -> [String] {
        let gone = Set(removeContext.map { $0.lowercased() })
        let kept = old.filter { !gone.contains($0.lowercased()) }
        let have = Set(kept.map { $0.lowercased() })
        return kept + addContext.filter { !have.contains($0.lowercased()) }
    }

    /// The file itself, as any editor would open it; what is broken afterwards is said with its line.
    private func edit(_ files: [TodoFile], _ session: Session, _ console: Console) throws {
        guard console.canAsk, files.count == 1, let file = files.first else {
            throw Problem(
                "nothing-to-change", exit: .usage, message: "nothing was said that is to change",
                next: ["opus task edit ID --due friday", "opus task path ID"])
        }
        let ending = try Editor(environment: global.environment).edit(session.tasks.path(of: file))
        if case .failed(let reason) = ending {
            console.note(console.style.yellow("! ") + TerminalText.line(reason))
        }
        let (board, malformed) = try session.tasks.board()
        for line in malformed { console.note(console.style.yellow("! ") + TerminalText.line(line)) }
        if !malformed.isEmpty { throw Outcome(status: .someFailed) }
        let after = board.files.filter { $0.todo.id == file.todo.id }
        try TaskOutput(session: session, console: console).changed(
            after.first?.digest == file.digest ? "unchanged" : "changed", after)
    }
}

/// What `add` and `edit` can say of a task.
struct TaskFieldOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Due then: friday, +2 weeks, \"31 March 17:00\".", valueName: "when"))
    var due: String?

    @Option(name: .long, help: ArgumentHelp("Not before then.", valueName: "when"))
    var start: String?

    @Option(name: .long, help: ArgumentHelp("high, mid, low, none, or 1 to 9.", valueName: "level"))
    var priority: String?

    @Option(
        name: [.long, .customShort("c")],
        help: ArgumentHelp("A context; may be repeated.", valueName: "context"))
    var context: [String] = []

    @Option(name: .long, help: ArgumentHelp("The project: another task.", valueName: "id"))
    var project: String?

    @Option(name: .long, help: ArgumentHelp("Notes below the title.", valueName: "text"))
    var notes: String?

    @Option(name: .long, help: ArgumentHelp("Whom it is about, or whom you wait for.", valueName: "who"))
    var contact: String?

    func patch(_ session: Session) throws -> TodoPatch {
        var patch = TodoPatch()
        var clears: Set<TodoPatch.Clearable> = []
        if due == "none" {
            clears.insert(.due)
        } else {
            patch.due = try due.map { try session.tasks.date($0) }
        }
        if start == "none" {
            clears.insert(.start)
        } else {
            patch.start = try start.map { try session.tasks.date($0) }
        }
        if project == "none" {
            clears.insert(.parent)
        } else {
            patch.parent = try project.map { try session.tasks.task($0).todo.id }
        }
        patch.priority = try priority.map { try Tasks.priority($0) }
        patch.notes = notes
        patch.contact = contact == "none" ? "" : contact
        if !context.isEmpty { patch.categories = context == ["none"] ? [] : context }
        if !clears.isEmpty { patch.clears = clears }
        if let due = patch.due, let start = patch.start { try session.tasks.require(start, before: due) }
        return patch
    }
}

struct TaskDone: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "done",
        abstract: "Complete tasks in their files; their mail follows with the next opus run.",
        discussion: """
            A repeating task goes on: it stands on the next day of its series, open, until the last one is done. Its mail \
            is archived with that one.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Task ids (opus task list); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        try TaskPatching(global: global, command: "task done", word: "done").run(
            ids, next: MailFollows(isOpen: false, words: "archives the mail behind completed tasks")
        ) { file, session in try session.taskChanges.completion(of: file) }
    }
}

struct TaskReopen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Open completed or cancelled tasks again.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Task ids (opus task list --all); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        try TaskStatusChange(global: global, status: .needsAction, command: "task reopen", word: "reopened")
            .run(
                ids,
                next: MailFollows(isOpen: true, words: "brings back the mail that completing had archived"))
    }
}

struct TaskCancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Drop tasks: they will not be done.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Task ids (opus task list); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        try TaskStatusChange(global: global, status: .cancelled, command: "task cancel", word: "cancelled")
            .run(
                ids, next: MailFollows(isOpen: false, words: "archives the mail behind cancelled tasks"))
    }
}

struct TaskStart: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Mark tasks as begun (in process).")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Task ids (opus task list); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        try TaskStatusChange(global: global, status: .inProcess, command: "task start", word: "started").run(
            ids, next: nil)
    }
}

/// One status for several tasks. One that cannot be changed is said, and the others are.
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

/// A patch for each of several tasks, told one line each; one run together.
struct TaskPatching {
    let global: GlobalOptions
    /// As it stands among the runs.
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

/// What the next run does with the mail of tasks that are open now, or are not any more.
struct MailFollows {
    var isOpen: Bool
    var words: String

    func applies(to todo: Todo) -> Bool { todo.messageID != nil && todo.isOpen == isOpen }
}

/// What became of the tasks of a command. A single one that was refused is the command's failure; of several each is said.
struct TaskAnswers {
    let session: Session
    let console: Console

    func show(_ answers: [TaskAnswer], word: String, next: MailFollows? = nil) throws {
        let problems = answers.compactMap(\.problem)
        if answers.count == 1, let problem = problems.first { throw problem }
        for problem in problems { console.report(problem) }
        let changed = answers.compactMap(\.file)
        try TaskOutput(session: session, console: console).changed(word, changed)
        if let next, changed.contains(where: { next.applies(to: $0.todo) }) {
            console.note("next: opus run      \(next.words)")
        }
        if !problems.isEmpty { throw Outcome(status: .someFailed) }
    }
}
