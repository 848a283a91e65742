import Glibc
import Models

/// Shows a long list in a pager, as git does: `$OPUS_PAGER`, `$PAGER`, or less.
///
/// Only on a terminal. Everything that is printed until ``finish()`` goes to the pager, remarks on standard error too.
enum Pager {
    private struct Running {
        var process: pid_t
        /// Standard output and standard error as they were.
        var output: Int32
        var error: Int32
    }

    /// Commands run on one thread at a time.
    nonisolated(unsafe) private static var running: Running?

    /// The pager's command; nil: there is none, or none is wanted.
    static func command(_ environment: [String: String]) -> String? {
        let named = ["OPUS_PAGER", "PAGER"].lazy.compactMap { environment[$0] }.first
        if let named { return named.isEmpty || named == "cat" ? nil : named }
        guard let terminal = environment["TERM"], terminal != "dumb" else { return nil }
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.contains { access($0 + "/less", X_OK) == 0 } ? "less" : nil
    }

    /// Nothing happens if the pager cannot be started.
    static func start(_ environment: [String: String]) {
        guard running == nil, isatty(STDOUT_FILENO) == 1, let command = command(environment) else { return }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard let process = spawn(command, reading: ends[0], environment) else {
            ends.forEach { close($0) }
            return
        }
        running = Running(
            process: process, output: fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
            error: fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))
        // Ctrl-C is for the pager.
        _ = signal(SIGINT, SIG_IGN)
        dup2(ends[1], STDOUT_FILENO)
        if isatty(STDERR_FILENO) == 1 { dup2(ends[1], STDERR_FILENO) }
        ends.forEach { close($0) }
    }

    /// Waits until the user has left the pager.
    static func finish() {
        guard let pager = running else { return }
        running = nil
        dup2(pager.output, STDOUT_FILENO)
        dup2(pager.error, STDERR_FILENO)
        close(pager.output)
        close(pager.error)
        var status: Int32 = 0
        while waitpid(pager.process, &status, 0) < 0, errno == EINTR {}
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
