import ArgumentParser
import Foundation
import Glibc
import Logging
import Models
import Pipeline

/// The options that every command takes, before or after its name.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The folder with opus.yaml (default: $OPUS_WORKSPACE, the nearest parent folder, ~/.config/opus).",
            valueName: "folder"))
    var workspace: String?

    @Option(
        name: [.long, .customShort("a")], help: ArgumentHelp("Use only this account.", valueName: "name"))
    var account: String?

    @Flag(name: .long, help: "Print one JSON document on standard output.")
    var json = false

    @Flag(name: [.long, .customShort("q")], help: "Print only results and errors.")
    var quiet = false

    @Flag(
        name: [.long, .customShort("v")], help: "Log protocol and steps on standard error, without secrets.")
    var verbose = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Log the protocol with the servers to a file, without secrets and mail.", valueName: "file")
    )
    var trace: String?

    @Option(name: .long, help: ArgumentHelp("Use colors: auto, always or never.", valueName: "when"))
    var color: Style.Choice = .auto

    @Flag(name: .long, help: "Do not show long lists in a pager ($OPUS_PAGER, $PAGER, less).")
    var noPager = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Use this as the current time (RFC 3339), for tests and screenshots.", valueName: "time"))
    var now: String?

    var environment: [String: String] { ProcessInfo.processInfo.environment }

    func sessionOptions() throws -> SessionOptions {
        var time: Timestamp?
        if let now {
            guard let read = Timestamp(rfc3339: now) else {
                throw Problem(
                    "bad-time", exit: .usage, message: "--now takes an RFC 3339 time, not \"\(now)\"",
                    next: ["--now 2026-03-10T08:30:00+01:00"])
            }
            time = read
        }
        var options = SessionOptions(
            workspace: workspace, environment: environment,
            currentDirectory: FileManager.default.currentDirectoryPath, now: time, logger: try logger())
        let console = console()
        options.longestWait = Self.longestWait
        options.noteWait = { holder in
            let process = holder.map { " (process \($0))" } ?? ""
            console.note("Waiting for another opus\(process) that changes this workspace.")
        }
        return options
    }

    /// How long a command waits for another one that changes the same workspace.
    private static let longestWait = Duration.seconds(60)

    /// Throws if there is no workspace, or its settings have errors. Comes before the complaint that `--yes` is missing, which
    /// would not help.
    func requireWorkspace() throws { _ = try sessionOptions().loadWorkspace() }

    private func logger() throws -> Logger {
        let file = try trace.map { try TraceFile.open($0) }
        let showsAll = verbose
        var logger = Logger(label: "opus") { _ in
            let terminal = TerminalLog(least: showsAll ? .trace : .error)
            guard let file else { return terminal }
            return MultiplexLogHandler([terminal, TraceLog(file: file)])
        }
        logger.logLevel = verbose || file != nil ? .trace : .error
        return logger
    }

    func console(forPeople: Bool = false) -> Console {
        Console(isJSON: json, isQuiet: quiet, color: color, environment: environment, forPeople: forPeople)
    }

    /// A console that uses a pager for lists longer than the terminal.
    func listConsole() -> Console {
        let console = console()
        if !noPager, !json { Pager.start(environment) }
        return console
    }
}

extension Style.Choice: ExpressibleByArgument {}

/// Log lines on standard error, escaped because they can contain text of strangers.
struct TerminalLog: LogHandler {
    /// The lowest level to show; other handlers may have another.
    let least: Logger.Level
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .error

    init(least: Logger.Level) { self.least = least }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level >= least else { return }
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let words = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let line = "opus: \(event.level): \(event.message) \(words)"
        FileHandle.standardError.write(Data((TerminalText.line(line) + "\n").utf8))
    }
}
