import ArgumentParser
import Documents
import Models
import Pipeline

struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "The task files: one .ics each, for any program to edit.",
        discussion: """
            A task is named by the beginning of its id (t:9d4x or 9d4x) or of its UID, or by its row in the last list \
            that was shown on a terminal (3). - reads ids from standard input. The mail behind a task follows with the \
            next opus run.
            """,
        subcommands: [
            List.self, Show.self, TaskAdd.self, TaskEdit.self, TaskDone.self, TaskReopen.self,
            TaskCancel.self,
            TaskStart.self, TaskMove.self, TaskDefer.self, TaskBlock.self, TaskProject.self, TaskFrom.self,
            TaskLink.self, Path.self, TaskConflicts.self, Check.self,
        ], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Open tasks, by list and due date.")

        @OptionGroup var global: GlobalOptions
        @OptionGroup var filter: TaskFilterOptions

        @Flag(name: .long, help: "Also tasks that are completed or cancelled.")
        var all = false

        @Argument(help: "One list: inbox, next, waiting, scheduled, someday, or your own.")
        var list: String?

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let (board, malformed) = try session.tasks.board()
            var wanted = try filter.filter(session)
            if let list, !session.tasks.hasList(list) { _ = try session.tasks.list(list) }
            wanted.list = list.map { GTDList($0) }
            wanted.includesClosed = all
            try TaskLists.show(board.matching(wanted), board, malformed, session, console)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "One task, its project and its mails.")

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
            if console.isJSON {
                return try console.print(
                    json: TaskDocument(file, board, mails, isMailGone: isMailGone, session))
            }
            TaskOutput(session: session, console: console).show(file, board, mails, isMailGone: isMailGone)
        }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The path of a task's file, for an editor.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "A task id; none for the folder of all lists.")
        var id: String?

        func run() throws {
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let path =
                try id.map { session.tasks.path(of: try session.tasks.task($0)) } ?? session.tasks.folder
            global.console().print(TerminalText.line(path))
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Whether every task file can be read, and whether tasks point to each other soundly.")

        @OptionGroup var global: GlobalOptions

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let (board, malformed) = try session.tasks.board()
            let findings = malformed + board.findings().map { "tasks/\($0)" }
            if console.isJSON {
                try console.print(json: TaskCheckDocument(tasks: board.files.count, findings: findings))
            } else {
                for finding in findings { console.print(TerminalText.line(finding)) }
                console.note("\(counted(board.files.count, "task")), \(findings.count) to look at")
            }
            if !findings.isEmpty { throw Outcome(status: .someFailed) }
        }
    }
}

/// Which tasks, for every command that lists some.
struct TaskFilterOptions: ParsableArguments {
    @Option(
        name: [.long, .customShort("c")],
        help: ArgumentHelp("Only this context; may be repeated.", valueName: "context"))
    var context: [String] = []

    @Option(name: .long, help: ArgumentHelp("Only this project and what is below it.", valueName: "id"))
    var project: String?

    @Option(
        name: .long, help: ArgumentHelp("Only what is due by then (friday, +2 weeks).", valueName: "when"))
    var due: String?

    @Flag(name: .long, help: "Only what is overdue.")
    var overdue = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only with this word in title, notes, contact or context; may be repeated.", valueName: "word"))
    var text: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("list, due, start, priority, created or summary.", valueName: "order"))
    var sort: TaskSort = .list

    @Flag(name: .long, help: "The other way round.")
    var reverse = false

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

/// The words of ``TaskFilter/Order``.
enum TaskSort: String, ExpressibleByArgument, CaseIterable {
    case list
    case due
    case start
    case priority
    case created
    case summary
}

/// A list of tasks in the form that was asked for; what cannot be read is said after it.
enum TaskLists {
    static func show(
        _ files: [TodoFile], _ board: TaskBoard, _ malformed: [String], _ session: Session,
        _ console: Console,
        _ print: (TaskOutput) -> Void
    ) throws {
        if console.isJSON {
            try console.print(json: TasksDocument(files, malformed: malformed, session: session))
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
