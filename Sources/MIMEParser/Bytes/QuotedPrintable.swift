/// The quoted-printable transfer encoding. RFC 2045 §6.7.
///
/// The decoder takes what mail really holds: an `=` that begins no code stays as it is, blanks may
/// stand between the `=` of a soft line break and the end of its line, digits come in either case.
enum QuotedPrintable {
    static func decode(_ bytes: ArraySlice<UInt8>, into sink: inout some ByteSink) {
        var index = bytes.startIndex
        // Blanks at the end of a line were added on the way; those before a letter were written.
        var blanks = index
        while index < bytes.endIndex, !sink.isFull {
            let byte = bytes[index]
            if byte == ASCII.space || byte == ASCII.tab {
                index += 1
                continue
            }
            let endsLine = byte == ASCII.lf || (byte == ASCII.cr && isLineEnd(bytes, index))
            if !endsLine { for blank in blanks..<index { sink.put(bytes[blank]) } }
            if byte == ASCII.equals {
                index = code(bytes, at: index, into: &sink)
            } else {
                sink.put(byte)
                index += 1
            }
            blanks = index
        }
    }

    static func decode(_ bytes: ArraySlice<UInt8>, limit: Int = .max) -> [UInt8] {
        var sink = ByteCollector(limit: limit, expecting: bytes.count)
        decode(bytes, into: &sink)
        return sink.bytes
    }

    /// Text with lines of at most 76 characters. Line ends in the text (CRLF) stay line ends.
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
            // `From ` and a lonely dot at the start of a line are changed by old programs on the way.
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

    private static func isLineEnd(_ bytes: ArraySlice<UInt8>, _ index: Int) -> Bool {
        index + 1 < bytes.endIndex && bytes[index + 1] == ASCII.lf
    }

    /// What an `=` begins: a code, a soft line break, or nothing.
    private static func code(
        _ bytes: ArraySlice<UInt8>, at equals: Int, into sink: inout some ByteSink
    ) -> Int {
        var index = equals + 1
        if index + 1 < bytes.endIndex, let high = bytes[index].hexValue, let low = bytes[index + 1].hexValue {
            sink.put(high << 4 | low)
            return index + 2
        }
        while index < bytes.endIndex, bytes[index] == ASCII.space || bytes[index] == ASCII.tab { index += 1 }
        guard index < bytes.endIndex else { return index }
        if bytes[index] == ASCII.lf { return index + 1 }
        if bytes[index] == ASCII.cr { return isLineEnd(bytes, index) ? index + 2 : index + 1 }
        sink.put(ASCII.equals)
        return equals + 1
    }
}
