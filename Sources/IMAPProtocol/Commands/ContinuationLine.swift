public import NIOCore
public import SASL

/// A line that a client sends in the middle of a command, after the server's `+`.
///
/// It may hold a password, so it prints as its kind only.
public enum ContinuationLine: Sendable {
    /// Ends IDLE. RFC 2177.
    case done
    /// The answer to a challenge, in base 64. RFC 3501 §6.2.2.
    case response(Secret)
    /// Gives an AUTHENTICATE up.
    case cancel

    public var bytes: ByteBuffer {
        switch self {
        case .done: ByteBuffer(string: "DONE\r\n")
        case .response(let text): ByteBuffer(string: text.reveal() + "\r\n")
        case .cancel: ByteBuffer(string: "*\r\n")
        }
    }
}
