import ArgumentParser
import Documents
import Models
import Pipeline

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Stay connected: fetch mail as it arrives, and send what is due.",
        discussion: """
            Syncs each account, then waits for changes (IDLE, or NOTIFY with sync: { notify: true }; a Maildir is checked \
            every five seconds) and syncs again after each change, at the latest after 25 minutes. Reconnects after 5, 15 \
            and 45 seconds, then more slowly; stops watching an account whose login is refused. Other commands may run \
            at the same time. Does not triage, but prints what notify: of a rule says about new mail, sends held mail and \
            repeats postponed steps when they are due, and moves the mail of tasks that are edited or completed.
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Stop after the first change of each account.")
    var once = false

    func run() async throws {
        let console = global.console()
        let options = try global.sessionOptions()
        try await Session.with(options, .reading) { session in
            let accounts = try session.accounts.ids(named: global.account)
            let printer = WatchPrinter(console: console, zone: session.zone, clock: session.clock)
            let failures = await session.watch.all(accounts, isOnce: once) { printer.show($0) }
            if let first = failures.first { throw Outcome(status: first.exit) }
        }
    }
}
