import Accounts
import Foundation
import Glibc
import Models
import Synchronization

/// Passes news to a program and to the desktop, one after the other, as configured. The watch never waits for
/// them, and their failures have no effect on it.
public final class WatchTelling: Sendable {
    /// The time limit of a program.
    private static let patience = DispatchTimeInterval.seconds(10)
    /// The maximum number of waiting news; further ones are left out.
    private static let mostWaiting = 50
    /// The maximum number of lines of text, and of ids. All of it fits into a pipe.
    private static let mostLines = 40
    private static let mostIDs = 200
    private static let longestLine = 200

    private let settings: WatchSettings
    /// The folder of opus.yaml, in which the program runs.
    private let folder: String
    private let zone: ZoneClock
    private let clock: SessionClock
    private let path: String
    private let waiting = Mutex(0)
    private let queue = DispatchQueue(label: "opus-watch-hook")
    /// The running program; `isOver`: no other one is started.
    private let running = Mutex<(program: RunningProgram?, isOver: Bool)>((nil, false))

    public init(_ session: Session, path: String) {
        settings = session.workspace.watch
        folder = session.workspace.root
        zone = session.zone
        clock = session.clock
        self.path = path
    }

    /// Whether the settings include these news now.
    public func isWanted(_ news: WatchNews) -> Bool {
        guard !settings.hook.isEmpty || settings.showsOnDesktop, settings.events.contains(news.event) else {
            return false
        }
        let local = zone.local(clock.now)
        return !(settings.quiet?.contains(local.secondOfDay) ?? false)
    }

    /// Without text of mail, unless the settings include it. Long text is cut.
    public func allowed(_ news: WatchNews) -> WatchNews {
        var news = news
        news.messages = Array(news.messages.prefix(Self.mostIDs))
        news.text =
            settings.includesText
            ? news.text.prefix(Self.mostLines).map {
                String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.longestLine)))
            } : []
        return news
    }

    /// Ends the running program; no other one is started.
    public func end() {
        let program = running.withLock { running in
            running.isOver = true
            return running.program
        }
        program?.end()
    }

    /// `document`: the standard input of the program.
    public func tell(_ news: WatchNews, document: [UInt8]) {
        let isOne = waiting.withLock { waiting in
            guard waiting < Self.mostWaiting else { return false }
            waiting += 1
            return true
        }
        guard isOne else { return }
        queue.async { [self] in
            defer { waiting.withLock { $0 -= 1 } }
            if let program = settings.hook.first {
                run(program, Array(settings.hook.dropFirst()), input: document)
            }
            if settings.showsOnDesktop { show(news) }
        }
    }

    /// `notify-send` interprets the body as markup.
    private func show(_ news: WatchNews) {
        let lines = [news.summary] + news.text.prefix(5).map { HarmlessText.line($0) }
        let body = lines.joined(separator: "\n").replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        let title = "opus" + (news.account.map { ": \($0)" } ?? "")
        run("notify-send", ["--app-name=opus", "--", title, body], input: [])
    }

    private func run(_ program: String, _ arguments: [String], input: [UInt8]) {
        guard let file = executable(program), let pipe = try? ChildProcess.pipe() else { return }
        let started = running.withLock { running -> RunningProgram? in
            running.program = RunningProgram()
            guard !running.isOver, let program = running.program,
                program.start(
                    [file] + arguments, .init(input: pipe.reading), environment: nil, folder: folder)
            else { return nil }
            return program
        }
        close(pipe.reading)
        let writer = FileHandle(fileDescriptor: pipe.writing, closeOnDealloc: true)
        guard let started else { return }
        // It fits into the pipe, even if the program does not read it.
        try? writer.write(contentsOf: Data(input))
        try? writer.close()
        _ = started.wait(Self.patience)
    }

    private func executable(_ program: String) -> String? {
        if program.contains("/") { return program }
        return path.split(separator: ":").map { "\($0)/\(program)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}
