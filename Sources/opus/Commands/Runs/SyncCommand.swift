import ArgumentParser
import Documents
import Models
import Pipeline

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Fetch new mail and changes from the accounts; changes no mail.")

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            var reports: [SyncReport] = []
            var loop = AccountLoop(console: console)
            for account in try session.accounts.ids(named: global.account) {
                _ = try await loop.attempt {
                    let report = try await SyncReporter(console: console).run(session, account)
                    reports.append(report)
                    if !console.isJSON { SyncReporter(console: console).show(report) }
                }
            }
            if console.isJSON { try console.print(json: SyncDocument(reports)) }
            try loop.finish()
            if reports.contains(where: { !$0.problems.isEmpty }) { throw Outcome(status: .someFailed) }
        }
    }
}
