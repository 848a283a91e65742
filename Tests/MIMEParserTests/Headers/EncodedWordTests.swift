import Testing

@testable import MIMEParser

@Suite struct EncodedWordTests {
    @Test(
        "encoded words are decoded",
        arguments: [
            ("plain text stays", "plain text", "plain text"),
            ("Q", "=?utf-8?Q?Caf=C3=A9_au_lait?=", "Café au lait"),
            ("B", "=?UTF-8?B?Q2Fmw6k=?=", "Café"),
            ("adjacent words join", "=?utf-8?q?a?= =?utf-8?q?b?=", "ab"),
            ("adjacent words join across a fold", "=?utf-8?q?a?=\r\n =?utf-8?q?b?=", "ab"),
            ("text between words keeps its blanks", "=?utf-8?q?a?= x =?utf-8?q?b?=", "a x b"),
            (
                "a character split across two words", "=?utf-8?b?w6k=?= =?utf-8?q?=E2=82?= =?utf-8?q?=AC?=",
                "é€"
            ),
            ("a character split across words of both encodings", "=?utf-8?b?4oI=?= =?utf-8?q?=AC?=", "€"),
            ("different charsets do not join bytes", "=?iso-8859-1?q?=E9?= =?utf-8?q?=C3=A9?=", "éé"),
            ("glued to text", "a=?utf-8?q?b?=c", "abc"),
            ("inside quotes", "\"=?utf-8?q?Ren=C3=A9?= X\"", "\"René X\""),
            ("unknown charset stays as it is", "=?x-klingon?q?abc?=", "=?x-klingon?q?abc?="),
            ("empty charset stays as it is", "=??q?abc?=", "=??q?abc?="),
            ("unknown encoding stays as it is", "=?utf-8?z?abc?=", "=?utf-8?z?abc?="),
            ("a language tag is skipped", "=?utf-8*en?q?abc?=", "abc"),
            ("a payload that begins with a code", "=?utf-8?q?=3D?=", "="),
            ("a bad code stays as it is", "=?utf-8?q?100=ZZ?=", "100=ZZ"),
            ("blanks in a B word are skipped", "=?utf-8?b?Q2Fm w6k=?=", "Café"),
            ("an empty word is nothing", "a =?utf-8?q??= b", "a  b"),
            ("Japanese", "=?iso-2022-jp?b?GyRCRnxLXBsoQg==?=", "日本"),
            ("a Latin-1 label is read as windows-1252", "=?iso-8859-1?q?=93x=94?=", "“x”"),
            ("bare 8-bit UTF-8", "Caf\u{E9}", "Café"),
        ])
    func words(_ name: String, _ input: String, _ expected: String) {
        #expect(EncodedWord.decode(input) == expected, "\(name)")
    }

    @Test("a line break in an encoded word becomes a space")
    func hostileWord() {
        #expect(EncodedWord.decode("=?utf-8?q?a=0D=0ABcc:_evil@x.org?=") == "a Bcc: evil@x.org")
        #expect(EncodedWord.decode("=?utf-8?q?a=00=1B[2J?=") == "a\u{FFFD}\u{FFFD}[2J")
    }

    @Test("undeclared 8-bit text that is not UTF-8 is read as windows-1252")
    func bareBytes() {
        #expect(EncodedWord.decode([0x43, 0xE9, 0x80][...]) == "Cé€")
    }

    @Test("words beyond the limit are not decoded")
    func limit() {
        let decoded = EncodedWord.decode(Array("=?l1?q?a?= =?l1?q?b?= =?l1?q?c?=".utf8)[...], limit: 2)
        #expect(decoded == "ab =?l1?q?c?=")
    }

    @Test(
        "a flood of incomplete words takes linear time",
        arguments: ["=?", "=?utf-8?q?", "=?x?q?a?=", "=?utf-8?q?a?=", "=?utf-8?b?=?"])
    func flood(_ piece: String) {
        let input = Array(String(repeating: piece, count: 65_536 / piece.utf8.count).utf8)
        let time = ContinuousClock().measure { _ = EncodedWord.decode(input[...], limit: .max) }
        #expect(time < Bound.time)
    }

    @Test("written words are read back, and have at most 75 characters")
    func roundTrip() {
        let texts = [
            "é", "Café au lait, très chaud, à emporter, s'il vous plaît — merci beaucoup à vous",
            "日本語の件名がとても長い場合でも正しく折り返されること",
            "👩‍💻👨‍👩‍👧‍👦 family", "=?utf-8?q?not_a_word?=", " leading", "two  blanks", "tab\there", "\u{1}control",
            "\u{FEFF}Zoë",
        ]
        for text in texts {
            let words = EncodedWordWriter.words(text, column: 9)
            #expect(words.allSatisfy { $0.count <= 75 }, "\(text)")
            let joined = words.reduce(into: [UInt8]()) { $0 += $1 + [ASCII.cr, ASCII.lf, ASCII.space] }
            let expected = HeaderText.clean(text)
            #expect(EncodedWord.decode(joined[...]) == expected, "\(text)")
        }
    }
}
