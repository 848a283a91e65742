/// Text of header fields before and after decoding.
public enum HeaderText {
    /// Decoded text on one line: line ends and tabs become blanks, other control characters U+FFFD. A byte order mark
    /// at the beginning is removed.
    ///
    /// An encoded word may contain a line break (`=?utf-8?q?a=0D=0ABcc:_evil?=`) that would become a field in a new
    /// message. This removes it, and the builder refuses it too.
    public static func clean(_ text: String) -> String {
        var text = text
        let line =
            text.withUTF8 { holdsControl($0) ? String(decoding: cleaned($0), as: UTF8.self) : nil }
            ?? trimmed(text)
        guard line.unicodeScalars.first == "\u{FEFF}" else { return line }
        return String(line.unicodeScalars.drop { $0 == "\u{FEFF}" || $0 == " " })
    }

    /// Only ASCII changes, so that the bytes stay UTF-8.
    private static func cleaned(_ bytes: UnsafeBufferPointer<UInt8>) -> ArraySlice<UInt8> {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 8)
        var lastWasBreak = false
        for byte in bytes {
            let isBreak = byte == ASCII.cr || byte == ASCII.lf || byte == ASCII.tab
            if isBreak {
                if !lastWasBreak { output.append(ASCII.space) }
            } else if byte.isControl {
                output += [0xEF, 0xBF, 0xBD]
            } else {
                output.append(byte)
            }
            lastWasBreak = isBreak
        }
        return output[...].trimmed
    }

    /// The text of a body of printable ASCII without encoded words, which most are; nil: any other body.
    static func plain(_ body: ArraySlice<UInt8>) -> String? {
        body.withUnsafeBufferPointer { bytes in
            var odd: UInt8 = 0
            // Without a branch, so that the compiler checks sixteen bytes at a time.
            for byte in bytes { odd |= byte &- 0x20 > 0x5E || byte == ASCII.question ? 1 : 0 }
            if odd == 0 { return String(decoding: bytes, as: UTF8.self) }
            guard isPlainButFolded(bytes) else { return nil }
            return String(unsafeUninitializedCapacity: bytes.count) { copyUnfolded(bytes, to: $0) }
        }
    }

    private static func isPlainButFolded(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var last: UInt8 = 0
        for byte in bytes {
            switch byte {
            case ASCII.cr, ASCII.lf: break
            case ASCII.tab: if last != ASCII.lf { return false }
            case ASCII.question: if last == ASCII.equals { return false }
            case _: if byte &- 0x20 > 0x5E { return false }
            }
            last = byte
        }
        return true
    }

    /// Text without encoded words, on one line: UTF-8, otherwise ISO-2022-JP if it has escape sequences, otherwise
    /// windows-1252.
    static func undeclared(_ bytes: ArraySlice<UInt8>) -> String {
        holdsEscape(bytes) ? Charset.decode(bytes, label: "iso-2022-jp") : Charset.guessed(bytes)
    }

    /// The body on one line: line ends are removed, the blanks after them stay, and a tab becomes a space.
    /// RFC 5322 §2.2.3.
    static func unfolded(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let body = body.trimmed
        let hasLineEnd = body.withUnsafeBufferPointer { bytes in
            var folds: UInt8 = 0
            for byte in bytes { folds |= byte == ASCII.cr || byte == ASCII.lf ? 1 : 0 }
            return folds != 0
        }
        return hasLineEnd ? joined(body)[...] : body
    }

    /// A piece of a body on one line. A line end that is not folding becomes a space.
    static func joined(_ piece: ArraySlice<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: piece.count) { room, count in
            count = piece.withUnsafeBufferPointer { copyUnfolded($0, to: room) }
        }
    }

    /// `room` must be at least as large as the piece.
    private static func copyUnfolded(
        _ piece: UnsafeBufferPointer<UInt8>, to room: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var count = 0
        for index in 0..<piece.count {
            let byte = piece[index]
            if byte != ASCII.lf, byte != ASCII.cr {
                let isFold = byte == ASCII.tab && index > 0 && piece[index - 1] == ASCII.lf
                room[count] = isFold ? ASCII.space : byte
                count += 1
            } else if index + 1 == piece.count || !piece[index + 1].isBlank {
                room[count] = ASCII.space
                count += 1
            }
        }
        return count
    }

    static func mayHoldWords(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var last: UInt8 = 0
            for byte in bytes {
                if byte == ASCII.question, last == ASCII.equals { return true }
                last = byte
            }
            return false
        }
    }

    /// Whether it contains `ESC $ B`, `ESC ( B` or similar. Other header text does not.
    private static func holdsEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let escape = rest.firstIndex(of: ASCII.escape), escape + 1 < bytes.endIndex {
            if bytes[escape + 1] == UInt8(ascii: "$") || bytes[escape + 1] == ASCII.leftParenthesis {
                return true
            }
            rest = bytes[(escape + 1)...]
        }
        return false
    }

    private static func holdsControl(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var controls: UInt8 = 0
        for byte in bytes { controls |= byte.isControl ? 1 : 0 }
        return controls != 0
    }

    private static func trimmed(_ text: String) -> String {
        guard text.utf8.first == ASCII.space || text.utf8.last == ASCII.space else { return text }
        var view = text.unicodeScalars[...]
        while view.first == " " { view.removeFirst() }
        while view.last == " " { view.removeLast() }
        return String(view)
    }
}
