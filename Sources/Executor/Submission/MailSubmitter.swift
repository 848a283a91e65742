public import Models

/// Submits messages for sending.
public protocol MailSubmitter: Sendable {
    /// Submits one message. `beforeFinalDot` is awaited when nothing but the final dot is left to be sent, `accepted` as
    /// soon as the server has taken it, with its words: before any goodbye, which may take its time.
    ///
    /// `token` is the message's own Message-ID, by which the server's reports can name it.
    func submit(
        _ message: [UInt8], reversePath: String, forwardPaths: [String], token: MessageID,
        beforeFinalDot: @Sendable () async throws -> Void, accepted: @Sendable (String) async throws -> Void
    ) async throws(SubmissionError) -> String
}

public enum SubmissionError: Error, Equatable, Sendable {
    /// Nothing was accepted: it may be tried again.
    case notSent(String)
    /// The server was not reached, or cannot be used with these settings: no other message would fare better now.
    case unreachable(String)
    /// The login was refused: nothing more is tried before a person changes something.
    case loginRefused(String)
    /// Refused for good, in the server's words.
    case rejected(String)
    /// Recipients were refused for good, so the message was not sent: the server's words by address.
    case recipientsRefused([String: String], reason: String)
    /// The final dot left, its answer did not come: never sent again by itself.
    case unknown(String)
}
