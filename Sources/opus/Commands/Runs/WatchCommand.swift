import ArgumentParser
import Documents
import Models
import Pipeline

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Stay connected and bring in mail as it comes; send what is due.",
        discussion: """
            Each account is synced, then its server is listened to (IDLE, or NOTIFY where sync: { notify: true } asks \
            for it; a Maildir is looked at every five seconds), and synced again when something changed, and in any \
            case every 25 minutes. A lost connection is made again after 5, 15 and 45 seconds, then more slowly; a \
            refused login ends the account's part. Other commands may run meanwhile. No rules are run, but what \
            notify of a rule says of new mail is told; what other commands left waiting (a held mail, a step that a server put off) is carried out when it is due, and when a task file is \
            edited or completed its mail follows.
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "End when the first change of each account has been brought in.")
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
