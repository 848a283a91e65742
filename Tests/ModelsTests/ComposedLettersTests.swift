import Foundation
import Testing

@testable import Models

/// The fast way gives what Foundation gives.
struct ComposedLettersTests {
    /// As the callers use it.
    private static func folded(_ text: String) -> String { ComposedLetters.lowercase(text) ?? expected(text) }

    private static func expected(_ text: String) -> String {
        text.precomposedStringWithCanonicalMapping.lowercased()
    }

    private static let scalars = (UInt32(0)...0x1FFFF).compactMap(Unicode.Scalar.init)

    @Test("each character is composed as Foundation does")
    func each() {
        for scalar in Self.scalars {
            let text = String(Character(scalar))
            #expect(
                Array(Self.folded(text).utf8) == Array(Self.expected(text).utf8),
                "U+\(String(scalar.value, radix: 16))")
        }
    }

    /// What follows a character may compose with it: each pair of a listed character and a combining one, and pairs of
    /// neighbours in all ranges.
    @Test("composing does not change a text of listed characters")
    func pairs() {
        let listed = Self.scalars.filter {
            $0.value >= 0x80 && ComposedLetters.lowercase(String(Character($0))) != nil
        }
        #expect(listed.count > 35_000)
        for scalar in listed { #expect(scalar.properties.canonicalCombiningClass == .notReordered) }
        var text = "a"
        for scalar in listed {
            text.unicodeScalars.append(scalar)
            text.unicodeScalars.append(contentsOf: "e".unicodeScalars)
            text.unicodeScalars.append(scalar)
        }
        #expect(Array(text.precomposedStringWithCanonicalMapping.utf8) == Array(text.utf8))
        #expect(Array(Self.folded(text).utf8) == Array(Self.expected(text).utf8))
    }

    @Test(
        "texts that must be composed or grow are composed",
        arguments: [
            "e\u{301}", "E\u{301}TE\u{301}", "\u{1100}\u{1161}", "\u{AC00}\u{11A8}", "\u{212B}ngström",
            "İstanbul", "ΌΣΟΣ",
            "\u{3C9}\u{301}", "か\u{3099}", "\u{958}\u{93C}", "ẞ", "Ⱥ", "Ａｂｃ", "\u{2126}", "a\u{30A}\u{327}",
        ])
    func composed(text: String) {
        #expect(Array(Self.folded(text).utf8) == Array(Self.expected(text).utf8))
    }

    @Test("random texts are composed as Foundation does")
    func random() {
        var numbers = SystemRandomNumberGenerator()
        let pool: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0x20...0x7E, 0xA0...0x24F, 0x300...0x36F, 0x370...0x52F, 0x2000...0x206F,
            0x3040...0x30FF,
            0x4E00...0x4E80, 0x1100...0x11FF, 0xAC00...0xAC40, 0xFE00...0xFE0F, 0x1F600...0x1F640,
        ]
        for _ in 0..<3_000 {
            let kinds = (0..<2).map { _ in pool.randomElement(using: &numbers) ?? 0x41...0x5A }
            var text = ""
            for _ in 0..<Int.random(in: 1...12, using: &numbers) {
                let range = kinds.randomElement(using: &numbers) ?? 0x41...0x5A
                guard let scalar = Unicode.Scalar(UInt32.random(in: range, using: &numbers)) else { continue }
                text.unicodeScalars.append(scalar)
            }
            #expect(
                Array(Self.folded(text).utf8) == Array(Self.expected(text).utf8),
                "\(Array(text.unicodeScalars))")
        }
    }
}
