import ArgumentParser
import Documents
import Models
import Pipeline

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check libraries, workspace, rules, store and accounts, and show what to do next.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Do not connect to servers.")
    var offline = false

    func run() async throws {
        let console = global.console()
        let diagnosis = await Doctor(options: try global.sessionOptions(), connects: !offline).run()
        if console.isJSON {
            try console.print(json: DoctorDocument(diagnosis))
        } else {
            for finding in diagnosis.findings {
                let mark = mark(of: finding.state, console.style)
                console.print(
                    "\(mark) \(TerminalText.padded(finding.what, to: 14)) \(TerminalText.line(finding.words))"
                )
            }
            console.print("next: \(TerminalText.line(diagnosis.next))")
        }
        if !diagnosis.isGood { throw Outcome(status: .someFailed) }
    }

    private func mark(of state: Finding.State, _ style: Style) -> String {
        switch state {
        case .good: style.green("✓")
        case .attention: style.yellow("!")
        case .bad: style.red("✗")
        case .skipped: "-"
        }
    }
}
