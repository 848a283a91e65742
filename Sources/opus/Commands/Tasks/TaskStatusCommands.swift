import ArgumentParser
import Models
import Pipeline

struct TaskDone: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "done",
        abstract: "Complete tasks; the next opus run archives their mail.",
        discussion: """
            A repeating task moves to its next day and stays open. Its mail is archived when the last one is done.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Task ids (opus task list); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        try TaskPatching(global: global, command: "task done", word: "done").run(
            ids, next: .completed
        ) { file, session in try session.taskChanges.completion(of: file) }
    }
}

struct TaskReopen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Reopen completed or cancelled tasks.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Task ids (opus task list --all); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        try TaskStatusChange(global: global, status: .needsAction, command: "task reopen", word: "reopened")
            .run(
                ids, next: .reopened)
    }
}

struct TaskCancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel tasks that will not be done.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Task ids (opus task list); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        try TaskStatusChange(global: global, status: .cancelled, command: "task cancel", word: "cancelled")
            .run(
                ids, next: .cancelled)
    }
}

struct TaskStart: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Mark tasks as started (in process).")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Task ids (opus task list); - reads them from standard input.")
    var ids: [String]

    func run() throws {
        try TaskStatusChange(global: global, status: .inProcess, command: "task start", word: "started").run(
            ids, next: nil)
    }
}
