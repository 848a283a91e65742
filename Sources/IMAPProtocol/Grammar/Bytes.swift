/// The octets with a special meaning in IMAP, and comparisons without case.

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let openParenthesis = UInt8(ascii: "(")
    static let closeParenthesis = UInt8(ascii: ")")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let star = UInt8(ascii: "*")
    static let plus = UInt8(ascii: "+")
    static let minus = UInt8(ascii: "-")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let ampersand = UInt8(ascii: "&")

    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }
    var uppercased: UInt8 { self >= 0x61 && self <= 0x7A ? self - 0x20 : self }
    var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self + 0x20 : self }

    /// Whether the octet may be in an atom that we send. RFC 3501 §9 (`ATOM-CHAR`).
    var isAtomCharacter: Bool {
        switch self {
        case 0x00...0x20, 0x7F...0xFF: false
        case .openParenthesis, .closeParenthesis, .openBrace, .quote, .backslash, .star, .closeBracket,
            UInt8(ascii: "%"):
            false
        default: true
        }
    }
}

extension Sequence where Element == UInt8 {
    /// The octets as a word to compare with: upper case, other octets as they are.
    var uppercasedWord: String { String(decoding: map(\.uppercased), as: UTF8.self) }
}

extension Collection where Element == UInt8 {
    /// As above, without an array between: words of up to 15 octets take no memory at all.
    var uppercasedWord: String { word(\.uppercased) }
    var lowercasedWord: String { word(\.lowercased) }

    private func word(_ change: (UInt8) -> UInt8) -> String {
        String(unsafeUninitializedCapacity: count) { buffer in
            var length = 0
            for byte in self where length < buffer.count {
                buffer[length] = change(byte)
                length += 1
            }
            return length
        }
    }
}

/// The words of a server, kept as they came but never longer than `maximum` bytes.
///
/// Text from a stranger: escape it before you show it.
public func serverText(_ bytes: some Collection<UInt8>, maximum: Int = 500) -> String {
    guard bytes.count > maximum else { return String(decoding: bytes, as: UTF8.self) }
    var kept = Array(bytes.prefix(maximum))
    // Do not cut a UTF-8 sequence in two.
    if bytes.dropFirst(maximum).first.map({ $0 & 0xC0 == 0x80 }) == true {
        while let last = kept.popLast(), last & 0xC0 == 0x80 {}
    }
    return String(decoding: kept, as: UTF8.self) + "…"
}
