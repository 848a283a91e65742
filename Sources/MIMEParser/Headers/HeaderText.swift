/// Text of header fields before and after decoding.
public enum HeaderText {
    /// Decoded text as one line: line ends and tabs become blanks, other control characters U+FFFD.
    ///
    /// An encoded word can hold a line break (`=?utf-8?q?a=0D=0ABcc:_evil?=`) that would become a field of its own
    /// in the next message we write. It ends here; the builder refuses it once more.
    public static func clean(_ text: String) -> String {
        guard text.utf8.contains(where: \.isControl) else { return trimmed(text) }
        var scalars = String.UnicodeScalarView()
        var lastWasBreak = false
        for scalar in text.unicodeScalars {
            let isBreak = scalar == "\r" || scalar == "\n" || scalar == "\t"
            if isBreak {
                if !lastWasBreak { scalars.append(" ") }
            } else {
                scalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar)
            }
            lastWasBreak = isBreak
        }
        return trimmed(String(scalars))
    }

    /// The body on one line: line ends are removed, the blanks behind them stay. RFC 5322 §2.2.3.
    static func unfolded(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let body = body.trimmed
        guard body.contains(where: { $0 == ASCII.cr || $0 == ASCII.lf }) else { return body }
        var output: [UInt8] = []
        output.reserveCapacity(body.count)
        for (index, byte) in zip(body.indices, body) {
            guard byte == ASCII.lf || byte == ASCII.cr else {
                output.append(byte)
                continue
            }
            // A line end inside a body that is no folding still separates words.
            if index + 1 < body.endIndex, !body[index + 1].isBlank { output.append(ASCII.space) }
        }
        return output[...]
    }

    static func mayHoldWords(_ bytes: ArraySlice<UInt8>) -> Bool {
        var last: UInt8 = 0
        for byte in bytes {
            if byte == ASCII.question, last == ASCII.equals { return true }
            last = byte
        }
        return false
    }

    private static func trimmed(_ text: String) -> String {
        guard text.utf8.first == ASCII.space || text.utf8.last == ASCII.space else { return text }
        var view = text.unicodeScalars[...]
        while view.first == " " { view.removeFirst() }
        while view.last == " " { view.removeLast() }
        return String(view)
    }
}
