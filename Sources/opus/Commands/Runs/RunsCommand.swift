import ArgumentParser
import Documents
import Models
import Pipeline

struct RunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs", abstract: "Show past runs and their steps.",
        subcommands: [List.self, Show.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the last runs, newest first.")

        @OptionGroup var global: GlobalOptions

        @Option(
            name: .long, help: ArgumentHelp("Show at most this many; none shows all.", valueName: "number"))
        var limit = ListLimit.most(20)

        func run() throws {
            let console = global.listConsole()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let runs = try session.journal.runs(of: global.account, limit: limit.number ?? .max)
            if console.isJSON { return try console.print(json: RunsDocument(runs, zone: session.zone)) }
            let when = When(zone: session.zone, now: session.now)
            var table = Table([
                .init(title: "RUN"), .init(title: "WHEN"), .init(title: "ACCOUNT"), .init(title: "COMMAND"),
                .init(title: "DONE", alignsRight: true), .init(title: "OPEN", alignsRight: true),
                .init(title: "FAILED", alignsRight: true),
            ])
            for run in runs {
                let time = console.isTerminal ? when.moment(run.started) : session.zone.rfc3339(run.started)
                table.add([
                    "\(run.id)", time, run.accounts.map(\.rawValue).joined(separator: ", "), run.command,
                    "\(run.confirmed)", "\(run.open)", "\(run.failed)",
                ])
            }
            console.print(table)
            if runs.isEmpty { console.note("No runs yet.") }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the steps of a run.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "A run id, for example r:0012.")
        var id: String

        func run() throws {
            let console = global.listConsole()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let (line, steps) = try session.journal.run(id)
            let undone = try session.undo.undone(in: line.id)
            let along = try session.rules.movedAlong(steps, of: line)
            if console.isJSON {
                return try console.print(
                    json: RunDetailDocument(line, steps, undone, along: along, zone: session.zone))
            }
            let ids = try session.messages.shortIDs(steps.compactMap(\.message))
            let when = When(zone: session.zone, now: session.now)
            if console.isTerminal {
                console.print(
                    "\(line.id)  \(when.moment(line.started))  "
                        + line.accounts.map(\.rawValue).joined(separator: ", ") + "  \(line.command)"
                        + (line.undoes.map { " of \($0)" } ?? ""))
            }
            var table = Table([
                .init(title: "STATE"), .init(title: "ID"), .init(title: "RULE"),
                .init(title: "STEP", isFlexible: true),
                .init(title: "PROOF OR REASON", isFlexible: true),
            ])
            for entry in try session.bundling.entries(of: steps, undone: undone) {
                switch entry {
                case .step(let step):
                    table.add([
                        StepWord.state(step.state), step.message.flatMap { ids[$0] } ?? "-",
                        TerminalText.line(step.cause.name),
                        StepWord.of(step.kind, when)
                            + (step.id.flatMap { along[$0] }.map { StepWord.along($0, ids) } ?? ""),
                        TerminalText.line(proof(step, undone, when)),
                    ])
                case .bundle(let names, let steps):
                    guard let first = steps.first else { continue }
                    table.add([
                        StepWord.state(first.state), "-", TerminalText.line(first.cause.name),
                        StepWord.of(first.kind, when) + ": " + TerminalText.line(names.words),
                        TerminalText.line(proof(steps, undone, when)),
                    ])
                }
            }
            console.print(table)
        }

        /// What all of them have in common.
        private func proof(_ steps: [Step], _ undone: [Int64: RunID], _ when: When) -> String {
            let proofs = Set(steps.map { proof($0, undone, when) })
            if proofs.count == 1, let proof = proofs.first { return proof }
            return steps.first?.id.flatMap { undone[$0] }.map { "undone by \($0)" } ?? ""
        }

        /// The proof or the error, the number of attempts if more than one, and the run that undid it.
        private func proof(_ step: Step, _ undone: [Int64: RunID], _ when: When) -> String {
            var words = [step.reason ?? step.proof.map { StepWord.proof($0, when) } ?? ""]
            if step.attempts > 1 { words.append("\(step.attempts) attempts") }
            if let run = step.id.flatMap({ undone[$0] }) { words.append("undone by \(run)") }
            return words.filter { !$0.isEmpty }.joined(separator: "; ")
        }
    }
}
