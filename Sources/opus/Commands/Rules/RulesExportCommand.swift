import ArgumentParser
import Documents
import Models
import Pipeline
import Rules

extension RulesCommand {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Export the rules that a Sieve script can express, for a mail server.",
            discussion: """
                Prints the script on standard output, and on standard error each part of the rules that is not in it, with \
                the reason. Mail that such a part may concern stays in the inbox, for opus. Nothing is uploaded.
                """)

        enum Format: String, ExpressibleByArgument, CaseIterable {
            case sieve
        }

        @OptionGroup var global: GlobalOptions

        @Argument(help: "sieve")
        var format: Format

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let library = try session.rules.library()
            let accounts = try session.accounts.ids(named: global.account)
            guard let account = accounts.first, accounts.count == 1 else {
                throw Problem(
                    "one-account", exit: .usage, message: "a script is made for one account",
                    next: ["add --account NAME"])
            }
            let export = try session.rules.sieve(library, account: account)
            if console.isJSON { return try console.print(json: ExportDocument(export)) }
            console.print(bytes: Array(export.text.utf8))
            for note in export.notes {
                let place = note.file.isEmpty ? "protect" : "\(note.file):\(note.line)"
                console.note(
                    TerminalText.line(
                        "\(place): \(note.rule): not in the script: \(note.piece) (\(note.reason))"))
            }
            console.note(
                "\(export.ruleCount) of \(counted(library.rules.ruleCount, "rule")) \(export.ruleCount == 1 ? "is" : "are") in the script"
            )
        }
    }
}
