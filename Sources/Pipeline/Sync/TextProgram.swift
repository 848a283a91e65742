import Accounts
import Glibc
import Models

/// A program of this machine that reads a file on its standard input and prints its text, as `pdftotext - -` does.
///
/// The file is a stranger's, so the program may crash, hang or print without end. It gets no shell, no environment of opus
/// and no name of a file; `prlimit` (util-linux) limits its memory, its processor time and what it writes before it
/// begins, and after ``Limits/seconds`` it is ended with everything that it started.
struct TextProgram: Sendable {
    struct Limits: Sendable {
        var seconds = 20
        /// Bytes.
        var memory = 1 << 30
        /// Bytes; what a program prints beyond them is left out.
        var output = 1 << 20
    }

    enum Failure: Error, Equatable {
        /// What is missing.
        case cannotStart(String)
        case tooSlow
        /// The exit code; a signal counts as 128 and its number, as in a shell.
        case ended(Int)
    }

    let program: String
    let arguments: [String]
    /// A folder for files without a name.
    let scratch: String
    var limits = Limits()

    /// nil: the program was not found, or prlimit was not.
    init?(_ name: String, _ arguments: [String], scratch: String) {
        guard let path = Self.find(name), Self.find(Self.limiter) != nil else { return nil }
        program = path
        self.arguments = arguments
        self.scratch = scratch
    }

    private static let limiter = "prlimit"

    private static func find(_ name: String) -> String? {
        Sendmail(command: [name], place: SourcePlace(file: "", line: 0)).program
    }

    func text(of bytes: [UInt8]) async throws(Failure) -> String {
        guard let limiter = Self.find(Self.limiter) else { throw .cannotStart(Self.limiter) }
        guard let input = try? ChildProcess.namelessFile(bytes, in: scratch) else {
            throw .cannotStart("room for the file")
        }
        defer { close(input) }
        guard let output = try? ChildProcess.namelessFile([], in: scratch) else {
            throw .cannotStart("room for the text")
        }
        defer { close(output) }
        let words =
            [
                limiter, "--as=\(limits.memory)", "--cpu=\(limits.seconds)", "--fsize=\(limits.output)",
                "--core=0", "--", program,
            ] + arguments
        let streams = ChildProcess.Streams(input: input, output: output)
        guard let process = try? ChildProcess.start(words, streams, environment: Self.environment) else {
            throw .cannotStart(program)
        }
        let status = await end(of: process)
        guard let status else { throw .tooSlow }
        let signal = status & 0x7F
        let printed = read(output)
        // It printed as much as it may: that much counts.
        if signal == SIGXFSZ || printed.count >= limits.output { return Self.string(printed) }
        let code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        guard code == 0 else { throw .ended(Int(code)) }
        return Self.string(printed)
    }

    private static func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func read(_ descriptor: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limits.output)
        var length = 0
        while length < buffer.count {
            let count = buffer[length...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(length))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            length += count
        }
        return Array(buffer.prefix(length))
    }

    // MARK: The process

    private static let environment = [
        "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/nonexistent",
    ]

    /// The status of the program; nil: it did not end in time, or opus ends. What it started is ended with it.
    private func end(of process: pid_t) async -> Int32? {
        let deadline = ContinuousClock.now + .seconds(limits.seconds)
        var pause = Duration.milliseconds(2)
        var status: Int32 = 0
        while ContinuousClock.now < deadline, !Task.isCancelled {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process {
                kill(-process, SIGKILL)
                return status
            }
            if ended < 0, errno != EINTR { return nil }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(100))
        }
        kill(-process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return nil
    }
}
