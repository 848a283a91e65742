import Foundation
import Glibc
import Synchronization

/// Runs another program with limits on time and output. It has no terminal, so it never waits for the user.
struct ProgramRun: Sendable {
    /// A program and its arguments. Without a slash, it is searched for in `PATH`.
    var words: [String]
    var folder: String
    var environment: [String: String]
    /// The standard input, at most 4096 bytes.
    var input = ""
    var limit: Duration

    enum Result: Sendable {
        /// Both outputs together; if long, only the beginning and the end.
        case ended(status: Int32, output: String)
        case missing
        case timedOut
    }

    private static let mostOutput = 64 << 10
    /// The time between SIGTERM and SIGKILL.
    private static let grace = DispatchTimeInterval.seconds(2)

    /// The path of an executable program; nil: not found.
    static func path(of program: String, _ environment: [String: String]) -> String? {
        let manager = FileManager.default
        if program.contains("/") { return manager.isExecutableFile(atPath: program) ? program : nil }
        return (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(program)" }
            .first { manager.isExecutableFile(atPath: $0) }
    }

    /// Ends the program if the task is cancelled.
    func run() async -> Result {
        guard let program = words.first, let file = Self.path(of: program, environment) else {
            return .missing
        }
        let running = Running()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: start(file, running)) }
            }
        } onCancel: {
            running.end()
        }
    }

    private func start(_ file: String, _ running: Running) -> Result {
        let process = Process()
        process.executableURL = URL(filePath: file)
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = environment
        let (written, read) = (Pipe(), Pipe())
        process.standardInput = written
        process.standardOutput = read
        process.standardError = read
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        let (output, isRead) = (Collected(limit: Self.mostOutput), DispatchSemaphore(value: 0))
        guard (try? process.run()) != nil else { return .missing }
        running.begin(process.processIdentifier)
        // On a thread of its own: a shared queue may be full of other waits, and the output would be missing.
        Thread.detachNewThread {
            while let data = try? read.fileHandleForReading.read(upToCount: 4096), !data.isEmpty {
                output.add(data)
            }
            isRead.signal()
        }
        // A program that does not read its input leaves it in the pipe.
        try? written.fileHandleForWriting.write(contentsOf: Data(input.utf8.prefix(4096)))
        try? written.fileHandleForWriting.close()
        var isLate = false
        if ended.wait(timeout: .now() + .milliseconds(Int(limit.components.seconds) * 1_000)) == .timedOut {
            isLate = true
            running.signal(SIGTERM)
            if ended.wait(timeout: .now() + Self.grace) == .timedOut {
                running.signal(SIGKILL)
                ended.wait()
            }
        }
        running.over()
        // A child of the program may keep the pipe open; opus does not wait for it.
        _ = isRead.wait(timeout: .now() + .milliseconds(500))
        if isLate { return .timedOut }
        return .ended(status: process.terminationStatus, output: output.text)
    }

    /// The running process, which can be ended from another thread.
    private final class Running: Sendable {
        private let state = Mutex<(process: pid_t?, isCancelled: Bool)>((nil, false))

        func begin(_ process: pid_t) {
            let isCancelled = state.withLock { state in
                state.process = process
                return state.isCancelled
            }
            if isCancelled { signal(SIGTERM) }
        }

        func over() { state.withLock { $0.process = nil } }

        func end() {
            state.withLock { $0.isCancelled = true }
            signal(SIGTERM)
        }

        /// Also signals its child processes if it leads a process group.
        func signal(_ number: Int32) {
            state.withLock { state in
                guard let process = state.process, process > 1 else { return }
                if getpgid(process) == process { kill(-process, number) } else { kill(process, number) }
            }
        }
    }

    /// Collects the beginning and the end of a program's output.
    private final class Collected: Sendable {
        private let limit: Int
        private let bytes = Mutex(Data())

        init(limit: Int) { self.limit = limit }

        func add(_ data: Data) {
            bytes.withLock { bytes in
                bytes.append(data)
                if bytes.count > limit { bytes.removeSubrange(limit / 2..<bytes.count - limit / 2) }
            }
        }

        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
    }
}
