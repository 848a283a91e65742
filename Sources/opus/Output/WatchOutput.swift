import Documents
import Models
import Pipeline

/// Prints the events of a watch, as a line of text or of JSON.
struct WatchPrinter: Sendable {
    let console: Console
    let zone: ZoneClock
    let clock: SessionClock

    func show(_ event: WatchedEvent) {
        switch event {
        case .account(let account, let event): show(event, of: account)
        case .tasks(let event): show(event)
        case .ended(_, let problem): console.report(problem)
        }
    }

    private func show(_ event: WatchEvent, of account: AccountID) {
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
        if case .ordered(let report) = event { return OrderText.lines(report).map(\.text) }
        return words(for: event, of: account).map { [$0] } ?? []
    }

    private func show(_ event: TaskWatchEvent) {
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
        case .notices, .ordered: return nil
        case .listening(let how):
            if !console.isQuiet { console.progress("\(account): listening (\(how))") }
            return nil
        case .lost(let problem, let delay):
            return TerminalText.line(problem.message) + "; retrying in \(delay.components.seconds) s"
        }
    }
}
