import Accounts
import Executor
import Foundation
import Glibc
import Models

/// Sends mail with a local program, as in `sendmail -i -f SENDER -- RECIPIENT…`.
///
/// The program gets the whole message as a file on its standard input: if opus were killed, a broken pipe
/// would look like the end of a shorter mail.
struct SendmailSubmitter: MailSubmitter {
    let command: Sendmail
    /// The folder for that file.
    let scratch: String
    /// The permissions of the account.
    var permissions: Permissions = .full
    /// The time that the reply to the final dot of SMTP may take. RFC 5321 §4.5.3.2.6.
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
            input = try ChildProcess.namelessFile(Self.withPlainLineEnds(message), in: scratch)
            errors = try ChildProcess.namelessFile([], in: scratch)
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
        do {
            process = try ChildProcess.start(words, .init(input: input, errors: errors))
        } catch {
            throw .unreachable("\(program) cannot be started: \(error)")
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

    // MARK: Files

    /// Local programs expect the line ends of the system.
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

    /// The beginning of the program's error output, on one line.
    private static func words(in descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 500)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    // MARK: Program

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
            // Not interrupted by Ctrl-C: otherwise opus would not know whether the mail was sent.
            let wait = pause
            await Task.detached { try? await Task.sleep(for: wait) }.value
            pause = min(pause * 2, .milliseconds(200))
        }
        kill(process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return nil
    }

    /// The result according to the exit code, as in `sysexits.h`.
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
        // EX_NOPERM, EX_CONFIG, and the codes of a shell for a program that cannot be run.
        case 77, 78, 126, 127: throw .unreachable(reason)
        case _: throw .rejected(reason)
        }
    }
}
