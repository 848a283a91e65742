import ArgumentParser
import Documents
import Models
import Pipeline

extension RulesCommand {
    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new", abstract: "Make a rule with tests from existing messages.",
            discussion: """
                The rule matches mail of the same list, sender or domain. Without --then, its action is what you did with these \
                messages: opus sees that from the mailbox that they are in now. opus prints the rule; --write FILE writes it to a file.
                """)

        @OptionGroup var global: GlobalOptions

        @Option(
            name: .long, parsing: .upToNextOption,
            help: ArgumentHelp("Message ids (opus list).", valueName: "id"))
        var from: [String]

        @Option(
            name: .long,
            help: ArgumentHelp(
                "An action of the rule: archive, trash, 'move: NAME', 'label: NAME', 'mark: read'. May be repeated.",
                valueName: "action"))
        var then: [String] = []

        @Option(name: .long, help: ArgumentHelp("Write the rule to a new file.", valueName: "file"))
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
            commandName: "suggest",
            abstract: "Suggest rules from what you moved and undid by hand, as a diff.",
            discussion: """
                If you moved three mails of a sender or list to the same mailbox in 90 days, opus suggests a rule; if you \
                undid a rule for two mails of a sender, it suggests an exception. Each suggestion is checked and tested; \
                suggestions that would have changed nothing in these 90 days are not shown. Nothing is written: to apply \
                the suggestions, run opus rules suggest | patch -p0 in the workspace.
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
