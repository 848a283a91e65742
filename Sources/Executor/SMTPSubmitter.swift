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
            throw .unreachable("\(error)")
        }
        do throws(SMTPClientError) {
            let client = try await SMTPClient.connect(settings, logger: logger)
            let submission = try await client.submit(
                reversePath: reversePath, forwardPaths: forwardPaths, message: message,
                beforeFinalDot: beforeFinalDot)
            await client.quit()
            return submission.reply.text
        } catch {
            throw Self.translated(error)
        }
    }

    /// What no other message would fare better with is not the message's fault.
    private static func translated(_ error: SMTPClientError) -> SubmissionError {
        switch error {
        case .unknownAfterDot: .unknown("\(error)")
        case .loginRefused: .loginRefused("\(error)")
        case .transport, .greetingRefused, .noTLSOffered, .startTLSRefused, .loginNeedsEncryption,
            .noLoginMechanism, .invalidLogin, .invalidHeloName:
            .unreachable("\(error)")
        case .invalidAddress, .noRecipients, .tooManyRecipients, .messageTooLarge, .needs8BitMIME,
            .needsSMTPUTF8, .recipientRefused, .transient, .permanent, .protocolViolation, .stoppedBeforeDot,
            .notReady:
            error.isTransient ? .notSent("\(error)") : .rejected("\(error)")
        }
    }
}
