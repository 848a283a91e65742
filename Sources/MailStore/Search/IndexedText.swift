import Foundation

/// Text in the form in which the search index stores it: composed and in lower case, as rules compare it. Scripts without
/// spaces between words, such as Chinese, get a space on both sides of each letter: the index stores each letter as one
/// token, and finds a word as a phrase of its letters.
///
/// The trap: a search must find every message that a rule with the same condition matches. So a change here
/// needs the same change in `FoldedText`, and vice versa; `SearchAgreementTests` compares them.
struct IndexedText {
    /// The text for the index.
    private(set) var text: [UInt8] = []
    /// The words that the caller wanted; see ``init(_:wanted:)``.
    private(set) var words: Set<String> = []

    /// Added to a text that has a word longer than ``longestWord``. The index does not know the parts of such a word, so a
    /// search for a part always takes these messages as candidates.
    static let longWordMark = "opuslongword"
    static let longestWord = 120

    /// `wanted` decides for each word whether it goes into ``words``. Without it, ``words`` stays empty.
    init(_ source: String, wanted: ((UnsafeBufferPointer<UInt8>) -> Bool)? = nil) {
        var source = source
        source.withUTF8 { utf8 in
            text.reserveCapacity(utf8.count + 16)
            fold(utf8, wanted)
        }
    }

    var string: String { String(decoding: text, as: UTF8.self) }

    // MARK: Reading

    private mutating func fold(
        _ utf8: UnsafeBufferPointer<UInt8>, _ wanted: ((UnsafeBufferPointer<UInt8>) -> Bool)?
    ) {
        var index = 0
        var hasLongWord = false
        while index < utf8.count {
            let byte = utf8[index]
            guard Self.isWord(byte) else {
                text.append(byte == 0 ? 0x20 : byte)
                index += 1
                continue
            }
            let start = text.count
            var isASCII = true
            let from = index
            while index < utf8.count, Self.isWord(utf8[index]) {
                let byte = utf8[index]
                if byte >= 0x80 { isASCII = false }
                text.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
                index += 1
            }
            if !isASCII {
                text.removeSubrange(start...)
                append(other: String(decoding: utf8[from..<index], as: UTF8.self))
            }
            if let wanted { hasLongWord = note(from: start, wanted) || hasLongWord }
        }
        if hasLongWord { text += Array(" \(Self.longWordMark)".utf8) }
    }

    /// Letters and digits of ASCII, and every byte of a character beyond ASCII.
    static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }

    private mutating func append(other word: String) {
        let folded = word.precomposedStringWithCanonicalMapping.lowercased()
        for scalar in folded.unicodeScalars {
            switch scalar.value {
            case 0...0x7F: text.append(UInt8(truncatingIfNeeded: scalar.value))
            case 0xA0, 0x2000...0x206F: text.append(0x20)
            case _ where Self.isUnspaced(scalar):
                text.append(0x20)
                text += UTF8.encode(scalar) ?? .init()
                text.append(0x20)
            case _: text += UTF8.encode(scalar) ?? .init()
            }
        }
    }

    /// Collects the words from `start` on.
    ///
    /// - Returns: Whether one of them is longer than ``longestWord``.
    private mutating func note(
        from start: Int, _ wanted: (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool {
        var isLong = false
        var found: [Range<Int>] = []
        text.withUnsafeBufferPointer { bytes in
            var index = start
            while index < bytes.count {
                guard Self.isWord(bytes[index]) else {
                    index += 1
                    continue
                }
                let from = index
                while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
                guard index - from <= Self.longestWord else {
                    isLong = true
                    continue
                }
                if wanted(UnsafeBufferPointer(rebasing: bytes[from..<index])) { found.append(from..<index) }
            }
        }
        for range in found { words.insert(String(decoding: text[range], as: UTF8.self)) }
        return isLong
    }

    /// Chinese, Japanese, Thai, Lao, Khmer, Burmese; the same ranges as in `FoldedText.isUnspaced`.
    static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x9FFF,
            0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        case _: false
        }
    }

    /// Letters, marks and numbers, and all of ASCII.
    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return true }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            return true
        default: return false
        }
    }
}
