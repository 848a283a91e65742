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

/// What would be taken back, on the screen.
struct UndoOutput {
    let session: Session
    let console: Console

    func show(_ plan: UndoPlan) throws {
        let ids = try session.messages.shortIDs(plan.lines.compactMap(\.step.message))
        guard console.isTerminal else {
            for line in plan.lines { console.print(machine(line, ids)) }
            return
        }
        let when = When(zone: session.zone, now: session.now)
        console.print(
            "Undo of \(plan.run.id) (\(TerminalText.line(plan.run.command)), \(when.moment(plan.run.started))) "
                + (plan.run.account == .tasks ? "in the task folder" : "in \(plan.run.account)"))
        for line in summary(plan.lines) { console.print("  " + line) }
        for line in plan.lines {
            guard case .cannot(let reason) = line.fate else { continue }
            let id = line.step.message.flatMap { ids[$0] } ?? "-"
            console.print(
                console.style.yellow("  ! \(id)  ") + StepWord.of(line.step.kind) + ": "
                    + TerminalText.line(reason))
        }
        if plan.lines.isEmpty { console.print("  nothing: none of its steps happened") }
    }

    func already(_ plan: UndoPlan) -> String {
        let runs = plan.undoneBy.map(\.description).joined(separator: ", ")
        return "\(plan.run.id) is already undone by \(runs)."
    }

    private func summary(_ lines: [UndoPlan.Line]) -> [String] {
        var counts: [(word: String, count: Int)] = []
        for line in lines {
            let word: String
            switch line.fate {
            case .inverse(let kind): word = "× " + StepWord.inverse(kind)
            case .cancelled: word = "× cancel: " + StepWord.of(line.step.kind)
            case .nothing(let reason): word = "× nothing to take back: " + TerminalText.line(reason)
            case .cannot: continue
            }
            if let index = counts.firstIndex(where: { $0.word == word }) {
                counts[index].count += 1
            } else {
                counts.append((word, 1))
            }
        }
        return counts.map { "\($0.count) \($0.word)" }
    }

    private func machine(_ line: UndoPlan.Line, _ ids: [EmailID: String]) -> String {
        [
            UndoWord.fate(line.fate), line.step.message.flatMap { ids[$0] } ?? "-",
            TerminalText.line(line.step.cause.name), StepWord.of(line.step.kind),
            TerminalText.line(UndoWord.reason(line.fate) ?? ""),
        ].joined(separator: "\t")
    }
}
