import CLinux
import Glibc
import Models

/// Shows a list in a pager, as git does: `$OPUS_PAGER`, `$PAGER`, or less.
///
/// This happens on a terminal only, and only if the list is longer than the screen. All output until ``finish()`` is
/// kept in memory, including standard error.
enum Pager {
    private struct Kept {
        var text: Int32
        /// The original standard output and standard error.
        var output: Int32
        var error: Int32
        var command: String
        var environment: [String: String]
    }

    /// One command runs at a time, on one thread.
    nonisolated(unsafe) private static var kept: Kept?

    /// The command of the pager; nil: not installed, or turned off.
    static func command(_ environment: [String: String]) -> String? {
        let named = ["OPUS_PAGER", "PAGER"].lazy.compactMap { environment[$0] }.first
        if let named { return named.isEmpty || named == "cat" ? nil : named }
        guard let terminal = environment["TERM"], terminal != "dumb" else { return nil }
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.contains { access($0 + "/less", X_OK) == 0 } ? "less" : nil
    }

    /// Begins to keep what is printed. Nothing happens where no pager is wanted.
    static func start(_ environment: [String: String]) {
        guard kept == nil, isatty(STDOUT_FILENO) == 1, let command = command(environment) else { return }
        let text = opus_memory_file("opus-list")
        guard text >= 0 else { return }
        kept = Kept(
            text: text, output: fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
            error: fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), command: command, environment: environment)
        let hasErrors = isatty(STDERR_FILENO) == 1
        dup2(text, STDOUT_FILENO)
        if hasErrors { dup2(text, STDERR_FILENO) }
    }

    /// Prints what was kept, or waits until the user has left the pager.
    static func finish() {
        guard let kept else { return }
        self.kept = nil
        dup2(kept.output, STDOUT_FILENO)
        dup2(kept.error, STDERR_FILENO)
        close(kept.output)
        close(kept.error)
        defer { close(kept.text) }
        if !fits(kept.text), let status = page(kept), status != missingCommand { return }
        lseek(kept.text, 0, SEEK_SET)
        forEachPiece(of: kept.text) { piece in
            var rest = piece
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                if written < 0, errno != EINTR { return }
                rest = rest.dropFirst(max(0, written))
            }
        }
    }

    /// The exit code of a shell if it does not find the command.
    private static let missingCommand: Int32 = 127

    /// The exit status of the pager; nil: it could not be started.
    private static func page(_ kept: Kept) -> Int32? {
        lseek(kept.text, 0, SEEK_SET)
        guard let process = spawn(kept.command, reading: kept.text, kept.environment) else { return nil }
        // Ctrl-C is for the pager.
        _ = signal(SIGINT, SIG_IGN)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status >> 8 & 0xFF
    }

    /// Whether the terminal has a row for each line, and one for the prompt.
    private static func fits(_ text: Int32) -> Bool {
        let rows = Int(opus_terminal_rows(STDOUT_FILENO))
        guard rows > 0 else { return true }
        var lines = 0
        lseek(text, 0, SEEK_SET)
        forEachPiece(of: text) { piece in lines += piece.count { $0 == 0x0A } }
        return lines < rows
    }

    private static func forEachPiece(of file: Int32, _ body: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            body(buffer[..<count])
        }
    }

    private static func spawn(
        _ command: String, reading input: Int32, _ environment: [String: String]
    ) -> pid_t? {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // opus ignores these signals, and a child process would inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGPIPE, SIGQUIT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
        var settings = environment
        // Quit when it fits on the screen, keep colors, leave the text on the screen.
        settings["LESS"] = environment["LESS"] ?? "FRX"
        settings["LV"] = environment["LV"] ?? "-c"
        let arguments: [String] = ["/bin/sh", "-c", command]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = settings.map { strdup("\($0.key)=\($0.value)") }
        variables.append(nil)
        defer { (words + variables).forEach { free($0) } }
        var process = pid_t()
        return posix_spawn(&process, "/bin/sh", &files, &attributes, &words, &variables) == 0 ? process : nil
    }
}
