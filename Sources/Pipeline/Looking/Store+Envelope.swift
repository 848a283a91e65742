import MIMEParser
import MailStore
import Models

extension Store {
    /// The fields of a message's header that name people and other messages; empty if the store does not have it.
    func envelope(of message: EmailID) throws -> Envelope {
        HeaderBlock.envelope(of: try messages.detail(of: message)?.headerBlock ?? [])
    }

    /// The messages that this one names in `In-Reply-To` and `References`.
    func names(in message: EmailID) throws -> Set<MessageID> {
        let envelope = try envelope(of: message)
        return Set(envelope.inReplyTo + envelope.references)
    }
}
