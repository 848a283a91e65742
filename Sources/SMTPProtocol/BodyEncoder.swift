public import NIOCore

private let carriageReturn = UInt8(ascii: "\r")
private let lineFeed = UInt8(ascii: "\n")
private let dot = UInt8(ascii: ".")

/// How the end of a message is distinguished from its content.
public enum BodyFraming: Sendable {
    /// After `DATA`: a dot on a line of its own ends it, so a leading dot is doubled. The last line end belongs to the
    /// final dot and is held back. RFC 5321 §4.5.2.
    case dotStuffed
    /// After `BDAT`: the octets were counted before. RFC 3030 §2.
    case counted
}

/// Turns a message into what may follow `DATA` or `BDAT`: every line ends in CRLF.
///
/// A CR or LF on its own becomes a whole line end. Servers disagree on what such a byte means, and
/// their disagreement is how a second message is smuggled inside the first; so none ever leaves here.
/// RFC 5321 §2.3.8.
public struct BodyEncoder: Sendable {
    private let message: [UInt8]
    private let framing: BodyFraming
    private let end: Int
    private var position = 0
    private var isLineStart = true
    /// A counted message ends in a line end, and this one does not yet.
    private var lacksLineEnd: Bool

    public init(_ message: [UInt8], framing: BodyFraming = .dotStuffed) {
        self.message = message
        self.framing = framing
        let trailing = Self.trailingLineEnd(of: message)
        switch framing {
        case .dotStuffed:
            end = message.count - trailing
            lacksLineEnd = false
        case .counted:
            end = message.count
            lacksLineEnd = trailing == 0 && !message.isEmpty
        }
    }

    /// The next piece, of about `maximum` bytes; nil at the end.
    public mutating func next(maximum: Int = 64 * 1024) -> ByteBuffer? {
        guard position < end else { return lastLineEnd() }
        var output = ByteBuffer()
        output.reserveCapacity(min(maximum, end - position) + 16)
        while position < end, output.readableBytes < maximum {
            if message[position] == carriageReturn || message[position] == lineFeed {
                endLine(&output)
            } else {
                writeRun(&output, maximum: maximum)
            }
        }
        return output
    }

    private mutating func lastLineEnd() -> ByteBuffer? {
        guard lacksLineEnd else { return nil }
        lacksLineEnd = false
        return ByteBuffer(bytes: [carriageReturn, lineFeed])
    }

    private mutating func endLine(_ output: inout ByteBuffer) {
        let isPair =
            message[position] == carriageReturn && position + 1 < end && message[position + 1] == lineFeed
        position += isPair ? 2 : 1
        output.writeInteger(carriageReturn)
        output.writeInteger(lineFeed)
        isLineStart = true
    }

    private mutating func writeRun(_ output: inout ByteBuffer, maximum: Int) {
        if framing == .dotStuffed, isLineStart, message[position] == dot { output.writeInteger(dot) }
        isLineStart = false
        let window = message[position..<min(end, position + max(1, maximum))]
        let stop = window.firstIndex { $0 == carriageReturn || $0 == lineFeed } ?? window.endIndex
        output.writeBytes(message[position..<stop])
        position = stop
    }

    private static func trailingLineEnd(of message: [UInt8]) -> Int {
        guard let last = message.last, last == lineFeed || last == carriageReturn else { return 0 }
        return last == lineFeed && message.dropLast().last == carriageReturn ? 2 : 1
    }
}

/// What the envelope must say about a message, found in one pass over its bytes.
public struct MessageTraits: Equatable, Sendable {
    /// Octets as sent, with every line end as CRLF and without doubled dots. RFC 1870 §3.
    public private(set) var size = 0
    public private(set) var has8BitBytes = false
    public private(set) var has8BitHeader = false

    public init(_ message: [UInt8]) {
        var isHeader = true
        var previous = lineFeed
        var isLineEmpty = true
        for byte in message {
            if byte == lineFeed, previous == carriageReturn {
                previous = byte
                continue
            }
            if byte == carriageReturn || byte == lineFeed {
                size += 2
                if isLineEmpty { isHeader = false }
                isLineEmpty = true
            } else {
                size += 1
                isLineEmpty = false
                if byte >= 0x80 {
                    has8BitBytes = true
                    if isHeader { has8BitHeader = true }
                }
            }
            previous = byte
        }
        if !isLineEmpty { size += 2 }
    }
}
