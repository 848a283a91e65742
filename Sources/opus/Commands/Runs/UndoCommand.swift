import ArgumentParser
import Documents
import Models
import Pipeline

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take back what a run did: mailboxes, flags, labels, task files; shows it and asks.",
        discussion: """
            The last run that changed something, or the one that is named (opus runs). Days later, too: messages are \
            looked for where they stand now. What cannot be taken back, such as sent mail, is named. An undo is a run, \
            which can be undone.
            """)

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("Only what this rule did.", valueName: "rule"))
    var rule: String?

    @Flag(name: .long, help: "Show what would be taken back and stop; by the last sync.")
    var dryRun = false

    @Flag(name: [.long, .customShort("y")], help: "Take it back without asking.")
    var yes = false

    @Flag(name: .long, help: "Cancel tasks that were edited since, instead of leaving them alone.")
    var force = false

    @Argument(help: "A run (r:0012), and the messages to which it is narrowed.")
    var words: [String] = []

    func run() async throws {
        let console = global.console()
        guard dryRun || yes || console.canAsk else {
            throw Problem(
                "needs-yes", exit: .usage, message: "there is no terminal to ask on, and --yes was not given",
                next: ["opus undo --yes", "opus undo --dry-run"])
        }
        let request = try request()
        try await Session.with(try global.sessionOptions(), dryRun ? .reading : .changing) { session in
            let plan = dryRun ? try session.undo.plan(request) : try await session.undo.freshPlan(request)
            let output = UndoOutput(session: session, console: console)
            if let problem = plan.unsynced {
                console.note(
                    console.style.yellow("! ") + "not looked at first: " + TerminalText.line(problem.message))
            }
            if !console.isJSON, !plan.isUndone { try output.show(plan) }
            var report: RunReport?
            if !dryRun, plan.changes > 0 {
                guard yes || console.ask("Take this back?") else {
                    return console.note("Nothing was changed.")
                }
                report = try await session.undo.apply(plan)
            }
            if console.isJSON {
                try console.print(json: UndoDocument(plan, report))
            } else if plan.isUndone {
                console.print(output.already(plan))
            } else if let report, !report.didNothing {
                RunOutput(session: session, console: console).show(report)
            }
            let outcome = (plan.hasLeftovers ? ExitStatus.someFailed : .done).worse(report?.exit ?? .done)
            if outcome != .done { throw Outcome(status: outcome) }
        }
    }

    /// Runs begin with `r:`, so that no message is taken for one.
    private func request() throws -> UndoRequest {
        let runs = words.filter { $0.hasPrefix("r:") }
        guard runs.count <= 1 else {
            throw Problem(
                "one-run", exit: .usage, message: "one run at a time", next: ["opus undo \(runs[0])"])
        }
        return UndoRequest(
            run: runs.first, rule: rule, messages: try MessageIDs.read(words.filter { !$0.hasPrefix("r:") }),
            account: global.account, isForced: force)
    }
}
