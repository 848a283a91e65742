import Foundation
import Glibc
import Models
import Pipeline

/// Opens a file in the user's editor, in the foreground of the terminal.
struct Editor {
    let command: String

    /// `$VISUAL`, otherwise `$EDITOR`, otherwise the first common editor that is installed.
    init(environment: [String: String]) {
        let named = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
        let usual = ["sensible-editor", "editor", "nano", "vim", "vi"]
        command =
            named
            ?? usual.first { name in folders.contains { access($0 + "/" + name, X_OK) == 0 } } ?? "vi"
    }

    /// How an editor ended.
    enum Ending: Equatable {
        case done
        case failed(String)
    }

    /// Waits for the editor. `Foundation.Process` would start it in its own process group, which cannot read from the
    /// terminal.
    func edit(_ path: String) throws -> Ending {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // opus ignores these signals, and the editor would inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGPIPE, SIGQUIT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        // The path is a separate argument, so that the shell does not interpret it.
        let words = ["/bin/sh", "-c", command + " \"$1\"", "sh", path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for pointer in arguments { free(pointer) } }
        var process = pid_t()
        let failure = posix_spawn(&process, "/bin/sh", nil, &attributes, arguments, environ)
        guard failure == 0 else {
            throw Problem(
                "no-editor", exit: .configuration,
                message: "cannot start \(command): \(String(cString: strerror(failure)))",
                next: ["set $EDITOR", "--body FILE writes without an editor"])
        }
        let status = Interruptible.wait(for: process)
        let signal = status & 0x7F
        if signal != 0 { return .failed("\(command) was ended by signal \(signal)") }
        let code = (status >> 8) & 0xFF
        return code == 0 ? .done : .failed("\(command) ended with code \(code)")
    }
}
