import ArgumentParser
import Documents
import Models
import Pipeline

/// The lists of GTD as commands: next, waiting, scheduled, someday, and projects.

struct NextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next",
        abstract: "List tasks that you can do now: not deferred, not blocked, not waiting for others.",
        discussion: "Contexts select tasks for where you are: opus next @home.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var filter: TaskFilterOptions

    @Argument(help: "Only tasks with all these contexts: @home @phone.")
    var contexts: [String] = []

    func run() throws {
        try TaskView(global: global, filter: filter).run(order: .due, contexts: contexts) { board, todo in
            board.isAvailable(todo)
        }
    }
}

struct ScheduledCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scheduled",
        abstract: "List tasks that start on a later day, the next first.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var filter: TaskFilterOptions

    func run() throws {
        try TaskView(global: global, filter: filter).run(order: .start) { board, todo in
            board.isScheduled(todo)
        }
    }
}

struct SomedayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "someday", abstract: "List tasks that you might do someday.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var filter: TaskFilterOptions

    func run() throws {
        try TaskView(global: global, filter: filter).run(order: .list) { _, todo in todo.list == .someday }
    }
}

struct WaitingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waiting",
        abstract: "List what you wait for: from whom, since when, and when to ask again.",
        discussion: """
            The state is draft (the mail is not sent yet), sent, overdue, answered (decide what comes next), or not \
            delivered. --overdue shows only those to ask about now.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var filter: TaskFilterOptions

    func run() throws {
        let console = global.listConsole()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let (board, malformed) = try session.tasks.board()
        var wanted = try filter.filter(session)
        wanted.isOverdue = false
        if wanted.order == .list { wanted.order = .start }
        let waits = try session.waits.all(board.files.map(\.todo))
        let found = board.matching(wanted).filter { file in
            let wait = waits[file.todo.id]
            guard file.todo.list == .waiting || wait?.state == .answered else { return false }
            guard filter.overdue else { return true }
            return wait.map { $0.isLate(at: session.now) }
                ?? (board.isToBeAsked(file.todo) || board.isOverdue(file.todo))
        }
        let files = filter.limited(found, console)
        try TaskLists.show(files, board, malformed, waits: waits, session, console) {
            let all = board.files.contains { $0.todo.isOpen && $0.todo.list == .waiting }
            $0.showWaiting(
                files, board, waits,
                empty: all ? "No wait matches." : "You are not waiting for anything.")
        }
    }
}

struct ProjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projects",
        abstract: "List projects (tasks with parts): open parts and the next action.",
        discussion: "The last column is empty for a project without a next action.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Include finished projects.")
    var all = false

    @Option(name: .long, help: ArgumentHelp("Show at most this many; none shows all.", valueName: "number"))
    var limit = ListLimit.all

    func run() throws {
        let console = global.listConsole()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let (board, malformed) = try session.tasks.board()
        let found = board.projects(includingClosed: all)
        let projects = limit.number.map { Array(found.prefix($0)) } ?? found
        if projects.count < found.count {
            console.note("\(found.count - projects.count) more (--limit \(projects.count))")
        }
        if console.isJSON {
            try console.print(json: ProjectsDocument(projects, board, session))
            if !malformed.isEmpty { throw Outcome(status: .someFailed) }
            return
        }
        try TaskLists.show(projects, board, malformed, session, console) { $0.showProjects(projects, board) }
    }
}

/// Lists open tasks that match.
struct TaskView {
    let global: GlobalOptions
    let filter: TaskFilterOptions

    /// `order` is used when the user did not choose one.
    func run(
        order: TaskFilter.Order, contexts: [String] = [], _ isWanted: (TaskBoard, Todo) -> Bool
    ) throws {
        let console = global.listConsole()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let (board, malformed) = try session.tasks.board()
        var wanted = try filter.filter(session)
        wanted.contexts += contexts
        if wanted.order == .list { wanted.order = order }
        let files = filter.limited(board.matching(wanted).filter { isWanted(board, $0.todo) }, console)
        try TaskLists.show(files, board, malformed, session, console)
    }
}
