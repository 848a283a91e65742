import ArgumentParser
import Models
import Pipeline

struct RunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs", abstract: "What was applied, run by run.", subcommands: [List.self, Show.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The last runs, newest first.")

        @OptionGroup var global: GlobalOptions

        @Option(name: .long, help: ArgumentHelp("At most so many.", valueName: "number"))
        var limit = 20

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let runs = try session.runs(limit: limit)
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
                    "\(run.id)", time, run.account.rawValue, run.command, "\(run.confirmed)", "\(run.open)",
                    "\(run.failed)",
                ])
            }
            console.print(table)
            if runs.isEmpty { console.note("No runs yet.") }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The steps of one run.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "A run id, as in r:0012.")
        var id: String

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let (line, steps) = try session.run(id)
            if console.isJSON {
                return try console.print(json: RunDetailDocument(line, steps, zone: session.zone))
            }
            let ids = try session.shortIDs(steps.compactMap(\.message))
            if console.isTerminal {
                let when = When(zone: session.zone, now: session.now)
                console.print("\(line.id)  \(when.moment(line.started))  \(line.account)  \(line.command)")
            }
            var table = Table([
                .init(title: "STATE"), .init(title: "ID"), .init(title: "RULE"),
                .init(title: "STEP", isFlexible: true),
                .init(title: "PROOF OR REASON", isFlexible: true),
            ])
            for step in steps {
                table.add([
                    StepWord.state(step.state), step.message.flatMap { ids[$0] } ?? "-",
                    TerminalText.line(step.rule),
                    StepWord.of(step.kind), TerminalText.line(step.error ?? step.evidence ?? ""),
                ])
            }
            console.print(table)
        }
    }
}

/// `opus.runs/1`
struct RunsDocument: Encodable {
    struct Item: Encodable {
        var id: String
        var account: String
        var started: String
        var command: String
        var confirmed: Int
        var open: Int
        var failed: Int

        init(_ run: RunLine, zone: ZoneClock) {
            id = run.id.description
            account = run.account.rawValue
            started = zone.rfc3339(run.started)
            command = run.command
            confirmed = run.confirmed
            open = run.open
            failed = run.failed
        }
    }

    var schema = "opus.runs/1"
    var items: [Item]

    init(_ runs: [RunLine], zone: ZoneClock) { items = runs.map { Item($0, zone: zone) } }
}

/// `opus.run-detail/1`
struct RunDetailDocument: Encodable {
    var schema = "opus.run-detail/1"
    var run: RunsDocument.Item
    var steps: [RunDocument.StepItem]

    init(_ run: RunLine, _ steps: [Step], zone: ZoneClock) {
        self.run = RunsDocument.Item(run, zone: zone)
        self.steps = steps.map(RunDocument.StepItem.init)
    }
}
