public import Logging
public import SMTPClient
import SMTPProtocol

/// Submits one message a session through the account's `smtp:` server.
public struct SMTPSubmitter: MailSubmitter {
    private let logger: Logger
    private let configuration: @Sendable () async throws -> SMTPConfiguration

    /// The configuration is asked for with each session: the password comes from a command.
    public init(logger: Logger, configuration: @escaping @Sendable () async throws -> SMTPConfiguration) {
        self.logger = logger
        self.configuration = configuration
    }

    public func submit(
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
                reversePath: reversePath, forwardPaths: forwardPaths, message: message,
                beforeFinalDot: beforeFinalDot)
            await client.quit()
            return submission.reply.text
        } catch {
            if error.isUnknown { throw .unknown("\(error)") }
            throw error.isTransient ? .notSent("\(error)") : .rejected("\(error)")
        }
    }
}
