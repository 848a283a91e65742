import ArgumentParser
import Dispatch
import Documents
import Foundation
import Glibc
import Models
import Pipeline
import Synchronization

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Stay connected: fetch mail as it arrives, apply rules marked auto, and send what is due.",
        discussion: """
            Syncs each account, then waits for changes (NOTIFY where the server offers it, else IDLE; a Maildir is checked \
            every five seconds) and syncs again after each change, at the latest after 25 minutes. After each sync it \
            applies the rules with auto: true (watch: { apply: all } in opus.yaml: all rules) within the brakes, holds \
            mail for the screener, brings deferred mail back, executes the orders in command mailboxes, sends held mail, and moves \
            the mail of tasks that are edited or completed. Changes by other rules wait for opus run. Rereads rule files \
            and opus.yaml when they change. Reconnects after 5, 15 and 45 seconds, then after 1, 2 and 5 minutes, and at once when the \
            network changes or the machine wakes up. A refused login is not repeated.

            SIGHUP syncs at once and tries refused logins again; SIGTERM ends it after the current step. Other commands may \
            run at the same time, and talk to it over .opus/watch.socket; a workspace has one watch.
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Stop after the first change of each account.")
    var once = false

    @Flag(name: .long, help: "Print each event as a line of JSON (opus.watch/1), with all changes of state.")
    var events = false

    @Option(
        name: .long,
        help: ArgumentHelp("Keep metrics for Prometheus in this file (text format).", valueName: "file"))
    var metrics: String?

    func run() async throws {
        let journal = JournalLines(global.environment)
        let printer = WatchPrinter(console: global.console(), journal: journal, showsStates: events)
        do {
            try await watch(journal, printer)
        } catch let problem as Problem where journal.isOn {
            printer.report(problem)
            throw Outcome(status: problem.exit)
        } catch let failure as DiagnosticFailure where journal.isOn {
            printer.report(failure)
            throw Outcome(status: failure.exit)
        }
    }

    private func watch(_ journal: JournalLines, _ printer: WatchPrinter) async throws {
        let environment = global.environment
        let manager = ServiceManager(environment)
        let metrics = try Self.metrics(metrics)
        let isWritten = Mutex(true)
        let memory = SpareMemory()
        let summary = WatchSummary()
        let path = environment["PATH"] ?? "/usr/bin:/bin"
        let telling = Mutex<(WatchTelling, Session)?>(nil)
        let service = WatchService(
            try global.sessionOptions(), account: global.account, isOnce: once, metrics: { metrics.text }
        ) { event in
            printer.show(event)
            switch event {
            case .began(let session):
                let accounts = (try? session.accounts.ids(named: nil)) ?? []
                metrics.keep(accounts)
                summary.keep(accounts.map(\.description))
                telling.withLock { telling in
                    telling?.0.end()
                    telling = (WatchTelling(session, path: path), session)
                }
                manager.ready()
            case .watched(let event):
                if let (telling, session) = telling.withLock(\.self) { Self.tell(event, telling, session) }
                do {
                    try metrics.note(event)
                    isWritten.withLock { $0 = true }
                } catch {
                    let isNews = isWritten.withLock { isWritten in
                        defer { isWritten = false }
                        return isWritten
                    }
                    if isNews { printer.tell("the metrics cannot be written: \(error)") }
                }
                guard case .account(let account, let event) = event else { break }
                if let text = summary.note(event, of: account) { manager.status(text) }
                memory.note(event)
            case .newSettings, .brokenSettings: break
            }
        }
        let signals = WatchSignals(service, manager)
        let changes = MachineChanges { service.changed($0) }
        let heartbeat = Task(executorPreference: WorkThreads.shared) { try await Self.beat(manager) }
        defer {
            heartbeat.cancel()
            signals.cancel()
            telling.withLock { $0?.0.end() }
            withExtendedLifetime(changes) {}
        }
        let failures = try await service.run()
        if signals.isEnded { return }
        if let exit = failures.watchExit { throw Outcome(status: exit) }
    }

    /// - Throws: ``Problem`` if the file cannot be written.
    private static func metrics(_ path: String?) throws -> WatchMetrics {
        let metrics = WatchMetrics(path)
        do {
            try metrics.write()
        } catch {
            throw Problem(
                "cannot-write", exit: .cannotCreate, message: "the metrics cannot be written: \(error)",
                place: path)
        }
        return metrics
    }

    private static func tell(_ event: WatchedEvent, _ telling: WatchTelling, _ session: Session) {
        for news in WatchNews.of(event) where telling.isWanted(news) {
            let news = telling.allowed(news)
            let document = HookDocument(news, time: session.zone.rfc3339(session.now))
            guard let bytes = try? DocumentText.line(document) else { continue }
            telling.tell(news, document: Array(bytes))
        }
    }

    /// Reports to systemd that the threads of the watch still run.
    private static func beat(_ manager: ServiceManager) async throws {
        guard let pause = manager.watchdog else { return }
        while true {
            manager.alive()
            try await Task.sleep(for: pause)
        }
    }
}
