import Executor
import Logging
import SMTPClient

/// Submits one message a session through the account's `smtp:` server.
struct SMTPSubmitter: MailSubmitter {
    let logger: Logger
    /// Asked for each session: the password comes from a command.
    let configuration: @Sendable () async throws -> SMTPConfiguration

    func submit(
        _ message: [UInt8], reversePath: String, forwardPaths: [String],
        beforeFinalDot: @Sendable () async throws -> Void
    ) async throws(SubmissionError) -> String {
        let settings: SMTPConfiguration
        do {
            settings = try await configuration()
        } catch {
            throw .notSent("\(error)")
        }
        do throws(SMTPClientError) {
            let client = try await SMTPClient.connect(settings, logger: logger)
            let submission = try await client.submit(
                reversePath: reversePath, forwardPaths: forwardPaths, message: message, beforeFinalDot: beforeFinalDot)
            await client.quit()
            return submission.reply.text
        } catch {
            if error.isUnknown { throw .unknown("\(error)") }
            throw error.isTransient ? .notSent("\(error)") : .rejected("\(error)")
        }
    }
}
