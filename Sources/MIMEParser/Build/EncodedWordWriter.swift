/// Text outside ASCII as encoded words of at most 75 characters, in the shorter of the two encodings. RFC 2047 §2.
enum EncodedWordWriter {
    private static let overhead = "=?utf-8?q??=".utf8.count

    /// The encoded words of a text; `column` is the column of the first one.
    static func words(_ text: String, column: Int) -> [[UInt8]] {
        let isBase64 = text.utf8.reduce(0) { $0 + width($1) } > text.utf8.count * 4 / 3 + 2
        var words: [[UInt8]] = []
        var chunk: [UInt8] = []
        var room = max(24, 76 - column) - overhead
        var used = 0
        // Words are divided between scalars, because each must be valid text. RFC 2047 §5.
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            let cost = isBase64 ? bytes.count : bytes.reduce(0) { $0 + width($1) }
            if used + cost > (isBase64 ? room / 4 * 3 : room), !chunk.isEmpty {
                words.append(word(chunk, isBase64: isBase64))
                chunk = []
                used = 0
                room = 75 - overhead
            }
            chunk += bytes
            used += cost
        }
        if !chunk.isEmpty { words.append(word(chunk, isBase64: isBase64)) }
        return words
    }

    static func isWord(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [ASCII.equals, ASCII.question]) }

    private static func word(_ bytes: [UInt8], isBase64: Bool) -> [UInt8] {
        let payload = isBase64 ? Base64.encode(bytes) : bytes.flatMap(encodeQ)
        return Array("=?utf-8?\(isBase64 ? "b" : "q")?".utf8) + payload + [ASCII.question, ASCII.equals]
    }

    private static func encodeQ(_ byte: UInt8) -> [UInt8] {
        if byte == ASCII.space { return [ASCII.underscore] }
        return width(byte) == 1 ? [byte] : QuotedPrintable.escaped(byte)
    }

    /// The width of an encoded byte. Only characters allowed in a display name, the strictest place, stay unencoded.
    /// RFC 2047 §5 (3).
    private static func width(_ byte: UInt8) -> Int {
        let isSafe =
            byte.isLetter || byte.isDigit || byte == ASCII.space || byte == UInt8(ascii: "!")
            || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "+") || byte == ASCII.hyphen
            || byte == ASCII.slash
        return isSafe ? 1 : 3
    }
}
