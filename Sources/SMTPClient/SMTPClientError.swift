public import SMTPProtocol
public import Transport

/// Why a session or a message failed.
///
/// Only ``SubmissionFailure/unknownAfterDot(reason:)`` leaves open whether the message was sent; after every other
/// error it was not.
public enum SMTPClientError: Error, Equatable, Sendable {
    case transport(TransportError)
    /// The session or the transfer failed.
    case submission(SubmissionFailure)
    /// The server violated the protocol before the final dot.
    case protocolViolation(String)
    /// The caller's callback before the final dot failed; the message was dropped.
    case stoppedBeforeDot(reason: String)
    /// The session has ended, or another message is being sent.
    case notReady
    /// The user's settings do not allow sending; nothing of the message was sent.
    case notAllowed(allowed: String)

    /// Whether the same message may succeed later without a change.
    public var isTransient: Bool {
        switch self {
        case .transport(let error): error.isTransient
        case .submission(let failure): failure.isTransient
        case .protocolViolation, .stoppedBeforeDot, .notReady: true
        case .notAllowed: false
        }
    }
}

extension SMTPClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .transport(let error): error.description
        case .submission(let failure): failure.wording
        case .protocolViolation(let what): SubmissionFailure.violation(what)
        case .stoppedBeforeDot(let reason): "nothing was sent: \(reason)"
        case .notAllowed(let allowed):
            "nothing was sent: allow: \(allowed) in opus.yaml does not let opus send mail"
        case .notReady: "the session has ended or is busy"
        }
    }
}

extension SMTPClientError {
    /// What happened, without a statement about the message.
    var cause: String {
        if case .protocolViolation(let what) = self { return "the server broke the protocol: \(what)" }
        return description
    }
}

extension TransportError {
    fileprivate var isTransient: Bool {
        switch code {
        case .unknownHost, .refused, .unreachable, .timedOut, .closedByPeer, .reset, .networkChanged,
            .cancelled,
            .closed, .busy, .failed:
            true
        case .untrustedCertificate, .tlsFailed, .notTLS, .speaksTLS, .plaintextAfterStartTLS, .badCAFile,
            .notThisMachine:
            false
        }
    }
}
