import ArgumentParser
import Documents
import Models
import Pipeline

extension RulesCommand {
    struct AddTo: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-to", abstract: "Add addresses to a list in the rules.",
            discussion: """
                Changes the rule file or the list's own file and keeps its comments and order. Addresses that are already \
                in the list are not added again.
                """)

        @OptionGroup var global: GlobalOptions

        @Flag(name: .long, help: "Show the change, and write nothing.")
        var dryRun = false

        @Argument(help: "The list's name: vip or @vip.")
        var list: String

        @Argument(help: "ana@example.org, @example.org (the domain and those below it), '*@example.org'.")
        var addresses: [String]

        func run() throws {
            let console = global.console()
            let workspace = try global.sessionOptions().loadWorkspace()
            let (edit, added) = try workspace.adding(addresses, toList: list)
            try RuleEditOutput(console: console).finish(edit, dryRun: dryRun)
            if !console.isJSON, edit.isEmpty {
                console.note("Nothing to do: already in the list.")
            } else if added.count < addresses.count {
                let known = addresses.count - added.count
                console.note("\(known) of them \(known == 1 ? "was" : "were") already in the list.")
            }
        }
    }

    struct RenameMailbox: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename-mailbox", abstract: "Change the name of a mailbox in the rules.",
            discussion: """
                Changes move:, in:, mailboxes: and what the tests expect, and keeps comments and order. Does not rename the \
                mailbox itself.
                """)

        @OptionGroup var global: GlobalOptions

        @Flag(name: .long, help: "Show the change, and write nothing.")
        var dryRun = false

        @Argument(help: "The old name.")
        var old: String

        @Argument(help: "The new name.")
        var new: String

        func run() throws {
            let console = global.console()
            let workspace = try global.sessionOptions().loadWorkspace()
            let edit = try workspace.renaming(mailbox: old, to: new)
            for note in edit.notes { console.note(TerminalText.line(note)) }
            guard !edit.isEmpty || !edit.notes.isEmpty else {
                throw Problem(
                    "no-such-mailbox", exit: .notFound, message: "no rule names a mailbox \"\(old)\"",
                    next: ["opus rules list"])
            }
            try RuleEditOutput(console: console).finish(edit, dryRun: dryRun)
        }
    }
}

/// Shows a change of rule files and writes it.
struct RuleEditOutput {
    let console: Console

    func finish(_ edit: RuleEdit, dryRun: Bool) throws {
        try edit.check()
        if !dryRun { try edit.write() }
        if console.isJSON {
            try console.print(json: RulesEditDocument(edit, written: !dryRun && !edit.isEmpty))
        } else if !edit.isEmpty {
            console.print(DiffText.of(edit.diff, console.style))
        }
    }
}

enum DiffText {
    /// The diff, escaped and with the colors of git, without its last line end.
    static func of(_ diff: String, _ style: Style) -> String {
        diff.fileLines.dropLast().map { line in
            let text = TerminalText.line(line.hasSuffix("\r") ? line.dropLast() : line[...])
            return switch line.first {
            case "+": line.hasPrefix("+++") ? style.bold(text) : style.green(text)
            case "-": line.hasPrefix("---") ? style.bold(text) : style.red(text)
            case "@": style.cyan(text)
            case _: text
            }
        }.joined(separator: "\n")
    }
}
