import Accounts
import Glibc
import Models

/// A local program that reads a file on its standard input and prints its text, such as `pdftotext - -`.
///
/// The file is not trusted, so the program may crash, hang or print without end. It gets no shell, no
/// environment of opus and no file name. `prlimit` (util-linux) limits its memory, its CPU time and its
/// output before it starts. After ``Limits/seconds``, opus ends it together with all its child processes.
struct TextProgram: Sendable {
    struct Limits: Sendable {
        var seconds = 20
        /// In bytes.
        var memory = 1 << 30
        /// In bytes; further output is ignored.
        var output = 1 << 20
    }

    enum Failure: Error, Equatable {
        /// What is missing: a program, or space for a temporary file.
        case cannotStart(String)
        case tooSlow
        /// The exit code; a signal is 128 plus its number, as in a shell.
        case ended(Int)
    }

    let program: String
    let arguments: [String]
    /// A folder for unnamed temporary files.
    let scratch: String
    var limits = Limits()

    /// nil: the program or prlimit was not found.
    init?(_ name: String, _ arguments: [String], scratch: String) {
        guard let path = Self.find(name), Self.canBeLimited else { return nil }
        program = path
        self.arguments = arguments
        self.scratch = scratch
    }

    /// Whether prlimit was found, which limits every program.
    static var canBeLimited: Bool { find(limiter) != nil }

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
        // The program was ended at its output limit: its output up to there is used.
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

    // MARK: Process

    private static let environment = [
        "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/nonexistent",
    ]

    /// The status of the program; nil: it did not end in time, or opus is ending. Its child processes are
    /// ended with it.
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
