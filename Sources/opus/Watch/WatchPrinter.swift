import Documents
import Models
import Pipeline
import Synchronization

/// Prints the events of a watch, as lines of text or JSON.
final class WatchPrinter: Sendable {
    private let console: Console
    private let journal: JournalLines
    /// Whether JSON lines include the states of the watch.
    private let showsStates: Bool
    private let clock = Mutex<(zone: ZoneClock, clock: SessionClock)?>(nil)

    init(console: Console, journal: JournalLines, showsStates: Bool) {
        self.console = console
        self.journal = journal
        self.showsStates = showsStates
    }

    private var isJSON: Bool { console.isJSON || showsStates }

    func show(_ event: WatchService.Event) {
        switch event {
        case .began(let session): clock.withLock { $0 = (session.zone, session.clock) }
        case .watched(let event): show(event)
        case .newSettings: note(.newSettings, "opus.yaml has changed; the new settings are in force")
        case .brokenSettings(let findings):
            let words = findings.map { "\($0.file):\($0.line):\($0.column): \($0.message)" }
            note(.brokenSettings(words), "opus.yaml has errors; the earlier settings stay in force")
            if !isJSON { for word in words { warn("  " + word) } }
        }
    }

    private func note(_ event: WatchNoteDocument.Event, _ words: String) {
        if isJSON { return line(WatchNoteDocument(event, time: rfc3339)) }
        warn(words)
    }

    private func show(_ event: WatchedEvent) {
        switch event {
        case .account(let account, let event): show(event, of: account)
        case .tasks(let event): show(event)
        case .ended(let account, let problem):
            if showsStates {
                return line(WatchNoteDocument(.ended(account, problem), time: rfc3339))
            }
            report(problem)
        }
    }

    private func show(_ event: WatchEvent, of account: AccountID) {
        if case .state = event, !showsStates { return }
        if isJSON { return line(WatchDocument(event, account: account, time: rfc3339)) }
        for words in lines(for: event, of: account) {
            console.endProgress()
            say("\(time)  \(TerminalText.line(account.rawValue)): \(words)", event.priority)
        }
    }

    private func lines(for event: WatchEvent, of account: AccountID) -> [String] {
        switch event {
        case .notices(let lines): return lines.map { TerminalText.line($0) }
        case .ordered(let report): return OrderText.lines(report).map(\.text)
        case .synced(let report):
            for problem in report.problems { warn("! " + TerminalText.line(problem)) }
            return report.isQuiet ? [] : [SyncReporter(console: console).summary(report)]
        case .delivered(let report, returned: _): return [summary(report)].filter { !$0.isEmpty }
        case .applied(let report):
            let (words, run) = (summary(report), report.run.map { " (run \($0))" } ?? "")
            return (words.isEmpty ? [] : [words + run]) + report.notices.map { TerminalText.line($0) }
        case .held(let plan):
            return ["waits for you: \(TerminalText.line(plan.reason)); nothing was applied (opus run)"]
        case .kept(let reasons): return reasons.map { TerminalText.line($0) }
        case .brokenRules(let problem):
            return ([problem.message] + problem.details).map { TerminalText.line($0) }
        case .newRules: return ["the rules have changed; the new ones are in force"]
        case .listening(let how):
            if !console.isQuiet { console.progress("\(account): listening (\(how))") }
            return []
        case .lost(let problem, let delay):
            return [TerminalText.line(problem.message) + "; retrying in \(delay.components.seconds) s"]
        case .silent(let seconds): return ["no sync for \(seconds / 60) minutes (opus status)"]
        case .state: return []
        }
    }

    private func summary(_ report: RunReport) -> String {
        let done = StepSummary(report.drain.done).lines
        let failed = report.drain.failures.count
        return (done + (failed > 0 ? ["\(failed) not done (opus status)"] : [])).joined(separator: ", ")
    }

    private func show(_ event: TaskWatchEvent) {
        if isJSON { return line(TaskWatchDocument(event, time: rfc3339)) }
        console.endProgress()
        switch event {
        case .followed(let report):
            for line in report.lines + report.held { say("\(time)  tasks: " + TerminalText.line(line)) }
            for line in ReturnedText.lines(report.returned) { say("\(time)  back in the inbox: " + line) }
            for line in report.malformed { warn("! " + TerminalText.line(line)) }
            for run in report.runs where !run.drain.failures.isEmpty {
                warn("! \(run.drain.failures.count) not done (opus status)")
            }
        case .stopped(let problem), .syncFailed(let problem): report(problem)
        case .syncRecovered: say("\(time)  tasks: synced again")
        }
    }

    // MARK: Lines

    private var rfc3339: String { clock.withLock { $0.map { $0.zone.rfc3339($0.clock.now) } ?? "" } }
    private var time: String {
        clock.withLock { $0.map { $0.zone.local($0.clock.now).clock.description } ?? "" }
    }

    private func line(_ document: some Encodable) { try? console.print(jsonLine: document) }

    private func say(_ text: String, _ priority: JournalLines.Priority = .information) {
        console.print(journal.marked(text, priority))
    }

    private func warn(_ text: String) { console.warn(journal.marked(text, .warning)) }

    /// A problem of the watch itself, also with JSON.
    func tell(_ text: String) { console.tell(journal.marked(text, .warning)) }

    /// Settings with errors, when the watch starts.
    func report(_ failure: DiagnosticFailure) {
        guard journal.isOn, !console.isJSON else { return console.report(failure) }
        for finding in failure.diagnostics {
            let words = "\(finding.file):\(finding.line):\(finding.column): \(finding.message)"
            let isError = finding.severity == .error
            console.warn(journal.marked(TerminalText.line(words), isError ? .error : .warning))
        }
    }

    func report(_ problem: Problem) {
        guard journal.isOn, !console.isJSON else { return console.report(problem) }
        let text = ProblemText(problem, style: Style(choice: .never, environment: [:], isTerminal: false))
            .text
        console.warn(journal.marked(text, .error))
    }
}

extension WatchEvent {
    fileprivate var priority: JournalLines.Priority {
        switch self {
        case .lost, .held, .kept, .brokenRules, .silent: .warning
        case .synced, .notices, .applied, .newRules, .state, .ordered, .delivered, .listening: .information
        }
    }
}
