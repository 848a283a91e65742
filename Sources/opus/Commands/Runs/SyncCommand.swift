import ArgumentParser
import Documents
import Models
import Pipeline

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Fetch new mail and changes from the accounts; changes no mail.",
        discussion: "While opus watch runs, it syncs over its open connections and reports what came.")

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let console = global.console()
        if let reports = try SyncByWatch(try global.sessionOptions()).reports(named: global.account) {
            return try show(reports, console)
        }
        try await Session.with(try global.sessionOptions(), .changing) { session in
            var reports: [SyncReport] = []
            var loop = AccountLoop(console: console)
            let reporter = SyncReporter(console: console)
            try await session.sync.accounts(
                session.accounts.ids(named: global.account), progress: { reporter.show($0) }
            ) { _, result in
                console.endProgress()
                try loop.note(result) { report in
                    reports.append(report)
                    if !console.isJSON { reporter.show(report) }
                }
            }
            for report in reports { try await session.deferrals.readDates(of: report.account) }
            if console.isJSON { try console.print(json: SyncDocument(reports)) }
            try loop.finish()
            if reports.contains(where: { !$0.problems.isEmpty }) { throw Outcome(status: .someFailed) }
        }
    }

    /// Shows what a running watch of the workspace has synced.
    private func show(_ reports: [SyncReport], _ console: Console) throws {
        let reporter = SyncReporter(console: console)
        if console.isJSON { try console.print(json: SyncDocument(reports)) }
        if !console.isJSON { for report in reports { reporter.show(report) } }
        if reports.contains(where: { !$0.problems.isEmpty }) { throw Outcome(status: .someFailed) }
    }
}
