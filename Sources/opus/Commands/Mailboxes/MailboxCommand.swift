import ArgumentParser
import Documents
import Models
import Pipeline

struct MailboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mailbox", abstract: "List the mailboxes of the accounts, and make new ones.",
        subcommands: [List.self, Create.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the mailboxes with their roles and counts, as of the last sync.")

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let console = global.listConsole()
            try await Session.with(try global.sessionOptions(), .reading) { session in
                let lines = try session.mailboxes.lines(account: global.account)
                if console.isJSON { return try console.print(json: MailboxesDocument(lines)) }
                var table = Table([
                    .init(title: "ACCOUNT"), .init(title: "MAILBOX", isFlexible: true), .init(title: "ROLE"),
                    .init(title: "MESSAGES"), .init(title: "UNREAD"),
                ])
                for line in lines {
                    table.add([
                        TerminalText.line(line.mailbox.account.rawValue),
                        TerminalText.line(line.name), line.mailbox.role?.rawValue ?? "",
                        "\(line.messages)", "\(line.unread)",
                    ])
                }
                console.print(table)
                if lines.isEmpty { console.note("No mailboxes yet.      next: opus sync") }
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a mailbox, and subscribe to it.",
            discussion: """
                Write / between the levels, whatever the server uses: opus mailbox create Projects/Acme. An existing mailbox is not \
                changed. opus undo does not remove the new mailbox: opus never deletes one.
                """)

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The name, with / between the levels.")
        var name: String

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let made = try await session.mailboxMaking.make(name, account: global.account)
                if console.isJSON {
                    try console.print(json: MailboxCreateDocument(made))
                } else {
                    show(made, console)
                }
                if let exit = made.report?.exit, exit != .done { throw Outcome(status: exit) }
            }
        }

        private func show(_ made: MailboxMaking.Made, _ console: Console) {
            let name = TerminalText.line(made.mailbox.displayName)
            let account = TerminalText.line(made.mailbox.account.rawValue)
            guard let report = made.report else {
                return console.print("\(name) already exists in account \(account).")
            }
            if made.isDone {
                let run = report.run.map { " (run \($0))" } ?? ""
                return console.print("Made \(name) in account \(account)\(run).")
            }
            console.report(
                Problem(
                    "mailbox-not-made", exit: report.exit,
                    message:
                        "\(made.mailbox.displayName) was not made: \(made.reason ?? "the account did not answer")",
                    place: "account \(made.mailbox.account)",
                    next: [
                        report.exit == .someFailed ? "opus mailbox create with another name" : "opus status"
                    ]))
        }
    }
}
