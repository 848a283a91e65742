import ArgumentParser
import Foundation
import Models
import Pipeline

/// Commands that add and change tasks.

struct TaskAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a task.",
        discussion: "opus task add Pay the rent --due 'last friday of month'")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var fields: TaskFieldOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Put the task on this list (default: next); a new name makes a new list.", valueName: "list"))
    var list = "next"

    @Argument(help: "The title; several words make one title.")
    var title: [String]

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .changing)
        defer { session.close() }
        let title = title.joined(separator: " ")
        try Self.requireTitle(title, next: "opus task add Call Ann")
        let list = try session.tasks.list(list, mayBeNew: true)
        let todo = Tasks.new(title, on: list, try fields.patch(session))
        let added = try session.taskChanges.add(todo, command: "task add").added
        try TaskOutput(session: session, console: console).changed("added", [added])
    }

    static func requireTitle(_ title: String, next: String) throws {
        guard title.allSatisfy(\.isWhitespace) else { return }
        throw Problem("no-title", exit: .usage, message: "a task needs a title", next: [next])
    }
}

struct TaskEdit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change tasks; without options, open the task file in your editor.",
        discussion:
            "The value none removes a date, priority, contact or project. --context replaces all contexts.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var fields: TaskFieldOptions

    @Option(name: .long, help: ArgumentHelp("Set the title.", valueName: "text"))
    var title: String?

    @Option(name: .long, help: ArgumentHelp("Add a context; may be repeated.", valueName: "context"))
    var addContext: [String] = []

    @Option(name: .long, help: ArgumentHelp("Remove a context; may be repeated.", valueName: "context"))
    var removeContext: [String] = []

    @Argument(help: "Task ids (opus task list); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        let console = global.console()
        let ids = try MessageIDs.read(ids)
        // The editor writes the file itself, and may be open for long: other commands do not wait for it.
        let isInEditor = fields.isEmpty && title == nil && addContext.isEmpty && removeContext.isEmpty
        let session = try Session.open(try global.sessionOptions(), isInEditor ? .reading : .changing)
        defer { session.close() }
        let files = try session.tasks.named(ids)
        guard !isInEditor else { return try edit(files, session, console) }
        var patch = try fields.patch(session)
        if let title { try TaskAdd.requireTitle(title, next: "opus task edit ID --title 'Call Ann'") }
        patch.summary = title
        if let parent = patch.parent {
            try session.tasks.requireNoCircle(files, below: try session.tasks.task(parent.rawValue))
        }
        let wishes = files.map { file in
            var own = patch
            if !addContext.isEmpty || !removeContext.isEmpty {
                own.categories = Todo.contexts(
                    patch.categories ?? file.todo.categories, removing: removeContext, adding: addContext)
            }
            return (file, own)
        }
        try TaskAnswers(session: session, console: console).show(
            try session.taskChanges.change(wishes, command: "task edit"), word: "changed")
    }

    /// Opens the task file in the editor; reports lines that cannot be read afterwards.
    private func edit(_ files: [TodoFile], _ session: Session, _ console: Console) throws {
        guard console.canAsk, files.count == 1, let file = files.first else {
            throw Problem(
                "nothing-to-change", exit: .usage, message: "no change was given",
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
        guard !after.isEmpty else {
            let isThere = FileManager.default.fileExists(atPath: session.tasks.path(of: file))
            console.note(
                console.style.yellow("! ")
                    + (isThere
                        ? "The file has another UID: this task counts as deleted, and the file as a new one."
                        : "The file is gone: the task counts as deleted."))
            return
        }
        try TaskOutput(session: session, console: console).changed(
            after.first?.digest == file.digest ? "unchanged" : "changed", after)
    }
}
