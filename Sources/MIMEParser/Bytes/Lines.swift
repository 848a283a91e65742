import Glibc

/// Where lines begin and end.
///
/// LF ends a line, and a CR before it belongs to the ending. A CR alone ends a line only in a message
/// that has no LF at all: servers count lines by LF, and our section numbers must be theirs.
struct LineReader: Sendable {
    struct Line {
        var start: Int
        /// Without the line ending.
        var end: Int
        /// Where the next line begins.
        var next: Int
    }

    let bytes: [UInt8]
    private let terminator: UInt8

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        terminator = Self.find(ASCII.lf, in: bytes, from: 0, to: bytes.count) == nil ? ASCII.cr : ASCII.lf
    }

    /// The line that begins at `start`; the last one may lack its ending.
    func line(at start: Int, limit: Int) -> Line {
        guard let found = Self.find(terminator, in: bytes, from: start, to: limit) else {
            return Line(start: start, end: limit, next: limit)
        }
        let hasCR = terminator == ASCII.lf && found > start && bytes[found - 1] == ASCII.cr
        return Line(start: start, end: hasCR ? found - 1 : found, next: found + 1)
    }

    /// The end of the text before a line: its line break belongs to the boundary. RFC 2046 §5.1.1.
    func endBefore(_ lineStart: Int, notBefore low: Int) -> Int {
        var end = lineStart
        if end > low, bytes[end - 1] == terminator { end -= 1 }
        if terminator == ASCII.lf, end < lineStart, end > low, bytes[end - 1] == ASCII.cr { end -= 1 }
        return max(low, end)
    }

    /// The next line, from the one at `start` on, that begins with `--`.
    func dashedLine(from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var position = start
            while position + 1 < buffer.count {
                if buffer[position] == ASCII.hyphen, buffer[position + 1] == ASCII.hyphen { return position }
                let rest = buffer.count - position
                guard let found = memchr(base + position, Int32(terminator), rest) else { return nil }
                position = UnsafeRawPointer(base).distance(to: found) + 1
            }
            return nil
        }
    }

    static func find(_ byte: UInt8, in bytes: [UInt8], from start: Int, to limit: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, start >= 0, start < limit, limit <= buffer.count,
                let found = memchr(base + start, Int32(byte), limit - start)
            else { return nil }
            return UnsafeRawPointer(base).distance(to: found)
        }
    }
}
