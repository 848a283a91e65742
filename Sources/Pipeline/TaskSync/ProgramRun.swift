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
        let running = RunningProgram()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: start(file, running)) }
            }
        } onCancel: {
            running.end()
        }
    }

    private func start(_ file: String, _ running: RunningProgram) -> Result {
        guard let written = try? ChildProcess.pipe() else { return .missing }
        guard let answered = try? ChildProcess.pipe() else {
            for end in [written.reading, written.writing] { close(end) }
            return .missing
        }
        let isStarted = running.start(
            [URL(filePath: file).path] + words.dropFirst(),
            .init(input: written.reading, output: answered.writing, errors: answered.writing),
            environment: environment.map { "\($0)=\($1)" }, folder: folder)
        close(written.reading)
        close(answered.writing)
        let (output, isRead) = (Collected(limit: Self.mostOutput), DispatchSemaphore(value: 0))
        let reader = FileHandle(fileDescriptor: answered.reading, closeOnDealloc: true)
        let writer = FileHandle(fileDescriptor: written.writing, closeOnDealloc: true)
        guard isStarted else { return .missing }
        // On a thread of its own: a shared queue may be full of other waits, and the output would be missing.
        Thread.detachNewThread {
            // Not with FileHandle, which would wait for 4096 bytes or the end.
            var piece = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(reader.fileDescriptor, &piece, piece.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                output.add(Data(piece.prefix(count)))
            }
            isRead.signal()
        }
        // A program that does not read its input leaves it in the pipe.
        try? writer.write(contentsOf: Data(input.utf8.prefix(4096)))
        try? writer.close()
        let status = running.wait(.milliseconds(Int(limit.components.seconds) * 1_000))
        // A child of the program may keep the pipe open; opus does not wait for it.
        _ = isRead.wait(timeout: .now() + .milliseconds(500))
        return status.map { .ended(status: $0, output: output.text) } ?? .timedOut
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
