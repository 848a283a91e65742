import ArgumentParser
import Documents
import Models
import Pipeline

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Show waiting steps and why they wait, what needs your decision, the last syncs, and what opus watch does.",
        discussion:
            "Works offline and changes nothing. If there are many steps, it counts them by what they do and why they wait."
    )

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let accounts = try session.journal.statuses(named: global.account)
        let watch = session.watchStatus
        let eventFiles = (try? session.tasks.eventFiles()) ?? 0
        if console.isJSON {
            return try console.print(
                json: StatusDocument(
                    accounts, watch, care: session.care, eventFiles: eventFiles, zone: session.zone,
                    now: session.now))
        }
        let output = StatusOutput(console: console, session: session)
        output.show(watch)
        for status in accounts where status.account != .tasks { output.show(status, watch) }
        output.show(session.care)
        EventFiles.note(eventFiles, console)
        try OutboxOutput(session: session, console: console).tellStranded()
        if let problem = session.taskSync?.problem {
            console.print(console.style.yellow("! ") + TerminalText.line(problem.message))
            console.note("next: " + problem.next.joined(separator: ", "))
        }
        try output.showSteps(of: accounts, watch)
        output.showInterrupted(accounts)
    }
}
