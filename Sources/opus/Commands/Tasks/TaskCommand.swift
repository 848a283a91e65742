import ArgumentParser
import Documents
import Models
import Pipeline

struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "List, add, change and complete tasks (one .ics file each).",
        discussion: """
            Name a task by the beginning of its id (t:9d4x or 9d4x) or UID, or by its row number in the last list on the \
            terminal (3); - reads ids from standard input. The next opus run moves the mail behind a changed task. opus tasks is the same \
            command.
            """,
        subcommands: [
            List.self, Show.self, TaskAdd.self, TaskEdit.self, TaskDone.self, TaskReopen.self,
            TaskCancel.self,
            TaskStart.self, TaskMove.self, TaskDefer.self, TaskBlock.self, TaskProject.self, TaskFrom.self,
            TaskLink.self, Path.self, TaskConflicts.self, Check.self, TaskSyncCommand.self,
            TaskSyncSetupCommand.self,
        ], defaultSubcommand: List.self, aliases: ["tasks"])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List open tasks, by list and due date.")

        @OptionGroup var global: GlobalOptions
        @OptionGroup var filter: TaskFilterOptions

        @Flag(name: .long, help: "Include completed and cancelled tasks.")
        var all = false

        @Argument(help: "Only this list: inbox, next, waiting, scheduled, someday, or your own.")
        var list: String?

        func run() throws {
            let console = global.listConsole()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let (board, malformed) = try session.tasks.board()
            var wanted = try filter.filter(session)
            if let list, !session.tasks.hasList(list) { _ = try session.tasks.list(list) }
            wanted.list = list.map { GTDList($0) }
            wanted.includesClosed = all
            try TaskLists.show(
                filter.limited(board.matching(wanted), console), board, malformed, session, console)
            EventFiles.note(board.eventFiles, console)
            TaskSyncNews.show(session, console)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a task, its project and its mail.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "A task id (opus task list).")
        var id: String

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let file = try session.tasks.task(id)
            let (board, _) = try session.tasks.board()
            let mails = try session.taskMail.mails(of: file.todo)
            let isMailGone = try session.taskMail.isMailGone(of: file.todo)
            let wait = try session.waits.all([file.todo])[file.todo.id]
            if console.isJSON {
                return try console.print(
                    json: TaskDocument(file, board, mails, isMailGone: isMailGone, wait, session))
            }
            TaskOutput(session: session, console: console).show(
                file, board, mails, isMailGone: isMailGone, wait)
        }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Print the path of a task file, for an editor.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "A task id; without it, the folder of all lists.")
        var id: String?

        func run() throws {
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let console = global.console()
            let file = try id.map { try session.tasks.task($0) }
            let path = file.map { session.tasks.path(of: $0) } ?? session.tasks.folder
            if console.isJSON {
                return try console.print(
                    json: TaskPathDocument(id: file?.todo.id.rawValue, path: path))
            }
            console.print(TerminalText.line(path))
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check that all task files can be read, and that the links between tasks are valid.")

        @OptionGroup var global: GlobalOptions

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let (board, malformed) = try session.tasks.board()
            let findings = malformed + board.findings().map { "tasks/\($0)" }
            if console.isJSON {
                try console.print(
                    json: TaskCheckDocument(
                        tasks: board.files.count, findings: findings, eventFiles: board.eventFiles))
            } else {
                for finding in findings { console.print(TerminalText.line(finding)) }
                console.note("\(counted(board.files.count, "task")), \(counted(findings.count, "problem"))")
                EventFiles.note(board.eventFiles, console)
            }
            if !findings.isEmpty { throw Outcome(status: .someFailed) }
        }
    }
}

/// The options that select tasks, for all commands that list tasks.
struct TaskFilterOptions: ParsableArguments {
    @Option(
        name: [.long, .customShort("c")],
        help: ArgumentHelp("Only tasks with this context; may be repeated.", valueName: "context"))
    var context: [String] = []

    @Option(name: .long, help: ArgumentHelp("Only this project and its parts.", valueName: "id"))
    var project: String?

    @Option(
        name: .long, help: ArgumentHelp("Only tasks due by this date (friday, +2 weeks).", valueName: "when"))
    var due: String?

    @Flag(name: .long, help: "Only overdue tasks.")
    var overdue = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only tasks with this word in title, notes, contact or context; may be repeated.",
            valueName: "word"))
    var text: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Sort by list, due, start, priority, created or summary.", valueName: "order"))
    var sort: TaskSort = .list

    @Flag(name: .long, help: "Reverse the order.")
    var reverse = false

    @Option(name: .long, help: ArgumentHelp("Show at most this many; none shows all.", valueName: "number"))
    var limit: ListLimit?

    func validate() throws {
        if limit == .most(0) { throw ValidationError("--limit takes a number of at least 1, or none.") }
    }

    /// The first ones; the rest is a count.
    func limited(_ files: [TodoFile], _ console: Console) -> [TodoFile] {
        guard let limit = limit?.number, files.count > limit else { return files }
        console.note("\(files.count - limit) more (--limit \(limit))")
        return Array(files.prefix(limit))
    }

    func filter(_ session: Session) throws -> TaskFilter {
        var filter = TaskFilter()
        filter.contexts = context
        filter.project = try project.map { try session.tasks.task($0).todo.id }
        filter.dueBy = try due.map { try session.tasks.date($0) }
        filter.isOverdue = overdue
        filter.words = text
        filter.order = TaskFilter.Order(rawValue: sort.rawValue) ?? .list
        filter.isReversed = reverse
        return filter
    }
}

/// The names of ``TaskFilter/Order`` on the command line.
enum TaskSort: String, ExpressibleByArgument, CaseIterable {
    case list
    case due
    case start
    case priority
    case created
    case summary
}

/// Prints a list of tasks as text or JSON, then the files that cannot be read.
enum TaskLists {
    static func show(
        _ files: [TodoFile], _ board: TaskBoard, _ malformed: [String], waits: [TodoID: Wait] = [:],
        _ session: Session, _ console: Console, _ print: (TaskOutput) -> Void
    ) throws {
        if console.isJSON {
            try console.print(
                json: TasksDocument(
                    files, malformed: malformed, eventFiles: board.eventFiles, waits: waits, session: session)
            )
        } else {
            print(TaskOutput(session: session, console: console))
            for malformed in malformed {
                console.note(console.style.yellow("! ") + TerminalText.line(malformed))
            }
        }
        if !malformed.isEmpty { throw Outcome(status: .someFailed) }
    }

    static func show(
        _ files: [TodoFile], _ board: TaskBoard, _ malformed: [String], _ session: Session, _ console: Console
    ) throws {
        try show(files, board, malformed, session, console) { $0.show(files, board) }
    }
}

/// Says how many calendar files of the task folder hold no task: their events are in no list.
enum EventFiles {
    static func note(_ number: Int, _ console: Console) {
        guard number > 0 else { return }
        console.note(
            "\(counted(number, "calendar file")) in the task folder \(number == 1 ? "holds" : "hold") events and no task"
        )
    }
}
