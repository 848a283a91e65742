import ArgumentParser
import Documents
import Models
import Pipeline

/// The lists of GTD as commands: what to do now, whom to ask, what comes on a day, what perhaps, and the projects.

struct NextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next",
        abstract: "What can be done now: not deferred, not blocked, not somebody else's.",
        discussion: "A context narrows it to where you are: opus next @home.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var filter: TaskFilterOptions

    @Argument(help: "Contexts, each of which the task must have: @home @phone.")
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
        abstract: "What comes on a day: tasks whose start is to come, the next first.")

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
        commandName: "someday", abstract: "What perhaps, some day.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var filter: TaskFilterOptions

    func run() throws {
        try TaskView(global: global, filter: filter).run(order: .list) { _, todo in todo.list == .someday }
    }
}

struct WaitingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waiting", abstract: "Whom you wait for, since when, and when to ask again.",
        discussion: "--overdue: only what is to be asked for now.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var filter: TaskFilterOptions

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let (board, malformed) = try session.tasks.board()
        var wanted = try filter.filter(session)
        wanted.list = .waiting
        wanted.isOverdue = false
        if wanted.order == .list { wanted.order = .start }
        let files = board.matching(wanted).filter {
            !filter.overdue || board.isToBeAsked($0.todo) || board.isOverdue($0.todo)
        }
        try TaskLists.show(files, board, malformed, session, console) { $0.showWaiting(files, board) }
    }
}

struct ProjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projects", abstract: "Tasks that have parts: how much is open, and what comes next.",
        discussion: "A project without a next action stands still: its last column is empty.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Also projects that are done.")
    var all = false

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let (board, malformed) = try session.tasks.board()
        let projects = board.projects(includingClosed: all)
        if console.isJSON {
            try console.print(json: ProjectsDocument(projects, board, session))
            if !malformed.isEmpty { throw Outcome(status: .someFailed) }
            return
        }
        try TaskLists.show(projects, board, malformed, session, console) { $0.showProjects(projects, board) }
    }
}

/// What these commands have in common: the open tasks that fit.
struct TaskView {
    let global: GlobalOptions
    let filter: TaskFilterOptions

    /// `order` stands where the person named none.
    func run(
        order: TaskFilter.Order, contexts: [String] = [], _ isWanted: (TaskBoard, Todo) -> Bool
    ) throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let (board, malformed) = try session.tasks.board()
        var wanted = try filter.filter(session)
        wanted.contexts += contexts
        if wanted.order == .list { wanted.order = order }
        let files = board.matching(wanted).filter { isWanted(board, $0.todo) }
        try TaskLists.show(files, board, malformed, session, console)
    }
}
