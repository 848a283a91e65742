import Foundation
import Glibc
import Logging
import Models
import Pipeline
import Synchronization

/// The file of `--trace`: only its owner can read it, and its size is limited.
final class TraceFile: Sendable {
    static let maximumBytes = 8 << 20

    private let descriptor: Int32
    private let written = Mutex(0)

    private init(descriptor: Int32) { self.descriptor = descriptor }

    private static let opened = Mutex<[String: TraceFile]>([:])

    /// Clears the file when it is first opened; later sessions of the same command append to it.
    static func open(_ path: String) throws -> TraceFile {
        try opened.withLock { files in
            if let file = files[path] { return file }
            let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw failure(path, String(cString: strerror(errno))) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0
            else {
                close(descriptor)
                throw failure(path, "not a regular file that you own")
            }
            let file = TraceFile(descriptor: descriptor)
            files[path] = file
            return file
        }
    }

    private static func failure(_ path: String, _ reason: String) -> Problem {
        Problem(
            "trace-file", exit: .cannotCreate, message: "cannot write \(path): \(reason)",
            next: ["--trace FILE in your own folder"])
    }

    /// Writes a line. At the size limit, the last line reports that opus left out the rest.
    func write(_ line: String) {
        written.withLock { count in
            guard count < Self.maximumBytes else { return }
            var bytes = Array((line + "\n").utf8)
            if count + bytes.count > Self.maximumBytes {
                bytes = Array("the trace ends here: its limit is \(Self.maximumBytes >> 20) MB\n".utf8)
                count = Self.maximumBytes
            } else {
                count += bytes.count
            }
            _ = Glibc.write(descriptor, bytes, bytes.count)
        }
    }
}

/// Log lines in a ``TraceFile``, with the time of each.
struct TraceLog: LogHandler {
    let file: TraceFile
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(file: TraceFile) { self.file = file }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let words = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var now = timeval()
        gettimeofday(&now, nil)
        let time = Date(timeIntervalSince1970: TimeInterval(now.tv_sec)).formatted(.iso8601)
        let line = (["\(time)", "\(event.message)"] + words).joined(separator: " ")
        file.write(TerminalText.line(line))
    }
}
