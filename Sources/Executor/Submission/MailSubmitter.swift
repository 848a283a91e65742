public import Models

/// Submits messages for sending.
public protocol MailSubmitter: Sendable {
    /// Submits one message. `beforeFinalDot` is awaited when only the final dot remains to be sent.
    /// `accepted` is called with the server's reply as soon as the server has accepted the message: before
    /// QUIT, which may take a while.
    ///
    /// `token` is the Message-ID of the message, by which delivery reports can identify it.
    func submit(
        _ message: [UInt8], reversePath: String, forwardPaths: [String], token: MessageID,
        beforeFinalDot: @Sendable () async throws -> Void, accepted: @Sendable (String) async throws -> Void
    ) async throws(SubmissionError) -> String
}

public enum SubmissionError: Error, Equatable, Sendable {
    /// The server did not accept anything: opus may try again.
    case notSent(String)
    /// The server was not reached, or cannot be used with these settings: other messages would fail now, too.
    case unreachable(String)
    /// The login was refused: opus does not try again until the user changes something.
    case loginRefused(String)
    /// Permanently refused, with the server's reply.
    case rejected(String)
    /// Recipients were permanently refused, so the message was not sent: the server's replies by address.
    case recipientsRefused([String: String], reason: String)
    /// The final dot was sent, but no reply arrived: opus never sends it again automatically.
    case unknown(String)
}
