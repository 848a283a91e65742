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
            let tasks = Task(executorPreference: WorkThreads.shared) {
                try await session.watch.tasks(of: accounts) { printer.show($0) }
            }
            let failures = await withTaskGroup(of: Problem?.self) { group in
                for account in accounts {
                    group.addTask {
                        await Self.watch(account, session, isOnce: once, printer)
                    }
                }
                return await group.reduce(into: [Problem]()) { failures, failure in
                    if let failure { failures.append(failure) }
                }
            }
            // What it has begun is on its way into the journal: the store is closed when it is over.
            tasks.cancel()
            _ = await tasks.result
            if let first = failures.first { throw Outcome(status: first.exit) }
        }
    }

    private static func watch(
        _ account: AccountID, _ session: Session, isOnce: Bool, _ printer: WatchPrinter
    ) async -> Problem? {
        do {
            try await session.watch.account(account, isOnce: isOnce) { printer.show($0, of: account) }
            return nil
        } catch {
            if Task.isCancelled { return nil }
            let problem = Problem(error)
            printer.console.report(problem)
            return problem
        }
    }
}

/// Says what a watch does: a line of text for people, a line of JSON for programs.
private struct WatchPrinter: Sendable {
    let console: Console
    let zone: ZoneClock
    let clock: SessionClock

    func show(_ event: WatchEvent, of account: AccountID) {
        if console.isJSON {
            let time = zone.rfc3339(clock.now)
            try? console.print(jsonLine: WatchDocument(event, account: account, time: time))
            return
        }
        for words in lines(for: event, of: account) {
            console.endProgress()
            console.print("\(zone.local(clock.now).clock)  \(TerminalText.line(account.rawValue)): \(words)")
        }
    }

    private func lines(for event: WatchEvent, of account: AccountID) -> [String] {
        if case .notices(let lines) = event { return lines.map { TerminalText.line($0) } }
        return words(for: event, of: account).map { [$0] } ?? []
    }

    func show(_ event: TaskWatchEvent) {
        let time = zone.local(clock.now).clock
        if console.isJSON {
            try? console.print(jsonLine: TaskWatchDocument(event, time: zone.rfc3339(clock.now)))
            return
        }
        console.endProgress()
        switch event {
        case .followed(let report):
            for line in report.lines + report.held {
                console.print("\(time)  tasks: " + TerminalText.line(line))
            }
            for mail in report.returned { console.print("\(time)  " + ReturnedText.of(mail)) }
            for line in report.malformed { console.warn("! " + TerminalText.line(line)) }
            for run in report.runs where !run.drain.failures.isEmpty {
                console.warn("! \(run.drain.failures.count) not done (opus status)")
            }
        case .stopped(let problem): console.report(problem)
        }
    }

    private func words(for event: WatchEvent, of account: AccountID) -> String? {
        switch event {
        case .synced(let report):
            let reporter = SyncReporter(console: console)
            for problem in report.problems { console.warn("! " + TerminalText.line(problem)) }
            return report.isQuiet ? nil : reporter.summary(report)
        case .delivered(let report):
            let done = StepSummary(report.drain.done).lines
            let failed = report.drain.failures.count
            return (done + (failed > 0 ? ["\(failed) not done (opus status)"] : [])).joined(separator: ", ")
        case .notices: return nil
        case .listening(let how):
            if !console.isQuiet { console.progress("\(account): listening (\(how))") }
            return nil
        case .lost(let problem, let delay):
            return TerminalText.line(problem.message) + "; trying again in \(delay.components.seconds) s"
        }
    }
}
