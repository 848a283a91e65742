public import NIOCore

/// Cuts the bytes of a server into whole responses: a line, or lines with literals between them.
///
/// The first of two stages: it counts octets and looks for the end, and understands no word. Feed it in any
/// chunking. Literal octets that came in one chunk are a slice of it, not a copy. A literal of message data
/// beyond the limit is read past and reported as omitted. RFC 3501 §4.3, RFC 7888.
public struct ResponseFramer: Sendable {
    enum State: Equatable {
        /// Inside a line. Valid transitions: `.literal`, `.skipping`, `.line`.
        case line
        /// Inside a literal that is kept; octets still missing. Valid transitions: `.line`.
        case literal(missing: Int)
        /// Inside a literal that is read past. Valid transitions: `.line`.
        case skipping(missing: Int, announced: Int)
    }

    public var limits: ResponseLimits
    private(set) var state = State.line
    private var input = ByteBuffer()
    private var frame = Frame()
    private var lineStart = 0
    private var literalBytes = ByteBuffer()
    private var keptLiteral = 0
    private var keptBody = 0

    public init(limits: ResponseLimits = .standard) { self.limits = limits }

    /// Whether no octet waits here: what STARTTLS demands. RFC 9051 §6.2.1.
    public var isEmpty: Bool {
        input.readableBytes == 0 && frame.text.isEmpty && frame.literals.isEmpty && state == .line
    }

    public mutating func feed(_ chunk: ByteBuffer) {
        var chunk = chunk
        if input.readableBytes == 0 {
            input = chunk
        } else {
            // A copy of what is left, so that slices handed out before stay untouched.
            var joined = ByteBuffer()
            joined.reserveCapacity(input.readableBytes + chunk.readableBytes)
            joined.writeBuffer(&input)
            joined.writeBuffer(&chunk)
            input = joined
        }
    }

    /// The next whole response, or nil when more bytes are needed. After an error the session is over.
    public mutating func next() throws(FramingError) -> Frame? {
        while input.readableBytes > 0 || state == .literal(missing: 0) {
            switch state {
            case .line:
                guard try takeLine() else { return nil }
                if let announced = try announcedLiteral() {
                    try startLiteral(announced)
                } else {
                    return finish()
                }
            case .literal(let missing):
                takeLiteral(missing)
            case .skipping(let missing, let announced):
                skip(missing, announced)
            }
        }
        return nil
    }

    private mutating func finish() -> Frame {
        defer {
            frame = Frame()
            lineStart = 0
            keptLiteral = 0
            keptBody = 0
        }
        return frame
    }
}

// MARK: - Lines

extension ResponseFramer {
    /// Moves octets up to the line's end into the frame; false when the end has not come yet.
    private mutating func takeLine() throws(FramingError) -> Bool {
        let view = input.readableBytesView
        let end = view.firstIndex(of: .lineFeed)
        let part = view[view.startIndex..<(end ?? view.endIndex)]
        try checkLine(adding: part)
        frame.text += part
        input.moveReaderIndex(forwardBy: part.count + (end == nil ? 0 : 1))
        guard end != nil else { return false }
        if frame.text.count > lineStart, frame.text.last == .carriageReturn {
            frame.text.removeLast()
        } else {
            frame.hasBareLineFeed = true
        }
        return true
    }

    private func checkLine(adding part: ByteBufferView) throws(FramingError) {
        let line = frame.text.count - lineStart + part.count
        // The CR does not count: a line of exactly the maximum may come.
        guard line > limits.line + 1 else {
            guard frame.text.count + part.count <= max(limits.responseText, limits.line + 1) else {
                throw .responseTooLong(actual: frame.text.count + part.count, maximum: limits.responseText)
            }
            return
        }
        let start = frame.text.prefix(16) + part.prefix(16)
        let isNumbers = frame.literals.isEmpty && Self.listsNumbers(start)
        let maximum = isNumbers ? limits.numberLine : limits.line
        guard line <= maximum + 1 else { throw .lineTooLong(actual: line, maximum: maximum) }
    }

    private static func listsNumbers(_ start: ArraySlice<UInt8>) -> Bool {
        let words = start.split(separator: .space, maxSplits: 2)
        guard words.count == 3, words[0].elementsEqual([.star]) else { return false }
        return ["SEARCH", "ESEARCH", "VANISHED"].contains(words[1].uppercasedWord)
    }
}

// MARK: - Literals

extension ResponseFramer {
    /// The length that the line's end announces, and the announcement taken off the text: `{12}` becomes `{`.
    ///
    /// Text for people may end in `{12}` too, so a status line never has a literal.
    private mutating func announcedLiteral() throws(FramingError) -> Int? {
        let line = frame.text[lineStart...]
        guard line.last == .closeBrace, let open = line.lastIndex(of: .openBrace) else { return nil }
        if frame.literals.isEmpty, Self.isStatus(frame.text) { return nil }
        var digits = line[(open + 1)...].dropLast()
        if digits.last == .plus || digits.last == .minus { digits = digits.dropLast() }
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        guard digits.count <= 15, let length = Int(String(decoding: digits, as: UTF8.self)) else {
            throw .literalTooLong(actual: Int.max, maximum: limits.omitted)
        }
        guard frame.literals.count < limits.literals else {
            throw .tooManyLiterals(actual: frame.literals.count + 1, maximum: limits.literals)
        }
        frame.text.removeSubrange((open + 1)...)
        if open > 0, frame.text[open - 1] == UInt8(ascii: "~") { frame.text.remove(at: open - 1) }
        return length
    }

    private static func isStatus(_ text: [UInt8]) -> Bool {
        if text.first == .plus { return true }
        let words = text.prefix(256).split(separator: .space, maxSplits: 2)
        guard words.count >= 2 else { return false }
        if words[1].first == .openBracket { return true }
        return ["OK", "NO", "BAD", "BYE", "PREAUTH"].contains(words[1].uppercasedWord)
    }

    /// Whether the literal is message data: the item before it ends in `]` or `<0>`, as `BODY[]` does.
    private var announcesBody: Bool {
        let before = frame.text.dropLast().reversed().drop { $0 == .space }.first
        return before == .closeBracket || before == UInt8(ascii: ">")
    }

    private mutating func startLiteral(_ length: Int) throws(FramingError) {
        lineStart = frame.text.count
        if announcesBody {
            if length > limits.body - keptBody {
                guard length <= limits.omitted else {
                    throw .literalTooLong(actual: length, maximum: limits.omitted)
                }
                state = .skipping(missing: length, announced: length)
                return skip(length, length)
            }
            keptBody += length
        } else {
            keptLiteral += length
            guard keptLiteral <= limits.literal else {
                throw .literalTooLong(actual: keptLiteral, maximum: limits.literal)
            }
        }
        literalBytes = ByteBuffer()
        state = .literal(missing: length)
    }

    private mutating func takeLiteral(_ missing: Int) {
        let part = min(missing, input.readableBytes)
        if var slice = input.readSlice(length: part) {
            if literalBytes.readableBytes == 0, part == missing {
                literalBytes = slice
            } else {
                // The announced length is only a word: memory is taken as the octets come.
                literalBytes.writeBuffer(&slice)
            }
        }
        if part == missing {
            appendLiteral(.bytes(literalBytes))
            literalBytes = ByteBuffer()
        } else {
            state = .literal(missing: missing - part)
        }
    }

    private mutating func skip(_ missing: Int, _ announced: Int) {
        let part = min(missing, input.readableBytes)
        input.moveReaderIndex(forwardBy: part)
        if part == missing {
            appendLiteral(.omitted(size: announced))
        } else {
            state = .skipping(missing: missing - part, announced: announced)
        }
    }

    private mutating func appendLiteral(_ content: Frame.Content) {
        frame.literals.append(.init(offset: lineStart - 1, content: content))
        state = .line
    }
}

/// One whole response: its lines as one text without line ends, and its literals apart.
public struct Frame: Equatable, Sendable {
    /// What a literal held.
    public enum Content: Equatable, Sendable {
        case bytes(ByteBuffer)
        /// Longer than the limit for message data: read past, not kept.
        case omitted(size: Int)
    }

    struct Literal: Equatable, Sendable {
        /// Where in the text its `{` stands.
        var offset: Int
        var content: Content
    }

    var text: [UInt8] = []
    var literals: [Literal] = []
    var hasBareLineFeed = false

    /// Octets that are held.
    var size: Int {
        literals.reduce(text.count) { sum, literal in
            switch literal.content {
            case .bytes(let buffer): sum + buffer.readableBytes
            case .omitted: sum
            }
        }
    }
}

/// A server went beyond a limit, or announced to; the session cannot go on.
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
