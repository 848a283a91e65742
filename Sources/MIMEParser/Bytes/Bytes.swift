/// Properties of bytes and slices, named as in the grammars of mail.

/// The bytes with a meaning in mail.
enum ASCII {
    static let nul: UInt8 = 0x00
    static let tab: UInt8 = 0x09
    static let lf: UInt8 = 0x0A
    static let verticalTab: UInt8 = 0x0B
    static let formFeed: UInt8 = 0x0C
    static let cr: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let percent: UInt8 = 0x25
    static let leftParenthesis: UInt8 = 0x28
    static let rightParenthesis: UInt8 = 0x29
    static let comma: UInt8 = 0x2C
    static let hyphen: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let less: UInt8 = 0x3C
    static let equals: UInt8 = 0x3D
    static let greater: UInt8 = 0x3E
    static let question: UInt8 = 0x3F
    static let at: UInt8 = 0x40
    static let leftBracket: UInt8 = 0x5B
    static let backslash: UInt8 = 0x5C
    static let rightBracket: UInt8 = 0x5D
    static let underscore: UInt8 = 0x5F
    static let escape: UInt8 = 0x1B
    /// The second byte of U+0085 in UTF-8.
    static let nextLine: UInt8 = 0x85
    static let delete: UInt8 = 0x7F
}

extension UInt8 {
    /// A blank, a tab, or a part of a folded line end.
    var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }
    /// C0 or DEL.
    var isControl: Bool { self < 0x20 || self == 0x7F }

    var lowercasedASCII: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// The value of a hexadecimal digit in either case.
    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        case _: nil
        }
    }

    /// `token` of RFC 2045 §5.1.
    var isToken: Bool {
        guard self > 0x20, self < 0x7F else { return false }
        switch self {
        case 0x28, 0x29, 0x3C, 0x3E, 0x40, 0x2C, 0x3B, 0x3A, 0x5C, 0x22, 0x2F, 0x5B, 0x5D, 0x3F, 0x3D:
            return false
        case _: return true
        }
    }

    /// `atext` of RFC 5322 §3.2.3.
    var isAtomText: Bool {
        guard !isDigit, !isLetter else { return true }
        switch self {
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2F, 0x3D, 0x3F, 0x5E...0x60, 0x7B...0x7E: return true
        case _: return false
        }
    }

    /// `ftext` of RFC 5322 §3.6.8: a byte of a field name.
    var isHeaderName: Bool { self > 0x20 && self < 0x7F && self != ASCII.colon }
}

extension ArraySlice<UInt8> {
    /// Without blanks, tabs and line ends at both ends.
    var trimmed: ArraySlice<UInt8> {
        var low = startIndex
        var high = endIndex
        while low < high, self[low].isBlank { low += 1 }
        while high > low, self[high - 1].isBlank { high -= 1 }
        return self[low..<high]
    }

    var isBlank: Bool { allSatisfy(\.isBlank) }

    /// Whether this is the ASCII word, given in lower case; case is ignored.
    func isWord(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { expected in
            for offset in 0..<expected.count
            where self[startIndex + offset].lowercasedASCII != expected[offset] {
                return false
            }
            return true
        }
    }

    /// The text in lower case. Bytes that are not UTF-8 are replaced.
    var lowercasedText: String {
        String(unsafeUninitializedCapacity: count) { room in
            for (offset, byte) in enumerated() { room[offset] = byte.lowercasedASCII }
            return count
        }
    }
    var text: String { String(decoding: self, as: UTF8.self) }

    func hasPrefix(_ prefix: StaticString) -> Bool {
        guard count >= prefix.utf8CodeUnitCount else { return false }
        return prefix.withUTF8Buffer { zip(self, $0).allSatisfy { $0 == $1 } }
    }
}
