import ArgumentParser
import Documents
import Models
import Pipeline

struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply a plan saved by opus triage --out, without asking.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Apply the plan even if it is older than a day.")
    var old = false

    @Argument(help: "The plan file.", completion: .file())
    var plan: String

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let outcome = try await session.triage.applySaved(try PlanDocument.read(plan), allowOld: old)
            try RunOutput(session: session, console: console).show([outcome.report])
            for line in outcome.notSent { console.warn(console.style.yellow("! ") + TerminalText.line(line)) }
            PlanOutput(session: session, console: console).show(outcome.skipped)
            if outcome.report.exit != .done { throw Outcome(status: outcome.report.exit) }
            if !outcome.skipped.isEmpty { throw Outcome(status: .stalePlan) }
        }
    }
}
