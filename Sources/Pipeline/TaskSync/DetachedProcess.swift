import Foundation
import Glibc

/// Starts a process that outlives the current one, in a separate session without a terminal.
enum DetachedProcess {
    /// Does nothing if the process cannot be started.
    static func start(_ words: [String]) {
        guard let program = words.first else { return }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else {
            return
        }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        let newSession: Int16 = 0x80
        posix_spawnattr_setflags(&attributes, newSession)
        var arguments = words.map { strdup($0) }
        var environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") }
        defer { for text in arguments + environment { free(text) } }
        arguments.append(nil)
        environment.append(nil)
        var process = pid_t()
        _ = posix_spawn(&process, program, &actions, &attributes, &arguments, &environment)
    }
}
