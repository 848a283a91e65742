import CRE2
import Foundation
import Models

/// Text in its comparable form: lower case, composed, with every run of white space as one space.
///
/// Stored as bytes, because a body is folded once and then searched by many rules.
struct FoldedText: Hashable, Sendable {
    let bytes: [UInt8]
    /// The text without the accents of Latin letters: conditions on words ignore them. nil: it has none.
    private let plain: [UInt8]?
    /// The text in the form in which words are compared.
    var words: [UInt8] { plain ?? bytes }
    /// Whether it has accents that words ignore.
    var hasAccents: Bool { plain != nil }

    init(_ text: String) {
        var text = text
        let isASCII = text.withUTF8 { $0.allSatisfy { $0 < 0x80 } }
        var source =
            isASCII
            ? text
            : ComposedLetters.lowercase(text) ?? text.precomposedStringWithCanonicalMapping.lowercased()
        var folded = source.withUTF8 { Self.collapse($0) }
        if !isASCII { Self.replaceFinalSigmas(in: &folded) }
        bytes = folded
        plain = isASCII ? nil : PlainLetters.of(folded)
    }

    /// Text that is folded already.
    init(folded bytes: [UInt8]) {
        var bytes = bytes
        Self.replaceFinalSigmas(in: &bytes)
        self.bytes = bytes
        plain = PlainLetters.of(bytes)
    }

    /// Replaces `ς`, which Greek writes at the end of a word, by `σ`. Capitals have one letter for both, `Σ`.
    private static func replaceFinalSigmas(in bytes: inout [UInt8]) {
        var start = 0
        while let found = find([0xCF, 0x82], in: bytes[start...]) {
            bytes[found + 1] = 0x83
            start = found + 2
        }
    }

    private static func collapse(_ utf8: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: utf8.count) { result, count in
            var pendingBlank = false
            var index = 0
            while index < utf8.count {
                let byte = utf8[index]
                // Most bytes of most texts are ASCII letters.
                let blank = byte > 0x20 && byte < 0xC2 ? 0 : blankLength(utf8, index, byte)
                if blank > 0 {
                    pendingBlank = count > 0
                    index += blank
                    continue
                }
                if pendingBlank {
                    result[count] = 0x20
                    count += 1
                    pendingBlank = false
                }
                result[count] = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
                count += 1
                index += 1
            }
        }
    }

    /// The number of white-space bytes that begin here; U+00A0, U+202F and U+3000 count as white space.
    private static func blankLength(
        _ utf8: UnsafeBufferPointer<UInt8>, _ index: Int, _ byte: UInt8
    ) -> Int {
        switch byte {
        case 0x09...0x0D, 0x20: 1
        case 0xC2: index + 1 < utf8.count && utf8[index + 1] == 0xA0 ? 2 : 0
        case 0xE2:
            index + 2 < utf8.count && utf8[index + 1] == 0x80 && utf8[index + 2] == 0xAF ? 3 : 0
        case 0xE3:
            index + 2 < utf8.count && utf8[index + 1] == 0x80 && utf8[index + 2] == 0x80 ? 3 : 0
        case _: 0
        }
    }

    var isEmpty: Bool { bytes.isEmpty }
    /// Whether it can be part of an address that includes the `@`.
    var hasAt: Bool { bytes.contains(UInt8(ascii: "@")) }
    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether this text contains the other one. Ignores accents, unless the other one has an `@`: an address with an accent
    /// is another address.
    func contains(_ other: FoldedText) -> Bool {
        let (part, text) = Self.compared(other, self)
        return Self.find(part, in: text[...]) != nil
    }

    /// The bytes of both that are compared.
    private static func compared(_ part: FoldedText, _ text: FoldedText) -> (part: [UInt8], text: [UInt8]) {
        part.hasAt ? (part.bytes, text.bytes) : (part.words, text.words)
    }

    /// Whether this is that domain or one of its subdomains.
    func isDomain(_ domain: FoldedText) -> Bool {
        let (own, other) = (bytes, domain.bytes)
        guard own.count >= other.count, own.suffix(other.count).elementsEqual(other) else { return false }
        return own.count == other.count || own[own.count - other.count - 1] == UInt8(ascii: ".")
    }

    /// Whether the words occur in this text consecutively, beginning at the start of a word.
    ///
    /// `invoice` finds "Invoices", `voice` does not. In scripts without spaces, and after their letters, matches may begin
    /// anywhere. Ignores accents, as ``contains(_:)`` does.
    func containsPhrase(_ other: FoldedText) -> Bool {
        let (phrase, text) = Self.compared(other, self)
        guard !phrase.isEmpty, var found = Self.find(phrase, in: text[...]),
            let first = Self.firstScalar(of: phrase)
        else { return false }
        if !Self.isWord(first) || UnspacedScripts.contains(first) { return true }
        while let before = Self.scalar(before: found, in: text), Self.isWord(before),
            !UnspacedScripts.contains(before)
        {
            guard let next = Self.find(phrase, in: text[(found + 1)...]) else { return false }
            found = next
        }
        return true
    }

    private static func find(_ needle: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        let found = text.withUnsafeBytes { haystack in
            needle.withUnsafeBytes {
                opus_find_bytes(haystack.baseAddress, haystack.count, $0.baseAddress, $0.count)
            }
        }
        return found < 0 ? nil : text.startIndex + Int(found)
    }

    var firstScalar: Unicode.Scalar? { Self.firstScalar(of: bytes) }

    private static func firstScalar(of bytes: [UInt8]) -> Unicode.Scalar? {
        String(decoding: bytes.prefix(4), as: UTF8.self).unicodeScalars.first
    }

    private static func scalar(before index: Int, in bytes: [UInt8]) -> Unicode.Scalar? {
        var start = index - 1
        while start > 0, index - start < 4, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        guard start >= 0, start < index else { return nil }
        return String(decoding: bytes[start..<index], as: UTF8.self).unicodeScalars.last
    }

    /// Letters, digits and their combining marks.
    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return (0x30...0x39).contains(scalar.value) || (0x61...0x7A).contains(scalar.value | 0x20)
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            return true
        default:
            return false
        }
    }
}

extension String {
    /// The text folded, as text.
    var folded: String { FoldedText(self).string }
}
