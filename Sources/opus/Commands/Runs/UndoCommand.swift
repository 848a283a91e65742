import ArgumentParser
import Documents
import Models
import Pipeline

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo a run: restore mailboxes, flags, labels and task files. Shows the changes and asks.",
        discussion: """
            Undoes the last run that changed something and is not undone yet, or the run that you name (opus runs), even \
            days later: opus finds the messages where they are now. Runs that only noted mail in tasks are left out unless you \
            name one. It lists what cannot be undone, such as sent mail. An undo is a run and can be undone itself.
            """)

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("Undo only what this rule did.", valueName: "rule"))
    var rule: String?

    @Flag(name: .long, help: "Show what would be undone as of the last sync, and change nothing.")
    var dryRun = false

    @Flag(name: [.long, .customShort("y")], help: "Undo without asking.")
    var yes = false

    @Flag(name: .long, help: "Also cancel tasks that were edited since.")
    var force = false

    @Argument(help: "A run (r:0012), and message ids to undo only these.")
    var words: [String] = []

    func run() async throws {
        let console = global.console()
        let request = try request()
        let mayChange = yes || console.canAsk
        let looks = dryRun || !mayChange
        try await Session.with(try global.sessionOptions(), looks ? .reading : .changing) { session in
            let plan = looks ? try session.undo.plan(request) : try await session.undo.freshPlan(request)
            guard dryRun || mayChange || plan.changes == 0 else {
                throw Problem.needsYes(next: ["opus undo --yes", "opus undo --dry-run"])
            }
            let output = UndoOutput(session: session, console: console)
            if let problem = plan.unsynced {
                console.note(
                    console.style.yellow("! ") + "could not check the account first: "
                        + TerminalText.line(problem.message))
            }
            if !console.isJSON, !plan.isUndone { try output.show(plan) }
            var reports: [RunReport] = []
            if !dryRun, plan.changes > 0 {
                guard yes || console.ask("Undo this?") else {
                    return console.note("Nothing was changed.")
                }
                reports = try await session.undo.apply(plan)
            }
            if console.isJSON {
                try console.print(json: UndoDocument(plan, reports))
            } else if plan.isUndone {
                console.print(output.already(plan))
            } else {
                let output = RunOutput(session: session, console: console)
                for report in reports where !report.didNothing { output.show(report) }
            }
            if !console.isJSON, plan.changes == 0, !plan.isUndone, request.run == nil,
                let earlier = try session.undo.run(before: plan.run.id, account: global.account)
            {
                console.note("next: opus undo \(earlier)      undoes the run before it")
            }
            let outcome = reports.reduce(plan.hasLeftovers ? ExitStatus.someFailed : .done) {
                $0.worse($1.exit)
            }
            if outcome != .done { throw Outcome(status: outcome) }
        }
    }

    /// Ids of runs begin with `r:`; all others are ids of messages.
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
