/// Why a session or a message failed. Only ``unknownAfterDot(reason:)`` leaves open whether the message was sent; all
/// other failures are before the final dot.
public enum SubmissionFailure: Error, Equatable, Sendable {
    // Before or during the login.
    case greetingRefused(Reply)
    case noTLSOffered
    case startTLSRefused(Reply)
    case loginNeedsEncryption
    case noLoginMechanism(offered: [String])
    case loginRefused(Reply)
    case invalidLogin(reason: String)
    case invalidHeloName(String)

    // Before the transfer of a message.
    case invalidAddress(String, reason: String)
    case noRecipients
    case tooManyRecipients(actual: Int, maximum: Int)
    case messageTooLarge(actual: Int, maximum: Int)
    /// The message has 8-bit bytes, and the server does not offer 8BITMIME. RFC 6152.
    case needs8BitMIME
    /// An address or header field is not ASCII, and the server does not offer SMTPUTF8. RFC 6531.
    case needsSMTPUTF8

    // During the transfer.
    case recipientsRefused([RecipientReply])
    case transient(Reply)
    case permanent(Reply)
    case unexpectedReply(Reply, to: String)
    /// The connection was lost before the final dot: nothing was sent.
    case lost
    /// The dot was sent, and it is unknown what the server did with the message.
    case unknownAfterDot(reason: String)

    /// The caller made a request that is not allowed in this state.
    case wrongState(String)

    /// Whether the same message may succeed later without a change.
    public var isTransient: Bool {
        switch self {
        case .greetingRefused(let reply), .startTLSRefused(let reply), .transient(let reply),
            .permanent(let reply):
            reply.isTransient
        case .recipientsRefused(let refused): refused.allSatisfy { $0.reply.isTransient }
        case .unexpectedReply, .lost, .wrongState: true
        case .noTLSOffered, .loginNeedsEncryption, .noLoginMechanism, .loginRefused, .invalidLogin,
            .invalidHeloName, .invalidAddress, .noRecipients, .tooManyRecipients, .messageTooLarge,
            .needs8BitMIME, .needsSMTPUTF8, .unknownAfterDot:
            false
        }
    }

    /// The failure for an unsuccessful reply, by its class.
    static func refusal(_ reply: Reply, to command: String) -> SubmissionFailure {
        if reply.isTransient { return .transient(reply) }
        if reply.isPermanent { return .permanent(reply) }
        return .unexpectedReply(reply, to: command)
    }
}
