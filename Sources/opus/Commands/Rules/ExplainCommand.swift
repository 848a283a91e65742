import ArgumentParser
import Documents
import Models
import Pipeline
import Rules

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show why each rule did or did not match a message, and what past runs did with it.")

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("Only this rule.", valueName: "id"))
    var rule: String?

    @Argument(help: "A message id (opus list).")
    var id: String

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let explanation = try session.rules.explain(id, rule: rule)
        if console.isJSON { return try console.print(json: ExplainDocument(explanation)) }
        let text = ExplainText(
            when: When(zone: session.zone, now: session.now), style: console.style,
            width: console.isTerminal ? console.width : nil,
            names: try session.messages.shortIDs(explanation.others))
        console.print(lines: text.lines(explanation))
    }
}
