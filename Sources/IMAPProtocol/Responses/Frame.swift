public import NIOCore

/// One complete response: its lines as one text without line ends, and its literals. RFC 3501 §4.3.
public struct Frame: Equatable, Sendable {
    /// The content of a literal.
    public enum Content: Equatable, Sendable {
        case bytes(ByteBuffer)
        /// Message data over the limit, which was discarded.
        case omitted(size: Int)
    }

    struct Literal: Equatable, Sendable {
        /// The position of its `{` in the text.
        var offset: Int
        var content: Content
    }

    var text: [UInt8] = []
    var literals: [Literal] = []
    var hasBareLineFeed = false

    /// The number of octets that are kept.
    var size: Int {
        literals.reduce(text.count) { sum, literal in
            switch literal.content {
            case .bytes(let buffer): sum + buffer.readableBytes
            case .omitted: sum
            }
        }
    }
}

/// A server exceeded a limit, or announced a literal that does. The session must end.
public enum FramingError: Error, Equatable, Sendable, CustomStringConvertible {
    case lineTooLong(actual: Int, maximum: Int)
    case responseTooLong(actual: Int, maximum: Int)
    case literalTooLong(actual: Int, maximum: Int)
    case tooManyLiterals(actual: Int, maximum: Int)

    public var description: String {
        switch self {
        case .lineTooLong(let actual, let maximum):
            "the server sent a line of \(actual) bytes or more; at most \(maximum) are read"
        case .responseTooLong(let actual, let maximum):
            "the server sent a response with \(actual) bytes of text or more; at most \(maximum) are read"
        case .literalTooLong(let actual, let maximum):
            "the server announced \(actual) bytes of literal data; at most \(maximum) are read"
        case .tooManyLiterals(let actual, let maximum):
            "the server sent a response with \(actual) literals; at most \(maximum) are read"
        }
    }
}
