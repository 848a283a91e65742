import Accounts
import Foundation
import Models
import Synchronization

/// Passes news to a program and to the desktop, one after the other, as configured. The watch never waits for
/// them, and their failures have no effect on it.
public final class WatchTelling: Sendable {
    /// The time limit of a program.
    private static let patience = DispatchTimeInterval.seconds(10)
    /// The maximum number of waiting news; further ones are left out.
    private static let mostWaiting = 50

    private let settings: WatchSettings
    private let zone: ZoneClock
    private let clock: SessionClock
    private let path: String
    private let waiting = Mutex(0)
    private let queue = DispatchQueue(label: "opus-watch-hook")

    public init(_ session: Session, path: String) {
        settings = session.workspace.watch
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

    /// Without text of mail, unless the settings include it.
    public func allowed(_ news: WatchNews) -> WatchNews {
        guard !settings.includesText else { return news }
        var news = news
        news.text = []
        return news
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
        let lines = [news.summary] + news.text.prefix(5).map { String($0.prefix(200)) }
        let body = lines.joined(separator: "\n").replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        let title = "opus" + (news.account.map { ": \($0)" } ?? "")
        run("notify-send", ["--app-name=opus", "--", title, body], input: [])
    }

    private func run(_ program: String, _ arguments: [String], input: [UInt8]) {
        guard let file = executable(program) else { return }
        let process = Process()
        process.executableURL = URL(filePath: file)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        guard (try? process.run()) != nil else { return }
        // If the program does not read its input, the part that does not fit into the pipe is lost.
        try? pipe.fileHandleForWriting.write(contentsOf: Data(input.prefix(32 << 10)))
        try? pipe.fileHandleForWriting.close()
        if ended.wait(timeout: .now() + Self.patience) == .timedOut {
            process.terminate()
            if ended.wait(timeout: .now() + .seconds(1)) == .timedOut {
                kill(process.processIdentifier, SIGKILL)
            }
        }
    }

    private func executable(_ program: String) -> String? {
        if program.contains("/") { return program }
        return path.split(separator: ":").map { "\($0)/\(program)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}
