public import Logging
import MIMEParser
public import Models
public import SMTPClient
import SMTPProtocol

/// Submits one message per session through the account's `smtp:` server.
public struct SMTPSubmitter: MailSubmitter {
    private let logger: Logger
    private let configuration: @Sendable () async throws -> SMTPConfiguration
    private let renewed: @Sendable (SMTPConfiguration) async -> SMTPConfiguration?
    private let refused: @Sendable (SMTPConfiguration, String) async -> Void

    /// Each session gets a new configuration, because the password comes from a command; it may throw a
    /// ``SubmissionError``. `renewed`: a configuration to use after a refused login; nil: opus has none. `refused` is
    /// called with the configuration whose login was refused in the end, and the reason.
    public init(
        logger: Logger, configuration: @escaping @Sendable () async throws -> SMTPConfiguration,
        renewed: @escaping @Sendable (SMTPConfiguration) async -> SMTPConfiguration? = { _ in nil },
        refused: @escaping @Sendable (SMTPConfiguration, String) async -> Void = { _, _ in }
    ) {
        self.logger = logger
        self.configuration = configuration
        self.renewed = renewed
        self.refused = refused
    }

    private func connect(_ settings: SMTPConfiguration) async throws(SMTPClientError) -> SMTPConnection {
        do {
            return try await SMTPConnection.connect(settings, logger: logger)
        } catch {
            guard case .submission(.loginRefused) = error else { throw error }
            guard let other = await renewed(settings) else {
                await refused(settings, Self.reason(error))
                throw error
            }
            do {
                return try await SMTPConnection.connect(other, logger: logger)
            } catch {
                if case .submission(.loginRefused) = error { await refused(other, Self.reason(error)) }
                throw error
            }
        }
    }

    public func submit(
        _ message: [UInt8], reversePath: String, forwardPaths: [String], token: MessageID,
        beforeFinalDot: @Sendable () async throws -> Void, accepted: @Sendable (String) async throws -> Void
    ) async throws(SubmissionError) -> String {
        let settings: SMTPConfiguration
        do {
            settings = try await configuration()
        } catch let known as SubmissionError {
            throw known
        } catch {
            throw .unreachable("\(error)")
        }
        let client: SMTPConnection
        let words: String
        do throws(SMTPClientError) {
            client = try await connect(settings)
            // The server could not pass on a draft of another program with 8-bit text.
            let fitting = await client.accepts8BitBytes ? message : SevenBitMessage.converted(message)
            words = try await client.submit(
                reversePath: reversePath, forwardPaths: forwardPaths, message: fitting ?? message,
                envelopeID: token.rawValue, beforeFinalDot: beforeFinalDot
            ).reply.text
        } catch {
            throw Self.translated(error)
        }
        do {
            try await accepted(words)
        } catch {
            throw .unknown("sent, but the journal could not be written: \(error)")
        }
        await client.quit()
        return words
    }

    private static func reason(_ error: SMTPClientError) -> String {
        if case .submission(let failure) = error { failure.wording } else { "\(error)" }
    }

    /// A failure that would affect other messages too is not a failure of this message.
    private static func translated(_ error: SMTPClientError) -> SubmissionError {
        switch error {
        case .transport: .unreachable("\(error)")
        case .submission(let failure): translated(failure)
        case .notAllowed: .rejected("\(error)")
        case .protocolViolation, .stoppedBeforeDot, .notReady: .notSent("\(error)")
        }
    }

    private static func translated(_ failure: SubmissionFailure) -> SubmissionError {
        switch failure {
        case .unknownAfterDot: .unknown(failure.wording)
        case .loginRefused: .loginRefused(failure.wording)
        case .greetingRefused, .noTLSOffered, .startTLSRefused, .loginNeedsEncryption, .noLoginMechanism,
            .invalidLogin, .invalidHeloName:
            .unreachable(failure.wording)
        case .recipientsRefused(let refused) where !failure.isTransient:
            .recipientsRefused(
                Dictionary(
                    refused.map { ($0.address, "\($0.reply.code) \($0.reply.text)") },
                    uniquingKeysWith: { _, last in last }), reason: failure.wording)
        case .invalidAddress, .noRecipients, .tooManyRecipients, .messageTooLarge, .needs8BitMIME,
            .needsSMTPUTF8, .recipientsRefused, .transient, .permanent, .unexpectedReply, .lost, .wrongState:
            failure.isTransient ? .notSent(failure.wording) : .rejected(failure.wording)
        }
    }
}
