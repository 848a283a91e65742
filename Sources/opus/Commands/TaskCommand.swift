import ArgumentParser
import Models
import Pipeline

struct TaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "The task files: one .ics each, for any program to edit.",
        subcommands: [List.self, Show.self, Done.self, Path.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Open tasks, by list and due date.")

        @OptionGroup var global: GlobalOptions

        @Flag(name: .long, help: "Also tasks that are completed or cancelled.")
        var all = false

        @Argument(help: "One list: inbox, next, waiting, scheduled, someday, or your own.")
        var list: String?

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let listing = try session.taskFiles()
            if let list, !session.hasTaskList(list) {
                throw Problem(
                    "no-such-list", exit: .notFound, message: "there is no list \"\(list)\"",
                    next: ["one of: " + session.taskLists().joined(separator: ", ")])
            }
            let files = listing.files.filter { file in
                (all || file.todo.isOpen) && (list == nil || file.todo.list.rawValue == list)
            }
            let sorted = TaskOrder.sorted(files)
            if console.isJSON {
                try console.print(json: TasksDocument(sorted, malformed: listing.malformed, session: session))
            } else {
                TaskOutput(session: session, console: console).show(sorted)
                for malformed in listing.malformed {
                    console.note(console.style.yellow("! ") + TerminalText.line(malformed))
                }
            }
            if !listing.malformed.isEmpty { throw Outcome(status: .someFailed) }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "One task.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "A task id (opus task list).")
        var id: String

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let file = try session.task(id)
            if console.isJSON {
                return try console.print(json: TasksDocument([file], malformed: [], session: session))
            }
            let when = When(zone: session.zone, now: session.now)
            let todo = file.todo
            console.print(console.style.bold(TerminalText.line(todo.summary)))
            console.print(
                "  \(TaskName.short(todo.id))  \(TerminalText.line(todo.list.rawValue))  \(TaskWord.status(todo))"
            )
            if let start = todo.start { console.print("  from \(when.text(start))") }
            if let due = todo.due { console.print("  due \(when.text(due))") }
            if !todo.categories.isEmpty {
                console.print("  " + TerminalText.line(todo.categories.joined(separator: " ")))
            }
            console.print("  " + TerminalText.line(session.path(of: file)))
            if !todo.notes.isEmpty { console.print("\n" + TerminalText.block(todo.notes)) }
        }
    }

    struct Done: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Complete tasks in their files; their mail follows with the next opus run.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "Task ids (opus task list).")
        var ids: [String]

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .changing)
            defer { session.close() }
            let files = try ids.map { try session.complete(try session.task($0)) }
            if console.isJSON {
                return try console.print(json: TasksDocument(files, malformed: [], session: session))
            }
            for file in files {
                console.print(
                    "done  \(TaskName.short(file.todo.id))  \(TerminalText.line(file.todo.summary))")
            }
            console.note("next: opus run      archives the mail behind completed tasks")
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
            let path = try id.map { session.path(of: try session.task($0)) } ?? session.tasksFolder
            global.console().print(TerminalText.line(path))
        }
    }
}

/// The order of a task list: GTD lists first, then due, then summary.
enum TaskOrder {
    private static let lists = ["inbox", "next", "waiting", "scheduled", "someday", "reference"]

    static func sorted(_ files: [TodoFile]) -> [TodoFile] { files.sorted { key($0) < key($1) } }

    private static func key(_ file: TodoFile) -> (Int, String, Int64, String) {
        let todo = file.todo
        let rank = lists.firstIndex(of: todo.list.rawValue) ?? lists.count
        return (rank, todo.list.rawValue, todo.due.map(seconds) ?? .max, todo.summary)
    }

    private static func seconds(_ date: TodoDate) -> Int64 {
        switch date {
        case .date(let day): day.daysSinceEpoch * 86_400 + 86_399
        case .instant(let time): time.seconds
        case .local(let local, zone: _): local.secondsSinceEpoch
        }
    }
}

/// Tasks on the screen.
struct TaskOutput {
    let session: Session
    let console: Console

    func show(_ files: [TodoFile]) {
        let when = When(zone: session.zone, now: session.now)
        var table = Table([
            .init(title: "ID"), .init(title: "LIST"), .init(title: "DUE"),
            .init(title: "TASK", isFlexible: true),
            .init(title: "CONTEXT"),
        ])
        for file in files {
            let todo = file.todo
            let date = todo.due ?? todo.start
            let shown = date.map { console.isTerminal ? when.text($0) : when.machine($0) } ?? ""
            table.add([
                TaskName.short(todo.id), TerminalText.line(todo.list.rawValue),
                (todo.due == nil && date != nil && console.isTerminal ? "from " : "") + shown,
                (todo.isOpen ? "" : "✓ ") + TerminalText.line(todo.summary),
                TerminalText.line(todo.categories.joined(separator: " ")),
            ])
        }
        console.print(table)
        if files.isEmpty { console.note("No tasks.") }
    }
}

/// `opus.tasks/1`
struct TasksDocument: Encodable {
    struct Item: Encodable {
        var id: String
        var uid: String
        var list: String
        var summary: String
        var status: String
        var due: String?
        var start: String?
        var completed: String?
        var priority: Int
        var categories: [String]
        var messageID: String?
        var rule: String?
        var path: String

        init(_ file: TodoFile, session: Session) {
            let todo = file.todo
            let when = When(zone: session.zone, now: session.now)
            id = TaskName.short(todo.id)
            uid = todo.id.rawValue
            list = todo.list.rawValue
            summary = todo.summary
            status = TaskWord.status(todo)
            due = todo.due.map(when.machine)
            start = todo.start.map(when.machine)
            completed = todo.completed.map(session.zone.rfc3339)
            priority = todo.priority
            categories = todo.categories
            messageID = todo.messageID?.rawValue
            rule = todo.rule
            path = session.path(of: file)
        }
    }

    var schema = "opus.tasks/1"
    var items: [Item]
    var malformed: [String]

    init(_ files: [TodoFile], malformed: [String], session: Session) {
        items = files.map { Item($0, session: session) }
        self.malformed = malformed
    }
}
