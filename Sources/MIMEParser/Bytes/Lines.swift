import Glibc

/// The beginnings and ends of lines.
///
/// LF ends a line, and a CR before it is part of the line end. A lone CR ends a line only in a message without any LF:
/// servers count lines by LF, and the section numbers must agree with theirs.
struct LineReader: Sendable {
    struct Line {
        var start: Int
        /// The end without the line end.
        var end: Int
        /// The beginning of the next line.
        var next: Int
    }

    let bytes: [UInt8]
    private let terminator: UInt8

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        terminator = Self.find(ASCII.lf, in: bytes, from: 0, to: bytes.count) == nil ? ASCII.cr : ASCII.lf
    }

    /// The line that begins at `start`; the last one may have no line end.
    func line(at start: Int, limit: Int) -> Line {
        guard let found = Self.find(terminator, in: bytes, from: start, to: limit) else {
            return Line(start: start, end: limit, next: limit)
        }
        let hasCR = terminator == ASCII.lf && found > start && bytes[found - 1] == ASCII.cr
        return Line(start: start, end: hasCR ? found - 1 : found, next: found + 1)
    }

    /// The end of the text before a boundary line: the line break before it belongs to the boundary. RFC 2046 §5.1.1.
    func endBefore(_ lineStart: Int, notBefore low: Int) -> Int {
        var end = lineStart
        if end > low, bytes[end - 1] == terminator { end -= 1 }
        if terminator == ASCII.lf, end < lineStart, end > low, bytes[end - 1] == ASCII.cr { end -= 1 }
        return max(low, end)
    }

    /// The next line that begins with `--`, from the line at `start` on.
    ///
    /// It searches for hyphens instead of lines, because encoded files have many lines and no hyphens.
    func dashedLine(from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            var position = start
            while let hyphen = buffer.firstOffset(of: ASCII.hyphen, from: position, to: buffer.count) {
                var end = hyphen + 1
                while end < buffer.count, buffer[end] == ASCII.hyphen { end += 1 }
                let beginsLine = hyphen == start || (hyphen > start && buffer[hyphen - 1] == terminator)
                if beginsLine, end - hyphen >= 2 { return hyphen }
                position = end
            }
            return nil
        }
    }

    /// The first CR in a range that is not part of a line end.
    func strayCR(in range: Range<Int>) -> Int? {
        guard terminator == ASCII.lf else { return nil }
        return bytes.withUnsafeBufferPointer { buffer in
            var position = range.lowerBound
            while let cr = buffer.firstOffset(of: ASCII.cr, from: position, to: range.upperBound) {
                if cr + 1 == buffer.count || buffer[cr + 1] != ASCII.lf { return cr }
                position = cr + 1
            }
            return nil
        }
    }

    static func find(_ byte: UInt8, in bytes: [UInt8], from start: Int, to limit: Int) -> Int? {
        bytes.withUnsafeBufferPointer { $0.firstOffset(of: byte, from: start, to: limit) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The first position of a byte in a range; nil also if the range is outside the buffer.
    @inline(__always)
    func firstOffset(of byte: UInt8, from start: Int, to limit: Int) -> Int? {
        guard let base = baseAddress, start >= 0, start < limit, limit <= count,
            let found = memchr(base + start, Int32(byte), limit - start)
        else { return nil }
        return UnsafeRawPointer(base).distance(to: found)
    }
}
