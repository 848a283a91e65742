import ArgumentParser
import Documents
import Models
import Pipeline

/// Commands that say where a task stands: its list, its day, its project, what comes before it.

struct TaskMove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Put tasks on another list.",
        discussion: """
            The last word is the list: inbox, next, waiting, scheduled, someday, or your own. The mail behind a task \
            follows what the list means: waiting and scheduled mail comes back on the task's start, someday mail waits \
            until the task is on another list.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Task ids, then the list: t:9d4x 3 someday.")
    var words: [String]

    func validate() throws {
        if words.count < 2 {
            throw ValidationError("say which tasks, then the list: opus task move 9d4x someday")
        }
    }

    func run() throws {
        let name = words[words.count - 1]
        try TaskPatching(global: global, command: "task move", word: "moved").run(
            Array(words.dropLast()), next: nil
        ) {
            _, session in
            TodoPatch(list: try session.tasks.list(name, mayBeNew: true))
        }
    }
}

struct TaskBlock: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "A task waits until others are done.",
        discussion: "opus task block PAINT BUY-COLOUR CLEAN: painting comes after buying and cleaning.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "The others are in its way no more; without them, nothing is.")
    var remove = false

    @Argument(help: "The task that waits.")
    var id: String

    @Argument(help: "What has to be done first.")
    var by: [String] = []

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .changing)
        defer { session.close() }
        let file = try session.tasks.task(id)
        let others = try session.tasks.named(by)
        guard remove || !others.isEmpty else {
            throw Problem(
                "nothing-to-change", exit: .usage, message: "say what has to be done first",
                next: ["opus task block ID OTHER", "opus task block ID --remove"])
        }
        let patch =
            remove ? session.tasks.unblocking(file, by: others) : try session.tasks.blocking(file, by: others)
        let changed = try session.taskChanges.change(file, patch, command: "task block")
        try TaskOutput(session: session, console: console).changed(
            changed.todo.dependsOn.isEmpty ? "free" : "blocked", [changed])
    }
}

struct TaskProject: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project", abstract: "Make tasks parts of a project, which is a task too.",
        discussion: "opus task project 9d4x 3 --of 7k2q, or --new \"Move house\", or --none.")

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("The project.", valueName: "id"))
    var of: String?

    @Option(
        name: .long, help: ArgumentHelp("A new task on the list next as the project.", valueName: "title"))
    var new: String?

    @Flag(name: .long, help: "Parts of no project any more.")
    var none = false

    @Argument(help: "Task ids (opus task list); - reads them from standard input.")
    var ids: [String]

    func validate() throws {
        let chosen = [of != nil, new != nil, none].count { $0 }
        if chosen != 1 { throw ValidationError("say --of ID, --new TITLE or --none") }
    }

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .changing)
        defer { session.close() }
        let files = try session.tasks.named(try MessageIDs.read(ids))
        let command = "task project"
        let answers: [TaskAnswer]
        if let new {
            let project = Todo(id: Tasks.newID(), list: .next, summary: new)
            answers = try session.taskChanges.add(project, parts: files, command: command).parts
        } else {
            var patch = TodoPatch()
            if let of {
                let project = try session.tasks.task(of)
                try session.tasks.requireNoCircle(files, below: project)
                patch.parent = project.todo.id
            } else {
                patch.clears = [.parent]
            }
            answers = try session.taskChanges.change(files.map { ($0, patch) }, command: command)
        }
        try TaskAnswers(session: session, console: console).show(answers, word: "changed")
    }
}

struct TaskFrom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "from", abstract: "A task of a mail, linked to it; its mail follows when it is done.",
        discussion: "A run of its own: opus undo takes it back. The same mail makes the same task once.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var fields: TaskFieldOptions

    @Option(name: .long, help: ArgumentHelp("The title (the subject).", valueName: "text"))
    var title: String?

    @Option(name: .long, help: ArgumentHelp("The list (next).", valueName: "list"))
    var list = "next"

    @Argument(help: "A message id (opus list); - reads ids from standard input.")
    var ids: [String]

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let patch = try fields.patch(session)
            let list = try session.tasks.list(list, mayBeNew: true)
            var reports: [RunReport] = []
            for id in try MessageIDs.read(ids) {
                let draft = try session.taskMail.draft(ofMessage: id, title: title, on: list, patch)
                reports.append(try await session.taskMail.make(draft, of: id))
            }
            if console.isJSON { return try console.print(json: RunDocument(reports)) }
            let output = RunOutput(session: session, console: console)
            for report in reports { output.show(report) }
            if reports.contains(where: { !$0.drain.failures.isEmpty }) { throw Outcome(status: .someFailed) }
        }
    }
}
