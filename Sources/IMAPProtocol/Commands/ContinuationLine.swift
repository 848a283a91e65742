public import NIOCore
public import SASL

/// A line that the client sends in the middle of a command, after the server's `+`.
///
/// It may contain a password, so the description shows only its kind.
public enum ContinuationLine: Sendable {
    /// Ends IDLE. RFC 2177.
    case done
    /// The answer to a challenge, in base 64. RFC 3501 §6.2.2.
    case response(Secret)
    /// Cancels an AUTHENTICATE. RFC 3501 §6.2.2.
    case cancel

    public var bytes: ByteBuffer {
        switch self {
        case .done: ByteBuffer(string: "DONE\r\n")
        case .response(let text): ByteBuffer(string: text.reveal() + "\r\n")
        case .cancel: ByteBuffer(string: "*\r\n")
        }
    }
}
