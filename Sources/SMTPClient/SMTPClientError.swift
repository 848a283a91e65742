public import SMTPProtocol
public import Transport

/// Why a session or a message did not get through.
///
/// Only ``unknownAfterDot(reason:)`` leaves open whether the message was sent; after every other case it
/// was not.
public enum SMTPClientError: Error, Equatable, Sendable {
    case transport(TransportError)
    case greetingRefused(Reply)
    case noTLSOffered
    case startTLSRefused(Reply)
    case loginNeedsEncryption
    case noLoginMechanism(offered: [String])
    /// The server's text. From a stranger.
    case loginRefused(String)
    case invalidLogin(reason: String)
    case invalidHeloName(String)
    case invalidAddress(String, reason: String)
    case noRecipients
    case tooManyRecipients(actual: Int, maximum: Int)
    case messageTooLarge(actual: Int, maximum: Int)
    case needs8BitMIME
    case needsSMTPUTF8
    /// The refused ones; the others were not sent to either.
    case recipientRefused([RecipientReply])
    case transient(Reply)
    case permanent(Reply)
    /// The server broke the protocol before the final dot.
    case protocolViolation(String)
    /// The caller's own step before the final dot failed; the message was dropped.
    case stoppedBeforeDot(reason: String)
    /// The final dot left and no reply came. Never send again by itself.
    case unknownAfterDot(reason: String)
    /// The session has ended, or another message is on its way in it.
    case notReady

    /// Whether the message may have been sent, so that only a person can decide what to do.
    public var isUnknown: Bool {
        guard case .unknownAfterDot = self else { return false }
        return true
    }

    /// Whether the same message may get through later, without a change.
    public var isTransient: Bool {
        switch self {
        case .transport(let error): error.isTransient
        case .greetingRefused(let reply), .startTLSRefused(let reply), .transient(let reply),
            .permanent(let reply):
            reply.isTransient
        case .recipientRefused(let refused): refused.allSatisfy { $0.reply.isTransient }
        case .protocolViolation, .stoppedBeforeDot, .notReady: true
        case .noTLSOffered, .loginNeedsEncryption, .noLoginMechanism, .loginRefused, .invalidLogin,
            .invalidHeloName, .invalidAddress, .noRecipients, .tooManyRecipients, .messageTooLarge,
            .needs8BitMIME, .needsSMTPUTF8, .unknownAfterDot:
            false
        }
    }

    init(_ failure: SubmissionFailure) {
        self =
            switch failure {
            case .greetingRefused(let reply): .greetingRefused(reply)
            case .noTLSOffered: .noTLSOffered
            case .startTLSRefused(let reply): .startTLSRefused(reply)
            case .loginNeedsEncryption: .loginNeedsEncryption
            case .noLoginMechanism(let offered): .noLoginMechanism(offered: offered)
            case .loginRefused(let reply): .loginRefused(reply.text)
            case .invalidLogin(let reason): .invalidLogin(reason: reason)
            case .invalidHeloName(let name): .invalidHeloName(name)
            case .invalidAddress(let address, let reason): .invalidAddress(address, reason: reason)
            case .noRecipients: .noRecipients
            case .tooManyRecipients(let actual, let maximum):
                .tooManyRecipients(actual: actual, maximum: maximum)
            case .messageTooLarge(let actual, let maximum):
                .messageTooLarge(actual: actual, maximum: maximum)
            case .needs8BitMIME: .needs8BitMIME
            case .needsSMTPUTF8: .needsSMTPUTF8
            case .recipientsRefused(let refused): .recipientRefused(refused)
            case .transient(let reply): .transient(reply)
            case .permanent(let reply): .permanent(reply)
            case .unexpectedReply(let reply, let command):
                .protocolViolation("reply \(reply.code) to \(command)")
            case .lost: .protocolViolation("the conversation broke off")
            case .unknownAfterDot(let reason): .unknownAfterDot(reason: reason)
            case .wrongState(let what): .protocolViolation(what)
            }
    }
}

extension TransportError {
    fileprivate var isTransient: Bool {
        switch code {
        case .unknownHost, .refused, .unreachable, .timedOut, .closedByPeer, .reset, .cancelled, .closed,
            .busy,
            .failed:
            true
        case .untrustedCertificate, .tlsFailed, .notTLS, .speaksTLS, .plaintextAfterStartTLS, .badCAFile,
            .notThisMachine:
            false
        }
    }
}
