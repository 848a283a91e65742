/// Writes a text composed (Unicode's form NFC) and in lower case, as rules and the search index compare it, if all its
/// characters allow that in one pass.
///
/// Foundation does it with any text, but needs microseconds for each call and copies the text several times. Most texts
/// are composed already, and hold only characters whose lower case has as many bytes in UTF-8.
///
/// Composing leaves a text alone if every character in it has the properties `NFC_Quick_Check=Yes` and
/// `Canonical_Combining_Class=0` (Unicode Standard Annex 15, section 9). ``isComposed(_:)`` lists ranges of such
/// characters, not all of them.
public enum ComposedLetters {
    /// The text composed and in lower case; nil if it has a character that is not listed here.
    public static func lowercase(_ text: String) -> String? {
        var text = text
        return text.withUTF8 { utf8 in
            var isKnown = true
            let lower = String(unsafeUninitializedCapacity: utf8.count) { result in
                guard let end = write(utf8, to: result) else {
                    isKnown = false
                    return 0
                }
                return end
            }
            return isKnown ? lower : nil
        }
    }

    private static func write(
        _ utf8: UnsafeBufferPointer<UInt8>, to result: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        var index = 0
        while index < utf8.count {
            let first = utf8[index]
            switch first {
            case ..<0x80:
                result[index] = first &- 0x41 < 26 ? first | 0x20 : first
                index += 1
            case ..<0xE0:
                let value = UInt32(first & 0x1F) << 6 | UInt32(utf8[index + 1] & 0x3F)
                guard value <= lastOfTable else { return nil }
                let lower = lowerCase[Int(value - firstOfTable)]
                guard lower > 0 else { return nil }
                result[index] = UInt8(0xC0 | lower >> 6)
                result[index + 1] = UInt8(0x80 | lower & 0x3F)
                index += 2
            case ..<0xF0:
                let value =
                    UInt32(first & 0x0F) << 12 | UInt32(utf8[index + 1] & 0x3F) << 6
                    | UInt32(utf8[index + 2] & 0x3F)
                guard isComposed(value) else { return nil }
                for byte in index..<index + 3 { result[byte] = utf8[byte] }
                index += 3
            case _:
                let value =
                    UInt32(first & 0x07) << 18 | UInt32(utf8[index + 1] & 0x3F) << 12
                    | UInt32(utf8[index + 2] & 0x3F) << 6 | UInt32(utf8[index + 3] & 0x3F)
                guard isComposed(value) else { return nil }
                for byte in index..<index + 4 { result[byte] = utf8[byte] }
                index += 4
            }
        }
        return index
    }

    /// Characters from U+0800 on, all without a lower case.
    static func isComposed(_ value: UInt32) -> Bool {
        switch value {
        case 0x2002...0x205E,  // spaces, dashes, quotation marks
            0x20A0...0x20C0,  // currencies
            0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC,  // punctuation, hiragana and katakana
            0x3400...0x4DBF, 0x4E00...0x9FFF,  // Chinese characters
            0xAC00...0xD7A3,  // Hangul syllables
            0xFE00...0xFE0F,  // variation selectors
            0x1F300...0x1FAF8:  // pictures
            true
        case _: false
        }
    }

    // MARK: Two bytes

    static let firstOfTable: UInt32 = 0x80
    static let lastOfTable: UInt32 = 0x52F

    /// The lower case of each character from ``firstOfTable`` to ``lastOfTable``: Latin, Greek and Cyrillic letters.
    /// 0: composing may change the character, or its lower case has another length.
    static let lowerCase: [UInt16] = (firstOfTable...lastOfTable).map { value in
        guard !mayCompose(value),
            let lower = Unicode.Scalar(value)?.properties.lowercaseMapping.unicodeScalars,
            lower.count == 1, let scalar = lower.first, (0x80...0x7FF).contains(scalar.value)
        else { return 0 }
        return UInt16(scalar.value)
    }

    /// Combining marks, and Greek characters that composing replaces.
    private static func mayCompose(_ value: UInt32) -> Bool {
        switch value {
        case 0x300...0x36F, 0x374, 0x37E, 0x387, 0x483...0x489: true
        case _: false
        }
    }
}
