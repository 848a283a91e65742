/// The quoted-printable transfer encoding. RFC 2045 §6.7.
///
/// The decoder accepts what occurs in mail: an `=` without a valid code stays, blanks may follow the `=` of a soft line
/// break, and digits may be in upper or lower case.
enum QuotedPrintable {
    static func decode(_ bytes: ArraySlice<UInt8>, limit: Int = .max) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: max(0, min(limit, bytes.count))) { room, count in
            var writer = ByteWriter(UnsafeMutableBufferPointer(rebasing: room.prefix(max(0, limit))))
            bytes.withUnsafeBufferPointer { decode($0, into: &writer) }
            count = writer.count
        }
    }

    /// The number of bytes that ``decode(_:limit:)`` returns, without decoding them.
    static func decodedCount(_ bytes: ArraySlice<UInt8>) -> Int {
        var counter = ByteCounter()
        bytes.withUnsafeBufferPointer { decode($0, into: &counter) }
        return counter.count
    }

    /// The position of the first `=` that begins neither a code nor a soft line break.
    static func firstBadCode(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex
        while let equals = bytes[index...].firstIndex(of: ASCII.equals) {
            index = equals + 1
            let rest = bytes[index...]
            let digits = rest.prefix(2)
            if digits.count == 2, digits.allSatisfy({ $0.hexValue != nil }) { continue }
            guard let next = rest.first(where: { $0 != ASCII.space && $0 != ASCII.tab }) else { return nil }
            if next != ASCII.lf, next != ASCII.cr { return equals }
        }
        return nil
    }

    /// Text in lines of at most 76 characters. Line ends (CRLF) in the text stay line ends.
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 4)
        var column = 0
        for (index, byte) in bytes.enumerated() {
            if byte == ASCII.cr, index + 1 < bytes.count, bytes[index + 1] == ASCII.lf { continue }
            if byte == ASCII.lf, index > 0, bytes[index - 1] == ASCII.cr {
                output += [ASCII.cr, ASCII.lf]
                column = 0
                continue
            }
            let isPlain = isPlain(byte, followedBy: index + 1 < bytes.count ? bytes[index + 1] : ASCII.cr)
            // Old programs change `From ` and a single dot at the start of a line.
            let isRisky = (column == 0 || column >= 75) && (byte == UInt8(ascii: "F") || byte == ASCII.dot)
            let width = isPlain && !isRisky ? 1 : 3
            if column + width > 75 {
                output += [ASCII.equals, ASCII.cr, ASCII.lf]
                column = 0
            }
            if width == 1 { output.append(byte) } else { output += escaped(byte) }
            column += width
        }
        return output
    }

    static func escaped(_ byte: UInt8) -> [UInt8] {
        [ASCII.equals, hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0x0F)]]
    }

    static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func isPlain(_ byte: UInt8, followedBy next: UInt8) -> Bool {
        if byte == ASCII.space || byte == ASCII.tab { return next != ASCII.cr && next != ASCII.lf }
        return byte > 0x20 && byte < 0x7F && byte != ASCII.equals
    }

    // MARK: Decoding

    private static func decode(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout some ByteSink) {
        var start = 0
        while start < bytes.count, !sink.isFull {
            let lf = bytes.firstOffset(of: ASCII.lf, from: start, to: bytes.count)
            let hasCR = lf.map { $0 > start && bytes[$0 - 1] == ASCII.cr } ?? false
            let lineEnd = lf.map { hasCR ? $0 - 1 : $0 } ?? bytes.count
            // Blanks at the end of a line were added on the way.
            var end = lineEnd
            while end > start, bytes[end - 1] == ASCII.space || bytes[end - 1] == ASCII.tab { end -= 1 }
            let isSoft = decodeLine(bytes, start..<end, into: &sink)
            guard let lf else { return }
            if !isSoft { sink.put(UnsafeBufferPointer(rebasing: bytes[lineEnd...lf])) }
            start = lf + 1
        }
    }

    /// Decodes a line without its end; returns whether an `=` says that the line continues in the next.
    @inline(__always)
    private static func decodeLine(
        _ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, into sink: inout some ByteSink
    ) -> Bool {
        var index = line.lowerBound
        while index < line.upperBound {
            let equals = bytes.firstOffset(of: ASCII.equals, from: index, to: line.upperBound)
            let end = equals ?? line.upperBound
            if end > index { sink.put(UnsafeBufferPointer(rebasing: bytes[index..<end])) }
            guard let equals else { return false }
            index = decodeCodes(bytes, equals..<line.upperBound, into: &sink)
            guard index < line.upperBound, bytes[index] == ASCII.equals else { continue }
            if index + 1 < line.upperBound, bytes[index + 1] == ASCII.equals {
                index = decodeRow(bytes, index..<line.upperBound, into: &sink)
                continue
            }
            var next = index + 1
            while next < line.upperBound, bytes[next] == ASCII.space || bytes[next] == ASCII.tab { next += 1 }
            if next == line.upperBound { return true }
            // A CR alone ends a soft line break too; any other `=` is only itself.
            if bytes[next] != ASCII.cr { sink.put(ASCII.equals) }
            index = bytes[next] == ASCII.cr ? next + 1 : index + 1
        }
        return false
    }

    /// Of a row of `=` only the last can begin something: puts the others; returns its place.
    private static func decodeRow(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, into sink: inout some ByteSink
    ) -> Int {
        var last = range.lowerBound
        while last + 1 < range.upperBound, bytes[last + 1] == ASCII.equals { last += 1 }
        sink.put(UnsafeBufferPointer(rebasing: bytes[range.lowerBound..<last]))
        return last
    }

    /// Codes come in rows where the text is not Latin: decodes all at the start of `range`, and returns where they end.
    @inline(__always)
    private static func decodeCodes(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, into sink: inout some ByteSink
    ) -> Int {
        var index = range.lowerBound
        while index + 2 < range.upperBound, bytes[index] == ASCII.equals,
            let high = bytes[index + 1].hexValue, let low = bytes[index + 2].hexValue
        {
            sink.put(high << 4 | low)
            index += 3
        }
        return index
    }
}
