/// Character references: `&amp;`, `&#8364;`, `&#x20AC;`. HTML Standard §13.2.5.72.
///
/// Decodes exactly as in the standard, or reports that it cannot. Then gumbo's table is used or, without gumbo, the
/// reference stays unchanged.
enum HTMLEntities {
    enum Reading {
        /// In text, where some references are valid without a semicolon.
        case text
        /// In attributes, where `?a=1&copy=2` does not contain ©.
        case attribute
        /// Unknown references stay unchanged.
        case lenient
    }

    private enum Reference {
        case scalar(Unicode.Scalar, count: Int)
        case literal
        case unknown
    }

    /// Returns whether all references were decoded as in the standard.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, _ reading: Reading, into output: inout [UInt8])
        -> Bool
    {
        var index = 0
        while index < text.count {
            let next = text.firstOffset(of: UInt8(ascii: "&"), from: index, to: text.count) ?? text.count
            output += text[index..<next]
            index = next
            guard index < text.count else { break }
            switch reference(text, at: index + 1, reading) {
            case .scalar(let scalar, let count):
                output += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
                index += 1 + count
            case .unknown where reading != .lenient: return false
            case .literal, .unknown:
                output.append(text[index])
                index += 1
            }
        }
        return true
    }

    private static func reference(
        _ text: UnsafeBufferPointer<UInt8>, at start: Int, _ reading: Reading
    ) -> Reference {
        guard start < text.count else { return .literal }
        if text[start] == 0x23 { return number(text, at: start + 1) }
        var end = start
        while end < text.count, end - start <= 32, text[end].isLetter || text[end].isDigit { end += 1 }
        guard end > start else { return .literal }
        let name = text[start..<end]
        if end < text.count, text[end] == ASCII.semicolon {
            let scalar = HTMLEntityTable.key(name).flatMap { HTMLEntityTable.scalars[$0] }
            return scalar.map { .scalar($0, count: end + 1 - start) } ?? .unknown
        }
        if reading == .attribute {
            let isWhole = HTMLEntityTable.key(name).map { HTMLEntityTable.legacy.contains($0) } ?? false
            return isWhole && !(end < text.count && text[end] == ASCII.equals) ? .unknown : .literal
        }
        let prefixes = 2...max(2, min(6, name.count))
        let isLegacy = prefixes.contains { count in
            HTMLEntityTable.key(name.prefix(count)).map { HTMLEntityTable.legacy.contains($0) } ?? false
        }
        return isLegacy ? .unknown : .literal
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>, at start: Int) -> Reference {
        guard start < text.count else { return .unknown }
        let isHex = text[start] | 0x20 == UInt8(ascii: "x")
        var index = isHex ? start + 1 : start
        let first = index
        var value: UInt32 = 0
        while index < text.count, index - first < 7, let digit = text[index].hexValue, isHex || digit < 10 {
            value = value * (isHex ? 16 : 10) + UInt32(digit)
            index += 1
        }
        guard index > first, index < text.count, text[index] == ASCII.semicolon, let scalar = scalar(value)
        else {
            return .unknown
        }
        return .scalar(scalar, count: index + 2 - start)
    }

    /// Numbers of windows-1252 mean what they mean there; controls and numbers without a character mean nothing.
    private static func scalar(_ value: UInt32) -> Unicode.Scalar? {
        switch value {
        case 0x09, 0x0A, 0x20...0x7E: return Unicode.Scalar(value)
        case 0x80...0x9F: return windows1252[Int(value) - 0x80]
        case 0xFDD0...0xFDEF: return nil
        case 0xA0...0x10FFFF: return value & 0xFFFE == 0xFFFE ? nil : Unicode.Scalar(value)
        case _: return nil
        }
    }

    private static let windows1252: [Unicode.Scalar?] = [
        "€", nil, "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", nil, "Ž", nil,
        nil, "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", nil, "ž", "Ÿ",
    ]
}
