import ArgumentParser
import Models
import Pipeline

struct TaskLink: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Allow a task to move the mail that its file names.",
        discussion: """
            A task file that opus did not write may name any mail, and task lists may be shared. Such a file moves no mail \
            until you allow it, here or when opus run asks. opus remembers the answer.
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(name: .customLong("no"), help: "Do not allow it.")
    var isRefused = false

    @Argument(help: "A task id (opus task list).")
    var ids: [String]

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .changing)
        defer { session.close() }
        let files = try session.tasks.named(ids)
        for file in files {
            let answer = try session.taskMail.answerLink(of: file, isAgreed: !isRefused)
            let subject = "“\(TerminalText.line(answer.subject))”"
            let name = "\(TaskName.short(file.todo.id))  \(TerminalText.line(file.todo.summary))"
            console.print(
                isRefused
                    ? "Not linked: \(name) does not move \(subject)."
                    : "\(answer.wasLinked ? "Already linked" : "Linked"): \(name) to \(subject).")
        }
        if !isRefused { console.note("next: opus run      moves the mail with its task") }
    }
}
