import ArgumentParser
import Documents
import Models
import Pipeline

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "List and check accounts, log in, add and remove them.",
        subcommands: [List.self, Check.self, Login.self, AccountAddCommand.self, AccountRemoveCommand.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the accounts and where their mail is.")

        @OptionGroup var global: GlobalOptions

        func run() throws {
            let console = global.console()
            let accounts = try AccountLine.all(try global.sessionOptions())
            if console.isJSON { return try console.print(json: AccountsDocument(accounts)) }
            var table = Table([
                .init(title: "ACCOUNT"), .init(title: "ADDRESS"), .init(title: "KIND"),
                .init(title: "WHERE", isFlexible: true),
            ])
            for account in accounts {
                table.add(
                    [account.name, account.address, account.kind, account.place].map { TerminalText.line($0) }
                )
            }
            console.print(table)
            if accounts.isEmpty { console.note("No accounts.      next: opus demo, or add one to opus.yaml") }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Connect, log in, and show what the server supports; changes nothing.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "An account in opus.yaml; without it, all accounts.")
        var name: String?

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .reading) { session in
                var checks: [AccountCheck] = []
                var loop = AccountLoop(console: console)
                for account in try session.accounts.ids(named: name ?? global.account) {
                    _ = try await loop.attempt {
                        let check = try await session.checks.account(account)
                        checks.append(check)
                        if !console.isJSON { show(check, console) }
                        for failure in check.failures.dropFirst() { console.report(failure) }
                        if let failure = check.failures.first { throw failure }
                    }
                }
                if console.isJSON, !checks.isEmpty {
                    try console.print(json: AccountCheckDocument(checks))
                }
                try loop.finish()
                if checks.contains(where: { !$0.isGood }) { throw Outcome(status: .someFailed) }
            }
        }

        private func show(_ check: AccountCheck, _ console: Console) {
            console.print(console.style.bold(TerminalText.line(check.account.rawValue)))
            for line in check.lines {
                let mark = line.isGood ? console.style.green("✓") : console.style.red("✗")
                console.print(
                    "  \(mark) \(TerminalText.padded(TerminalText.line(line.what), to: 12)) \(TerminalText.line(line.words))"
                )
            }
        }
    }
}
