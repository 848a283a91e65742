import ArgumentParser
import Documents
import Models
import Pipeline

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check libraries, workspace, rules, store and accounts.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Do not connect to servers.")
    var offline = false

    func run() async throws {
        let console = global.console()
        let findings = await Doctor(options: try global.sessionOptions(), connects: !offline).run()
        if console.isJSON {
            try console.print(json: DoctorDocument(findings))
        } else {
            for finding in findings {
                let mark = finding.isGood ? console.style.green("✓") : console.style.red("✗")
                console.print(
                    "\(mark) \(TerminalText.padded(finding.what, to: 14)) \(TerminalText.line(finding.words))"
                )
                if let next = finding.next {
                    console.print("                 next: \(TerminalText.line(next))")
                }
            }
        }
        if findings.contains(where: { !$0.isGood }) { throw Outcome(status: .someFailed) }
    }
}
