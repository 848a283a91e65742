import Accounts
import Executor
import Foundation
import Glibc
import Models

/// Sends through a program of this machine, as `sendmail -i -f SENDER -- RECIPIENT…` does.
///
/// The program gets the whole message as a file on its standard input: a pipe that breaks because opus was killed would
/// look like the end of a shorter mail.
struct SendmailSubmitter: MailSubmitter {
    let command: Sendmail
    /// A folder for the file.
    let scratch: String
    /// What the account lets opus do.
    var permissions: Permissions = .full
    /// As long as the answer to the final dot of SMTP may take. RFC 5321 §4.5.3.2.6.
    var patience = Duration.seconds(600)

    func submit(
        _ message: [UInt8], reversePath: String, forwardPaths: [String], token: MessageID,
        beforeFinalDot: @Sendable () async throws -> Void, accepted: @Sendable (String) async throws -> Void
    ) async throws(SubmissionError) -> String {
        guard permissions.allows(.send) else {
            throw .rejected(
                "nothing was sent: allow: \(permissions.name) in opus.yaml does not let opus send mail")
        }
        guard let program = command.program else {
            throw .unreachable("program \(command.command.first ?? "") not found (\(command.place))")
        }
        let input: Int32
        let errors: Int32
        do {
            input = try file(Self.withPlainLineEnds(message))
            errors = try file([])
        } catch {
            throw .notSent("the message cannot be written for \(program): \(error)")
        }
        defer {
            close(input)
            close(errors)
        }
        do {
            try await beforeFinalDot()
        } catch {
            throw .notSent("nothing was sent: \(error)")
        }
        let sender = reversePath.isEmpty ? "<>" : reversePath
        let words =
            [program] + command.command.dropFirst() + ["-i", "-f", sender, "--"] + forwardPaths
        let process: pid_t
        switch start(words, input: input, errors: errors) {
        case .success(let started): process = started
        case .failure(let error): throw .unreachable("\(program) cannot be started: \(error)")
        }
        let status = await end(of: process)
        let answer = try verdict(status, program, Self.words(in: errors))
        do {
            try await accepted(answer)
        } catch {
            throw .unknown("sent, but the journal could not be written: \(error)")
        }
        return answer
    }

    // MARK: The files

    /// An open file with these bytes that no longer has a name.
    private func file(_ bytes: [UInt8]) throws -> Int32 {
        var template = Array((scratch + "/sending-XXXXXX").utf8CString)
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

    /// Programs of this machine end lines as the machine does.
    private static func withPlainLineEnds(_ message: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(message.count)
        for (index, byte) in message.enumerated() {
            let endsLine = index + 1 < message.count && message[index + 1] == UInt8(ascii: "\n")
            if byte == UInt8(ascii: "\r"), endsLine { continue }
            output.append(byte)
        }
        return output
    }

    /// The beginning of what the program complained about, on one line.
    private static func words(in descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 500)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    // MARK: The program

    private func start(
        _ words: [String], input: Int32, errors: Int32
    ) -> Result<pid_t, SystemError> {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // opus ignores these signals, and a child process would inherit that. A Ctrl-C is for opus, not for the mail.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGPIPE, SIGQUIT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // This thread blocks most signals, and a child process would inherit that: its alarms would never ring.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETPGROUP))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for pointer in arguments { free(pointer) } }
        var process = pid_t()
        let failure = posix_spawn(&process, words[0], &actions, &attributes, arguments, environ)
        return failure == 0 ? .success(process) : .failure(SystemError(failure))
    }

    /// The status of the program; nil: it did not end in time, and was ended.
    private func end(of process: pid_t) async -> Int32? {
        let deadline = ContinuousClock.now + patience
        var pause = Duration.milliseconds(5)
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { return status }
            if ended < 0, errno != EINTR { return nil }
            guard ContinuousClock.now < deadline else { break }
            // Not ended by a Ctrl-C: opus would not know whether the mail was sent.
            let wait = pause
            await Task.detached { try? await Task.sleep(for: wait) }.value
            pause = min(pause * 2, .milliseconds(200))
        }
        kill(process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return nil
    }

    /// What the exit code says, after `sysexits.h`.
    private func verdict(
        _ status: Int32?, _ program: String, _ words: String
    ) throws(SubmissionError) -> String {
        guard let status else { throw .unknown("\(program) did not end") }
        let signal = status & 0x7F
        guard signal == 0 else { throw .unknown("\(program) was ended by signal \(signal)") }
        let code = (status >> 8) & 0xFF
        let reason = "\(program) ended with code \(code)" + (words.isEmpty ? "" : ": \(words)")
        switch code {
        case 0: return "accepted by \(program)"
        // EX_UNAVAILABLE, EX_SOFTWARE, EX_OSERR, EX_OSFILE, EX_CANTCREAT, EX_IOERR, EX_TEMPFAIL, EX_PROTOCOL
        case 69...76: throw .notSent(reason)
        // EX_NOPERM, EX_CONFIG, and what a shell says of a program that it cannot run.
        case 77, 78, 126, 127: throw .unreachable(reason)
        case _: throw .rejected(reason)
        }
    }
}

/// A number of the system, in its words.
private struct SystemError: Error, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    var description: String { String(cString: strerror(number)) }
}
