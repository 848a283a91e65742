extension SubmissionFailure {
    /// The failure in words, for people.
    public var wording: String {
        switch self {
        case .greetingRefused(let reply): "the server refused the connection: \(Self.quote(reply))"
        case .noTLSOffered:
            "the server does not offer STARTTLS, so nothing was sent; use port 465 with TLS, or check whether "
                + "something between you and the server removes it"
        case .startTLSRefused(let reply): "the server refused STARTTLS: \(Self.quote(reply))"
        case .loginNeedsEncryption:
            "opus logs in without encryption only to a server on this machine; set security: to tls or starttls"
        case .noLoginMechanism(let offered):
            "the server offers no login by password (it offers: "
                + (offered.isEmpty ? "none" : offered.joined(separator: " ")) + ")"
        case .loginRefused(let reply): "the server refused the login: \(reply.text)"
        case .invalidLogin(let reason): reason
        case .invalidHeloName(let name): "\"\(name)\" cannot follow EHLO; use a host name"
        case .recipientsRefused(let refused):
            "nothing was sent, because the server refused "
                + refused.map { "\($0.address) (\(Self.quote($0.reply)))" }.joined(separator: ", ")
        case .transient(let reply): "the server says to try again later: \(Self.quote(reply))"
        case .permanent(let reply): "the server refused the message: \(Self.quote(reply))"
        case .unexpectedReply(let reply, let command): Self.violation("reply \(reply.code) to \(command)")
        case .lost: Self.violation("the connection broke")
        case .wrongState(let what): Self.violation(what)
        case .unknownAfterDot(let reason):
            "the message may or may not have been sent (\(reason)); check the Sent mailbox before sending it "
                + "again"
        case .invalidAddress, .noRecipients, .tooManyRecipients, .messageTooLarge, .needs8BitMIME,
            .needsSMTPUTF8:
            messageWording
        }
    }

    /// The words for a failure of the message itself.
    private var messageWording: String {
        switch self {
        case .invalidAddress(let address, let reason): "the address \"\(address)\" cannot be used: \(reason)"
        case .noRecipients: "the message has no recipient"
        case .tooManyRecipients(let actual, let maximum):
            "the message has \(actual) recipients; at most \(maximum) can be sent to at once"
        case .messageTooLarge(let actual, let maximum):
            "the message has \(actual) bytes; the server accepts at most \(maximum)"
        case .needs8BitMIME: "the message has 8-bit text, which the server does not accept"
        case .needsSMTPUTF8: "an address or header is not plain ASCII, which the server does not accept"
        case .greetingRefused, .noTLSOffered, .startTLSRefused, .loginNeedsEncryption,
            .noLoginMechanism, .loginRefused, .invalidLogin, .invalidHeloName, .recipientsRefused, .transient,
            .permanent, .unexpectedReply, .lost, .wrongState, .unknownAfterDot:
            ""
        }
    }

    /// The words for a server that violates the protocol before the final dot.
    public static func violation(_ what: String) -> String {
        "nothing was sent, because the server broke the protocol: \(what)"
    }

    private static func quote(_ reply: Reply) -> String { "\(reply.code) \(reply.text)" }
}
