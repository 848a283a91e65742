public import NIOCore

/// Splits the bytes of a server into replies. The length of a line and the number of lines are limited. RFC 5321 §4.2.
///
/// A line may end in LF alone, because some servers send that. Everything else must follow the grammar.
public struct ReplyParser: Sendable {
    public static let maximumLineLength = 2048
    public static let maximumLines = 100

    private var buffer = ByteBuffer()
    private var code: Int?
    private var lines: [String] = []

    public init() {}

    /// Whether the buffer is empty: no unread reply and no part of one.
    public var isEmpty: Bool { buffer.readableBytes == 0 && code == nil }

    public mutating func append(_ bytes: ByteBuffer) {
        var bytes = bytes
        buffer.writeBuffer(&bytes)
        buffer.discardReadBytes()
    }

    /// The next complete reply; nil: more bytes are needed. After an error, the session must end.
    public mutating func next() throws(ReplyError) -> Reply? {
        while let line = try nextLine() {
            let (lineCode, isLast, text) = try Self.parse(line)
            if let code, code != lineCode { throw .malformed(Self.excerpt(line)) }
            guard lines.count < Self.maximumLines else {
                throw .tooManyLines(actual: lines.count + 1, maximum: Self.maximumLines)
            }
            lines.append(text)
            code = lineCode
            guard isLast else { continue }
            defer {
                code = nil
                lines = []
            }
            return Reply(code: lineCode, lines: lines)
        }
        return nil
    }

    private mutating func nextLine() throws(ReplyError) -> ByteBufferView? {
        let view = buffer.readableBytesView
        guard let end = view.firstIndex(of: UInt8(ascii: "\n")) else {
            try checkLength(view.count)
            return nil
        }
        var line = view[view.startIndex..<end]
        try checkLength(line.count + 1)
        buffer.moveReaderIndex(forwardBy: line.count + 1)
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        return line
    }

    private func checkLength(_ length: Int) throws(ReplyError) {
        guard length > Self.maximumLineLength else { return }
        throw .lineTooLong(actual: length, maximum: Self.maximumLineLength)
    }

    private static func parse(
        _ line: ByteBufferView
    ) throws(ReplyError) -> (code: Int, isLast: Bool, text: String) {
        let digits = line.prefix(3).map { Int($0) - Int(UInt8(ascii: "0")) }
        let separator = line.dropFirst(3).first ?? UInt8(ascii: " ")
        guard digits.count == 3, (2...5).contains(digits[0]), digits.allSatisfy({ (0...9).contains($0) }),
            separator == UInt8(ascii: " ") || separator == UInt8(ascii: "-")
        else { throw .malformed(excerpt(line)) }
        let code = digits[0] * 100 + digits[1] * 10 + digits[2]
        let text = String(decoding: line.dropFirst(4), as: UTF8.self)
        return (code, separator == UInt8(ascii: " "), text)
    }

    private static func excerpt(_ line: ByteBufferView) -> String {
        String(decoding: line.prefix(40), as: UTF8.self)
    }
}

/// The server sent something that is not a reply.
public enum ReplyError: Error, Equatable, Sendable, CustomStringConvertible {
    case lineTooLong(actual: Int, maximum: Int)
    case tooManyLines(actual: Int, maximum: Int)
    /// The beginning of the line. Text from a stranger.
    case malformed(String)

    public var description: String {
        switch self {
        case .lineTooLong(let actual, let maximum):
            "the server sent a line of \(actual) bytes or more; at most \(maximum) are read"
        case .tooManyLines(let actual, let maximum):
            "the server sent a reply of \(actual) lines or more; at most \(maximum) are read"
        case .malformed(let text):
            "the server sent something that is not an SMTP reply: \(text)"
        }
    }
}
