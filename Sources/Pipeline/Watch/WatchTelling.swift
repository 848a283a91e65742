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
    /// How often opus looks whether it has ended.
    private static let look = DispatchTimeInterval.milliseconds(50)
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
    /// The running program.
    private let running = Mutex<(process: pid_t?, isOver: Bool)>((nil, false))

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
        running.withLock { $0.isOver = true }
        signal(SIGTERM)
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

    /// Whether the program ends in time. Foundation reports the end only when the programs that it started in the background
    /// have ended too; opus does not wait for those.
    private func isOver(_ process: pid_t, _ ended: DispatchSemaphore) -> Bool {
        let deadline = DispatchTime.now() + Self.patience
        repeat {
            if ended.wait(timeout: .now() + Self.look) == .success { return true }
            var status = siginfo_t()
            let isKnown = waitid(P_PID, id_t(process), &status, WEXITED | WNOHANG | WNOWAIT) == 0
            if isKnown, status.si_signo == SIGCHLD {
                running.withLock { $0.process = nil }
                return true
            }
        } while .now() < deadline
        return false
    }

    private func run(_ program: String, _ arguments: [String], input: [UInt8]) {
        guard let file = executable(program) else { return }
        let process = Process()
        process.executableURL = URL(filePath: file)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { [self] _ in
            running.withLock { $0.process = nil }
            ended.signal()
        }
        let isStarted = running.withLock { running in
            guard !running.isOver, (try? process.run()) != nil else { return false }
            running.process = process.processIdentifier
            return true
        }
        guard isStarted else { return }
        // It fits into the pipe, even if the program does not read it.
        try? pipe.fileHandleForWriting.write(contentsOf: Data(input))
        try? pipe.fileHandleForWriting.close()
        guard !isOver(process.processIdentifier, ended) else { return }
        signal(SIGTERM)
        guard ended.wait(timeout: .now() + .seconds(1)) == .timedOut else { return }
        signal(SIGKILL)
        _ = ended.wait(timeout: .now() + .seconds(1))
    }

    /// Signals the running program and its child processes.
    private func signal(_ number: Int32) {
        running.withLock { running in
            guard let process = running.process, process > 1 else { return }
            if getpgid(process) == process { kill(-process, number) } else { kill(process, number) }
        }
    }

    private func executable(_ program: String) -> String? {
        if program.contains("/") { return program }
        return path.split(separator: ":").map { "\($0)/\(program)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}
