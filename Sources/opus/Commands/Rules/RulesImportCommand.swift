import ArgumentParser
import Documents
import Models
import Pipeline

extension RulesCommand {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Turn filters of Gmail, Sieve or Thunderbird into rules.",
            discussion: """
                Prints a rule file with tests on standard output, and on standard error each part that was not translated \
                or has a different meaning now. The rules take effect when you put the file into the rules folder. With \
                --out, each rule gets an id that is new in the workspace.
                """)

        /// The formats of filters that opus can import.
        enum Format: String, ExpressibleByArgument, CaseIterable {
            case gmail
            case sieve
            case thunderbird
        }

        @OptionGroup var global: GlobalOptions

        @Argument(help: "mailFilters.xml, a Sieve script, msgFilterRules.dat; - is standard input.")
        var file: String

        @Option(
            name: .long,
            help: ArgumentHelp(
                "gmail, sieve or thunderbird; needed if the file does not show it.", valueName: "format")
        )
        var format: Format?

        @Option(name: .long, help: ArgumentHelp("Write the rules to a new file.", valueName: "file"))
        var out: String?

        func run() throws {
            let console = global.console()
            let imported = try ImportedRules.read(
                file, format: format?.rawValue, beside: out == nil ? nil : try global.sessionOptions())
            if let out { try imported.write(to: out) }
            if console.isJSON {
                return try console.print(json: ImportDocument(imported, file: file, out: out))
            }
            if out == nil { console.print(bytes: Array(imported.text.utf8)) }
            for note in imported.notes { console.note(Self.words(note, file)) }
            console.note(Self.summary(imported))
            if let out { console.note("written to \(TerminalText.line(out))") }
        }

        /// For example `2 rules, 4 tests; 1 piece not translated, 0 changed`.
        private static func summary(_ imported: ImportedRules) -> String {
            let dropped = imported.notes.filter { $0.kind == "dropped" }.count
            return "\(counted(imported.ruleCount, "rule")), \(counted(imported.testCount, "test")); "
                + "\(counted(dropped, "piece")) not translated, \(imported.notes.count - dropped) changed"
        }

        private static func words(_ note: ImportedRules.Note, _ file: String) -> String {
            let kind = note.kind == "dropped" ? "not translated" : "changed"
            return TerminalText.line("\(file):\(note.line): \(kind): \(note.piece): \(note.reason)")
        }
    }
}
