public import NIOCore

/// Splits the bytes of a server into complete responses: a line, or lines with literals between them. RFC 3501 §4.3,
/// RFC 7888.
///
/// This is the first of two stages: it counts octets and finds the ends, and parses nothing else. The bytes may arrive
/// in any pieces. A literal that arrived in one piece is a slice of it, not a copy. Message data beyond the limit is
/// discarded and reported as omitted.
public struct ResponseFramer: Sendable {
    enum State: Equatable {
        /// Inside a line. Valid transitions: `.literal`, `.skipping`, `.line`.
        case line
        /// Inside a literal that is kept; `missing` octets are still to come. Valid transitions: `.line`.
        case literal(missing: Int)
        /// Inside a literal that is discarded. Valid transitions: `.line`.
        case skipping(missing: Int, announced: Int)
        /// Inside a literal whose pieces are returned as they arrive. Valid transitions: `.line`.
        case streaming(missing: Int, announced: Int)
    }

    /// A complete response, or octets of a long literal before it.
    enum Output {
        case frame(Frame)
        /// Octets of a literal and their position; ``pendingFrame`` is the response so far.
        case octets(ByteBuffer, offset: Int, total: Int)
    }

    public var limits: ResponseLimits
    /// Message data of more octets than this is returned in pieces and not collected; nil: everything is collected.
    var streamThreshold: Int?
    /// Whether to keep the beginning of message data beyond the limit. This handles servers that send everything when a
    /// part was requested.
    var keepsStart = false
    private(set) var state = State.line
    private var input = ByteBuffer()
    private var frame = Frame()
    private var lineStart = 0
    private var literalBytes = ByteBuffer()
    private var keptLiteral = 0
    private var keptBody = 0
    private var isBody = false
    /// The octets of message data received in this session, kept or discarded.
    private(set) var bodyOctets = 0
    /// The octets still to keep of the literal that is being discarded.
    private var room = 0

    public init(limits: ResponseLimits = .standard) { self.limits = limits }

    /// Whether the buffer is empty, as STARTTLS requires. RFC 9051 §6.2.1.
    public var isEmpty: Bool {
        input.readableBytes == 0 && frame.text.isEmpty && frame.literals.isEmpty && state == .line
    }

    public mutating func feed(_ chunk: ByteBuffer) {
        var chunk = chunk
        if input.readableBytes == 0 {
            input = chunk
        } else {
            // Copies the rest, so that slices returned earlier stay unchanged.
            var joined = ByteBuffer()
            joined.reserveCapacity(input.readableBytes + chunk.readableBytes)
            joined.writeBuffer(&input)
            joined.writeBuffer(&chunk)
            input = joined
        }
    }

    /// The next complete response; nil: more bytes are needed. After an error, the session must end.
    public mutating func next() throws(FramingError) -> Frame? {
        while let output = try nextOutput() {
            if case .frame(let frame) = output { return frame }
        }
        return nil
    }

    /// The response so far, up to the current literal.
    var pendingFrame: Frame { frame }

    mutating func nextOutput() throws(FramingError) -> Output? {
        while input.readableBytes > 0 || state == .literal(missing: 0) {
            switch state {
            case .line:
                guard try readLine() else { return nil }
                if let announced = try announcedLiteral() {
                    try startLiteral(announced)
                } else {
                    return .frame(finish())
                }
            case .literal(let missing):
                readLiteral(missing)
            case .skipping(let missing, let announced):
                skip(missing, announced)
            case .streaming(let missing, let announced):
                return stream(missing, announced)
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
    /// Moves octets up to the line end into the frame; false: the line is incomplete.
    private mutating func readLine() throws(FramingError) -> Bool {
        let view = input.readableBytesView
        let end = view.firstIndex(of: .lineFeed)
        let part = view[view.startIndex..<(end ?? view.endIndex)]
        try checkLine(adding: part)
        part.withContiguousStorageIfAvailable { frame.text.append(contentsOf: $0) }
        input.moveReaderIndex(forwardBy: part.count + (end == nil ? 0 : 1))
        guard end != nil else { return false }
        if frame.text.count > lineStart, frame.text.last == .carriageReturn {
            frame.text.removeLast()
        } else {
            frame.hasBareLineFeed = true
        }
        return true
    }

    /// Checks the line, and all lines of the response together. Whether a response is too long must not depend on how its
    /// bytes were cut.
    private func checkLine(adding part: ByteBufferView) throws(FramingError) {
        let line = frame.text.count - lineStart + part.count
        let maximum = line > limits.line + 1 ? longestLine(adding: part) : limits.line
        // The CR does not count, so that a line may have exactly the maximum.
        guard line <= maximum + 1 else { throw .lineTooLong(actual: line, maximum: maximum) }
        let text = frame.text.count + part.count
        guard text <= max(limits.responseText, maximum + 1) else {
            throw .responseTooLong(actual: text, maximum: limits.responseText)
        }
    }

    private func longestLine(adding part: ByteBufferView) -> Int {
        // The first octets of the response, even if they arrived in several pieces.
        let before = frame.text.prefix(32)
        let start = before + part.prefix(32 - before.count)
        if frame.literals.isEmpty, Self.listsNumbers(start) { return limits.numberLine }
        return Self.isFetch(start) ? max(limits.line, limits.responseText) : limits.line
    }

    /// `* 12 FETCH (…`: the line may have the structure of a message with many parts.
    private static func isFetch(_ start: ArraySlice<UInt8>) -> Bool {
        let words = start.split(separator: .space, maxSplits: 3)
        return words.count > 2 && words[0].elementsEqual([.star]) && words[2].uppercasedWord == "FETCH"
    }

    private static func listsNumbers(_ start: ArraySlice<UInt8>) -> Bool {
        let words = start.split(separator: .space, maxSplits: 2)
        guard words.count == 3, words[0].elementsEqual([.star]) else { return false }
        return ["SEARCH", "ESEARCH", "VANISHED"].contains(words[1].uppercasedWord)
    }
}

// MARK: - Literals

extension ResponseFramer {
    /// The length announced at the end of the line. Shortens the announcement in the text: `{12}` becomes `{`.
    ///
    /// The text of a status response may end in `{12}` too, so a status line never has a literal.
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
        // `* 12 FETCH (…`: what nearly every literal belongs to.
        if text.count > 2, text[0] == .star, text[2].isDigit { return false }
        let words = text.prefix(256).split(separator: .space, maxSplits: 2)
        guard words.count >= 2 else { return false }
        if words[1].first == .openBracket { return true }
        return ["OK", "NO", "BAD", "BYE", "PREAUTH"].contains(words[1].uppercasedWord)
    }

    /// Whether the literal is message data: the item before it is `BODY[…]`, with `<0>` or without, or one of the
    /// old names that some servers answer with.
    private var announcesBody: Bool {
        var end = frame.text.count - 1
        while end > 0, frame.text[end - 1] == .space { end -= 1 }
        guard end > 0 else { return false }
        let before = frame.text[..<end]
        if before.last == .closeBracket || before.last == UInt8(ascii: ">") {
            guard let open = before.lastIndex(of: .openBracket) else { return false }
            return ["BODY", "PEEK", "NARY"].contains(before[..<open].suffix(4).uppercasedWord)
        }
        let start = before.lastIndex { $0 == .space || $0 == .openParenthesis } ?? 0
        guard end - start <= 14 else { return false }
        return ["RFC822", "RFC822.HEADER", "RFC822.TEXT", "BODY"].contains(
            before[(start + 1)...].uppercasedWord)
    }

    private mutating func startLiteral(_ length: Int) throws(FramingError) {
        lineStart = frame.text.count
        isBody = announcesBody
        if isBody {
            if let streamThreshold, length > streamThreshold, length <= limits.omitted {
                state = .streaming(missing: length, announced: length)
                return
            }
            if length > limits.body - keptBody {
                guard length <= limits.omitted else {
                    throw .literalTooLong(actual: length, maximum: limits.omitted)
                }
                state = .skipping(missing: length, announced: length)
                room = keepsStart ? limits.body - keptBody : 0
                keptBody += room
                literalBytes = ByteBuffer()
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

    private mutating func readLiteral(_ missing: Int) {
        let part = min(missing, input.readableBytes)
        if isBody { bodyOctets += part }
        if var slice = input.readSlice(length: part) {
            if literalBytes.readableBytes == 0, part == missing {
                literalBytes = slice
            } else {
                // The announced length proves nothing: memory is taken as the octets come, a little ahead of them.
                if literalBytes.readableBytes == 0 { literalBytes.reserveCapacity(min(missing, 65_536)) }
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

    private mutating func stream(_ missing: Int, _ announced: Int) -> Output {
        let part = min(missing, input.readableBytes)
        let octets = input.readSlice(length: part) ?? ByteBuffer()
        bodyOctets += part
        if part == missing {
            appendLiteral(.omitted(size: announced))
        } else {
            state = .streaming(missing: missing - part, announced: announced)
        }
        return .octets(octets, offset: announced - missing, total: announced)
    }

    private mutating func skip(_ missing: Int, _ announced: Int) {
        let part = min(missing, input.readableBytes)
        bodyOctets += part
        let kept = min(part, room - literalBytes.readableBytes)
        if kept > 0, var slice = input.readSlice(length: kept) { literalBytes.writeBuffer(&slice) }
        input.moveReaderIndex(forwardBy: part - max(0, kept))
        if part == missing {
            appendLiteral(room > 0 ? .bytes(literalBytes) : .omitted(size: announced))
            literalBytes = ByteBuffer()
        } else {
            state = .skipping(missing: missing - part, announced: announced)
        }
    }

    private mutating func appendLiteral(_ content: Frame.Content) {
        frame.literals.append(.init(offset: lineStart - 1, content: content))
        state = .line
    }
}
