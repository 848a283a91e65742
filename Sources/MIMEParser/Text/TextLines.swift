/// Lines of decoded text.
enum TextLines {
    /// Turns CRLF, CR, and the controls that end a line (vertical tab, form feed, NEL) into LF, and removes the other control
    /// characters (C0 except tab, DEL, C1). Word processors write a vertical tab for a line end inside a paragraph.
    static func normalised(_ text: String) -> String {
        var text = text
        return text.withUTF8 { source -> String? in
            guard mayHoldControls(source) else { return nil }
            return String(unsafeUninitializedCapacity: source.count) { normalise(source, into: $0) }
        } ?? text
    }

    /// Also true for U+00A0 to U+00BF, whose first byte is that of C1. It has no branch, so that many bytes are checked
    /// at once.
    private static func mayHoldControls(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt8 = 0
        for byte in source {
            let isControl = byte < 0x20 && byte != ASCII.lf && byte != ASCII.tab
            found |= isControl || byte == ASCII.delete || byte == 0xC2 ? 1 : 0
        }
        return found != 0
    }

    /// Never writes more bytes than it reads. Returns how many it wrote.
    private static func normalise(
        _ source: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var written = 0
        var index = 0
        while index < source.count {
            var byte = source[index]
            index += 1
            if byte == ASCII.cr {
                byte = ASCII.lf
                if index < source.count, source[index] == ASCII.lf { index += 1 }
            } else if byte == ASCII.verticalTab || byte == ASCII.formFeed {
                byte = ASCII.lf
            } else if byte.isControl, byte != ASCII.lf, byte != ASCII.tab {
                continue
            } else if byte == 0xC2, index < source.count, source[index] < 0xA0 {
                index += 1
                guard source[index - 1] == ASCII.nextLine else { continue }
                byte = ASCII.lf
            }
            target[written] = byte
            written += 1
        }
        return written
    }

    static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
        }
    }

    /// At most `limit` bytes, cut between scalars.
    static func capped(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var text = text
        return text.withUTF8 { source in
            var end = max(0, limit)
            while end > 0, source[end] & 0xC0 == 0x80 { end -= 1 }
            return String(decoding: source[..<end], as: UTF8.self)
        }
    }
}
