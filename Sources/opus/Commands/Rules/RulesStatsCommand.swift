import ArgumentParser
import Documents
import Models
import Pipeline
import Rules

extension RulesCommand {
    struct Stats: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats", abstract: "Show how often each rule acted, and how often you undid it.",
            discussion:
                "Counts the messages on which a rule acted when a plan was applied, including keep, notify and unsubscribe. "
                + "Each message counts once per rule.")

        @OptionGroup var global: GlobalOptions

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let library = try RuleLibrary.required(session.workspace)
            guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
            let lines = try session.rules.statistics(library, account: global.account)
            if console.isJSON { return try console.print(json: RuleStatsDocument(lines)) }
            let when = When(zone: session.zone, now: session.now)
            var table = Table([
                .init(title: "RULE", isFlexible: true), .init(title: "7D", alignsRight: true),
                .init(title: "30D", alignsRight: true), .init(title: "90D", alignsRight: true),
                .init(title: "LAST"), .init(title: "REVERSED", alignsRight: true),
                .init(title: "SHADOWED", alignsRight: true), .init(title: "TESTS", alignsRight: true),
            ])
            for line in lines {
                let last = line.last.map { console.isTerminal ? when.moment($0) : when.zone.rfc3339($0) }
                let hits = [line.hits7, line.hits30, line.hits90].map { "\($0)" }
                table.add(
                    [TerminalText.line(line.rule.id)] + hits + [
                        last ?? "never", "\(line.reversed)", "\(line.shadowed)",
                        "\(line.tests)",
                    ])
            }
            console.print(table)
        }
    }
}
