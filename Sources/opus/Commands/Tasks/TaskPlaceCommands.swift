import ArgumentParser
import Documents
import Models
import Pipeline

/// Commands that place a task: its list, its project, the tasks it waits for, its mail.

struct TaskMove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move tasks to another list.",
        discussion: """
            The last argument is the list: inbox, next, waiting, scheduled, someday, or your own. The mail of a task \
            follows it: on waiting and scheduled, the mail is deferred until the task's start; on someday, until the task \
            is on another list.
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
        commandName: "block", abstract: "Make a task wait until other tasks are done.",
        discussion: "Example: opus task block PAINT BUY-COLOUR CLEAN. Painting waits for buying and cleaning."
    )

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Stop waiting for these tasks; without other tasks, stop waiting for any.")
    var remove = false

    @Argument(help: "The task that has to wait.")
    var id: String

    @Argument(help: "The tasks that must be done first.")
    var by: [String] = []

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .changing)
        defer { session.close() }
        let file = try session.tasks.task(id)
        let others = try session.tasks.named(by)
        guard remove || !others.isEmpty else {
            throw Problem(
                "nothing-to-change", exit: .usage, message: "no task was given that must be done first",
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
        commandName: "project", abstract: "Make tasks part of a project, which is also a task.",
        discussion: "Example: opus task project 9d4x 3 --of 7k2q (or --new \"Move house\", or --none).")

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("An existing task as the project.", valueName: "id"))
    var of: String?

    @Option(
        name: .long, help: ArgumentHelp("Add a task on the list next as the project.", valueName: "title"))
    var new: String?

    @Flag(name: .long, help: "Remove the tasks from their project.")
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
        commandName: "from", abstract: "Make a task from a mail and link them.",
        discussion: """
            The mail is archived when the task is done. If the mail already has a task from this command, or an open task \
            from a rule, opus names that task and makes no other. opus undo undoes it.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var fields: TaskFieldOptions

    @Option(name: .long, help: ArgumentHelp("Set the title (default: the subject).", valueName: "text"))
    var title: String?

    @Option(name: .long, help: ArgumentHelp("Put the task on this list (default: next).", valueName: "list"))
    var list = "next"

    @Flag(name: .long, help: "Make another task if the mail has one.")
    var again = false

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let patch = try fields.patch(session)
            let list = try session.tasks.list(list, mayBeNew: true)
            var reports: [RunReport] = []
            let ids = try MessageIDs.read(ids)
            for id in ids { try session.messages.require(id, in: global.account) }
            for id in ids {
                let draft = try session.taskMail.draft(ofMessage: id, title: title, on: list, patch)
                reports.append(try await session.taskMail.make(draft, of: id, again: again))
            }
            let status = reports.reduce(ExitStatus.done) { $0.worse($1.exit) }
            if console.isJSON {
                try console.print(json: RunDocument(reports))
            } else {
                let output = RunOutput(session: session, console: console)
                for report in reports { output.show(report) }
                if reports.contains(where: { $0.present != nil }) {
                    console.note("next: opus task from ID --again      makes another one")
                }
            }
            if status != .done { throw Outcome(status: status) }
        }
    }
}
