import ArgumentParser
import Documents
import Models
import Pipeline

extension RulesCommand {
    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A rule and its tests, made of messages that are there.",
            discussion: """
                It takes mail of the same list, sender or domain. Without --then it does what was done with these messages, \
                judged by where they stand. It is printed, or written into a new file with --write.
                """)

        @OptionGroup var global: GlobalOptions

        @Option(
            name: .long, parsing: .upToNextOption,
            help: ArgumentHelp("Message ids (opus list).", valueName: "id"))
        var from: [String]

        @Option(
            name: .long,
            help: ArgumentHelp(
                "What it does, once for each: archive, trash, 'move: NAME', 'label: NAME', 'mark: read'.",
                valueName: "action"))
        var then: [String] = []

        @Option(name: .long, help: ArgumentHelp("Write it into this new file.", valueName: "file"))
        var write: String?

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let made = try session.rules.make(from: from, actions: then, fileName: write)
            if let write { try made.write(to: write) }
            if console.isJSON { return try console.print(json: RulesNewDocument(made, out: write)) }
            if let write {
                console.note(
                    "\(made.id) with \(counted(made.testCount, "test")) written to \(TerminalText.line(write))"
                )
            } else {
                console.print(bytes: Array(made.text.utf8))
            }
            for note in made.notes {
                console.note(console.style.yellow("Warning: ") + TerminalText.line(note))
            }
        }
    }

    struct Suggest: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rules that your own moves and reversals ask for, as a diff.",
            discussion: """
                Three mails of a sender or list that you moved to the same place in 90 days suggest a rule; a rule that you \
                took back for two mails of a sender suggests an exception. Each suggestion is checked and tested first, and \
                one that would have changed nothing in these 90 days is not shown. Nothing is written: opus rules suggest | \
                patch -p0 in the workspace takes it over.
                """)

        @OptionGroup var global: GlobalOptions

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let found = try session.rules.suggest(try session.rules.library(), account: global.account)
            if console.isJSON { return try console.print(json: RulesSuggestDocument(found)) }
            for suggestion in found.suggestions {
                let effect =
                    "It changes what happens to \(suggestion.changes) of \(counted(suggestion.looked, "such mail"))."
                console.note(TerminalText.line("\(suggestion.rule): \(suggestion.evidence) \(effect)"))
            }
            for note in found.notes { console.note(TerminalText.line(note)) }
            if found.suggestions.isEmpty, found.notes.isEmpty { console.note("Nothing to suggest.") }
            if !found.diff.isEmpty {
                if console.isTerminal {
                    console.print(DiffText.of(found.diff, console.style))
                } else {
                    console.print(bytes: Array(found.diff.utf8))
                }
            }
        }
    }
}
