import CLinux
import Glibc

/// Starts local programs: without a shell, in their own process group, with files as standard streams.
enum ChildProcess {
    /// Standard streams: open files; nil: `/dev/null`.
    struct Streams {
        var input: Int32?
        var output: Int32?
        var errors: Int32?
    }

    /// Starts a program without waiting for it.
    ///
    /// - Parameters:
    ///   - words: The path of the program and its arguments.
    ///   - streams: The standard streams of the program.
    ///   - environment: `NAME=value`; nil: that of opus.
    ///   - folder: The folder in which it runs; nil: that of opus.
    ///   - isApart: Whether it gets a session of its own, without a terminal, and outlives opus.
    /// - Returns: The id of the process.
    /// - Throws: ``SystemError`` if the program could not be started.
    static func start(
        _ words: [String], _ streams: Streams, environment: [String]? = nil, folder: String? = nil,
        isApart: Bool = false
    ) throws(SystemError) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // opus ignores some signals, and a child process would inherit this.
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // This thread blocks most signals, and a child process would inherit this: it would not receive
        // SIGALRM.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        // Ctrl-C should reach opus, not the program.
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = isApart ? Self.newSession : Int16(POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | group)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let folder { opus_spawn_in_folder(&actions, folder) }
        for (stream, number) in [
            (streams.input, STDIN_FILENO), (streams.output, STDOUT_FILENO), (streams.errors, STDERR_FILENO),
        ] {
            if let stream {
                posix_spawn_file_actions_adddup2(&actions, stream, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { $0.map { strdup($0) } + [nil] }
        defer { for pointer in arguments + (variables ?? []) { free(pointer) } }
        var process = pid_t()
        let failure =
            if let variables {
                posix_spawn(&process, words[0], &actions, &attributes, arguments, variables)
            } else {
                posix_spawn(&process, words[0], &actions, &attributes, arguments, environ)
            }
        guard failure == 0 else { throw SystemError(failure) }
        return process
    }

    /// `POSIX_SPAWN_SETSID`, which Glibc's module does not have.
    private static let newSession: Int16 = 0x80

    /// The ends of a new pipe. Child processes do not inherit them.
    static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var (reading, writing): (Int32, Int32) = (-1, -1)
        let failure = opus_pipe(&reading, &writing)
        guard failure == 0 else { throw SystemError(failure) }
        return (reading, writing)
    }

    /// An open file with these bytes in the folder, whose name was already removed. Child processes do not
    /// inherit it.
    static func namelessFile(_ bytes: [UInt8], in folder: String) throws(SystemError) -> Int32 {
        var template = Array((folder + "/stream-XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SystemError(errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = SystemError(errno)
                close(descriptor)
                throw error
            }
            offset += count
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }
}

/// An error number of the system, with its text.
struct SystemError: Error, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    var description: String { String(cString: strerror(number)) }
}
