import Foundation
import GRDB
import Models
import Testing

/// What `PlainLetters` removes, the tokenizer of the search index removes too: otherwise a search would miss what a rule
/// matches.
@Suite("Letters without accents")
struct PlainLettersTests {
    private static func tokens(_ text: String, _ db: Database) throws -> [String] {
        try db.makeTokenizer(.unicode61(diacritics: .remove, categories: "L* N*"))
            .tokenize(query: text).map(\.token)
    }

    private static let letters: [UInt32] =
        Array(0x80...0x24F) + Array(0x300...0x36F) + Array(0x1E00...0x1EFF) + Array(0x2000...0x206F)

    @Test("the index has the same word for a letter with an accent and for the letter alone")
    func sameWord() throws {
        var changed = 0
        try DatabaseQueue().read { db in
            for value in Self.letters {
                guard let scalar = Unicode.Scalar(value) else { continue }
                for text in ["x\(scalar)y", "\(scalar)", "a \(scalar) b"] {
                    let plain = PlainLetters.of(text)
                    if plain == text { continue }
                    changed += 1
                    let (known, wanted) = (try Self.tokens(text, db), try Self.tokens(plain, db))
                    #expect(known == wanted, "U+\(String(value, radix: 16)) in \(text.debugDescription)")
                }
            }
        }
        #expect(changed > 1_400)
    }

    @Test(
        "accents of Latin letters go; other letters, other scripts and broken text stay",
        arguments: [
            ("café", "cafe"), ("việt nam", "viet nam"), ("ångström", "angstrom"),
            ("i\u{307}stanbul", "istanbul"), ("łódź", "łodz"), ("øre æ ß", "øre æ ß"), ("й ё ά", "й ё ά"),
            ("か\u{3099}", "か\u{3099}"), ("", ""), ("don’t ‘e‑mail‘ — “x”", "don't 'e-mail' — “x”"),
        ])
    func letters(_ text: String, _ plain: String) { #expect(PlainLetters.of(text) == plain) }

    @Test("a text that ends in the middle of a letter is left as it is")
    func broken() {
        #expect(PlainLetters.of([0x61, 0xC3]) == nil)
        #expect(PlainLetters.of([0xE1, 0xBA]) == nil)
        #expect(PlainLetters.of([0xE2, 0x80]) == nil)
        #expect(PlainLetters.of([0xC3, 0xA9, 0xCC]) == [0x65, 0xCC])
    }
}
