import Foundation
import Models

/// Text in the form in which the search index stores it: composed and in lower case, as rules compare it. Scripts without
/// spaces between words, such as Chinese, get a space on both sides of each letter: the index stores each letter as one
/// token, and finds a word as a phrase of its letters.
///
/// The trap: a search must find every message that a rule with the same condition matches. So a change here needs the
/// same change in `FoldedText`, and vice versa; `SearchAgreementTests` compares them. Accents stay here, because SQLite's
/// tokenizer removes them.
struct IndexedText: Hashable, Sendable {
    /// The text for a query. The text for the index may also have ``longWordMark``.
    private(set) var text: [UInt8] = []
    private(set) var hasLongWord = false

    /// Follows a text that has a word longer than ``longestWord``. The index does not know the parts of such a word, so a
    /// search for a part always takes these messages as candidates.
    static let longWordMark = "opuslongword"
    static let longestWord = 120

    init(_ source: String) {
        var source = source
        source.withUTF8 { utf8 in
            text.reserveCapacity(utf8.count + 16)
            fold(utf8)
        }
    }

    var string: String { String(decoding: text, as: UTF8.self) }

    /// What the index stores.
    var forIndex: String { hasLongWord ? string + " " + Self.longWordMark : string }

    /// The words for which `isWanted` is true, without those that are too long.
    func words(where isWanted: (UnsafeBufferPointer<UInt8>) -> Bool) -> [String] {
        var found: [String] = []
        text.withUnsafeBufferPointer { bytes in
            Self.forEachWord(of: bytes) { word in
                if word.count <= Self.longestWord, isWanted(word) {
                    found.append(String(decoding: word, as: UTF8.self))
                }
            }
        }
        return found
    }

    // MARK: Reading

    private mutating func fold(_ utf8: UnsafeBufferPointer<UInt8>) {
        var index = 0
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
            if text.count - start > Self.longestWord { noteLongWords(from: start) }
        }
    }

    /// Letters and digits of ASCII, and every byte of a character beyond ASCII.
    static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }

    private mutating func append(other word: String) {
        let folded =
            ComposedLetters.lowercase(word) ?? word.precomposedStringWithCanonicalMapping.lowercased()
        for scalar in folded.unicodeScalars {
            switch scalar.value {
            case 0...0x7F: text.append(UInt8(truncatingIfNeeded: scalar.value))
            case 0xA0, 0x2000...0x206F: text.append(0x20)
            case 0x3C2: text += [0xCF, 0x83]  // the final sigma, as σ
            case _ where UnspacedScripts.contains(scalar):
                text.append(0x20)
                text += UTF8.encode(scalar) ?? .init()
                text.append(0x20)
            case _: text += UTF8.encode(scalar) ?? .init()
            }
        }
    }

    private mutating func noteLongWords(from start: Int) {
        hasLongWord = text.withUnsafeBufferPointer { bytes in
            var isLong = hasLongWord
            Self.forEachWord(of: UnsafeBufferPointer(rebasing: bytes[start...])) { word in
                isLong = isLong || word.count > Self.longestWord
            }
            return isLong
        }
    }

    private static func forEachWord(
        of bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var index = 0
        while index < bytes.count {
            guard isWord(bytes[index]) else {
                index += 1
                continue
            }
            let start = index
            while index < bytes.count, isWord(bytes[index]) { index += 1 }
            body(UnsafeBufferPointer(rebasing: bytes[start..<index]))
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
