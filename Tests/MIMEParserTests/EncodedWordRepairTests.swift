import Testing

@testable import MIMEParser

/// Encoded words as programs write them that never read RFC 2047.
@Suite struct EncodedWordRepairTests {
    @Test(
        "encoded words are decoded at any place",
        arguments: [
            ("glued to text on both sides", "Re:=?utf-8?q?caf=C3=A9?=!", "Re:café!"),
            ("glued to each other", "=?utf-8?q?caf?==?utf-8?q?=C3=A9?=", "café"),
            ("in quotes", "\"=?utf-8?q?caf=C3=A9?=\"", "\"café\""),
            ("in parentheses", "(=?utf-8?q?caf=C3=A9?=)", "(café)"),
            ("adjacent, by a tab", "=?utf-8?q?a?=\t=?utf-8?q?b?=", "ab"),
            ("adjacent, by many blanks and folds", "=?utf-8?q?a?= \r\n \t =?utf-8?q?b?=", "ab"),
            ("adjacent, by a bare LF", "=?utf-8?q?a?=\n =?utf-8?q?b?=", "ab"),
            ("a fold before a word keeps its blank", "a\r\n =?utf-8?q?b?=\r\n c", "a b c"),
            ("text between them", "=?utf-8?q?a?= - =?utf-8?q?b?=", "a - b"),
            ("lower and upper case", "=?UTF-8?q?caf=c3=a9?= =?utf-8?Q?=C3=A9?=", "caféé"),
            ("a colon in the charset", "=?ISO_8859-1:1987?q?caf=E9?=", "café"),
            (
                "a byte order mark in each word",
                "=?utf-16?q?=FF=FEa=00=E9=00?= =?utf-16?b?//5iAA==?=", "aéb"
            ),
            ("a language", "=?iso-8859-1*fr-CA?q?caf=E9?=", "café"),
            ("a language of a word without charset", "=?*fr?q?cafe?=", "=?*fr?q?cafe?="),
        ])
    func places(_ name: String, _ input: String, _ expected: String) {
        #expect(EncodedWord.decode(input) == expected, "\(name)")
    }

    @Test(
        "words that were cut in the wrong place are joined",
        arguments: [
            ("a character over two Q words", "=?utf-8?q?caf=C3?= =?utf-8?q?=A9?=", "café"),
            ("a character over two B words", "=?utf-8?b?Y2Fmww==?=\r\n =?utf-8?b?qQ==?=", "café"),
            ("a character over a B and a Q word", "=?utf-8?b?Y2Fmww==?= =?utf-8?q?=A9?=", "café"),
            ("base64 cut behind two of four", "=?utf-8?b?Y2Fmw6?= =?utf-8?b?kgYXU=?=", "café au"),
            ("base64 cut behind one of four", "=?utf-8?b?Y2Fmw6kgY?= =?utf-8?b?XU=?=", "café au"),
            ("base64 cut behind three of four", "=?utf-8?b?Y2F?= =?utf-8?b?mw6kgYXU=?=", "café au"),
            ("base64 cut twice", "=?utf-8?b?Y2F?= =?utf-8?b?mw6k?= =?utf-8?b?gYXU=?=", "café au"),
            ("whole words without their padding", "=?utf-8?b?w6k?= =?utf-8?b?w6k?=", "éé"),
            ("folded in a Q word that has underscores", "=?utf-8?Q?caf=C3=A9_au_l\r\n ait?=", "café au lait"),
            ("folded in a Q word between codes", "=?utf-8?Q?=D0=9F=D1\r\n =80=D0=B8?=", "При"),
            ("folded in a Q word between words", "=?utf-8?Q?caf=C3=A9\r\n au lait?=", "café au lait"),
            ("folded in a Q word by a soft break", "=?utf-8?Q?caf=C3=A9_au_=\r\n lait?=", "café au lait"),
            ("folded in a B word", "=?utf-8?B?Y2Fmw6k\r\n gYXU=?=", "café au"),
            ("raw blanks in a Q word", "=?utf-8?Q?caf=C3=A9 au lait?=", "café au lait"),
            ("raw blanks at its ends", "a=?utf-8?Q? caf=C3=A9 ?=b", "a café b"),
            ("no end, at the end", "Re: =?utf-8?Q?caf=C3=A9_au?", "Re: café au"),
            ("no end at all", "=?utf-8?B?Y2Fmw6kg", "café"),
            ("no end before the next", "=?utf-8?Q?caf=C3=A9_ =?utf-8?Q?au?=", "café au"),
            ("no end, and more text", "=?utf-8?Q?caf=C3=A9 au lait", "=?utf-8?Q?caf=C3=A9 au lait"),
            ("cut inside a code", "=?utf-8?Q?caf=C3=A9_=C", "café =C"),
            ("a question mark before a code", "=?utf-8?Q?Why?=20not?=", "Why? not"),
            ("a question mark in the text", "=?utf-8?Q?Why? Not?=", "Why? Not"),
            ("text that looks like a code behind a word", "=?utf-8?Q?caf=C3=A9?=ad", "caféad"),
            (
                "ISO-2022-JP in two words", "=?iso-2022-jp?b?GyRCRnwbKEI=?= =?iso-2022-jp?b?GyRCS1wbKEI=?=",
                "日本"
            ),
            (
                "ISO-2022-JP that goes on in its table",
                "=?ISO-2022-JP?B?GyRCRnw=?= =?ISO-2022-JP?B?S1wbKEI=?=", "日本"
            ),
            ("ISO-2022-JP in Q", "=?iso-2022-jp?q?=1B$BF|K\\=1B(B?=", "日本"),
        ])
    func cuts(_ name: String, _ input: String, _ expected: String) {
        #expect(EncodedWord.decode(input) == expected, "\(name)")
    }

    @Test(
        "text that cannot be decoded stays readable and complete",
        arguments: [
            ("padding too long", "=?utf-8?B?Y2Fmw6k====?=", "café"),
            ("padding missing", "=?utf-8?B?Y2Fmw6kgYXU?=", "café au"),
            ("padding in the middle", "=?utf-8?B?Y2Fmw6k=IGF1?=", "café au"),
            ("one character too many", "=?utf-8?B?Y2Fmw6k=a?=", "café"),
            ("no base64 at all", "=?utf-8?B?!!?=x", "x"),
            ("empty charset", "=??Q?caf=C3=A9?=", "=??Q?caf=C3=A9?="),
            ("unknown charset", "=?x-none?Q?caf=C3=A9?=", "=?x-none?Q?caf=C3=A9?="),
            ("unknown charset beside a known", "=?x-none?Q?a?= =?utf-8?Q?=C3=A9?=", "=?x-none?Q?a?= é"),
            ("unknown encoding", "=?utf-8?X?abc?=", "=?utf-8?X?abc?="),
            ("no encoding", "=?utf-8??abc?=", "=?utf-8??abc?="),
            ("a charset in quotes", "=?\"utf-8\"?Q?abc?=", "=?\"utf-8\"?Q?abc?="),
            ("bad codes", "=?utf-8?Q?a=ZZ=4_=?=", "a=ZZ=4 ="),
            ("bytes that are not UTF-8", "=?utf-8?Q?a=FFb?=", "a\u{FFFD}b"),
            ("bytes of windows-1252 named Latin-1", "=?iso-8859-1?Q?=80=85?=", "€…"),
            ("8-bit bytes in a word", "=?utf-8?Q?café?=", "café"),
            ("8-bit bytes beside a word", "é =?utf-8?q?=C3=A9?=", "é é"),
            ("an encoded word in an encoded word", "=?utf-8?q?=3D=3Futf-8=3Fq=3Fa=3F=3D?=", "=?utf-8?q?a?="),
            ("a formula", "a =? b ?= c", "a =? b ?= c"),
            ("controls", "=?utf-8?q?a=00b=07c=7F?=", "a\u{FFFD}b\u{FFFD}c\u{FFFD}"),
            ("line ends", "=?utf-8?q?a=0D=0A_b=0Ac=0D?=", "a  b c"),
        ])
    func rest(_ name: String, _ input: String, _ expected: String) {
        #expect(EncodedWord.decode(input) == expected, "\(name)")
    }

    @Test(
        "raw 8-bit text is read as UTF-8, ISO-2022-JP or else windows-1252",
        arguments: [
            ("UTF-8", Array("Zürich – café".utf8), "Zürich – café"),
            ("UTF-8 with a fold", Array("Zürich\r\n –".utf8), "Zürich –"),
            ("windows-1252", [0x5A, 0xFC, 0x72, 0x69, 0x63, 0x68, 0x20, 0x96], "Zürich –"),
            ("bytes that windows-1252 lacks", [0x61, 0x81], "a\u{FFFD}"),
            ("ISO-2022-JP", Array("Re: \u{1B}$BF|K\\\u{1B}(B ok".utf8), "Re: 日本 ok"),
            ("ISO-2022-JP in JIS Roman", Array("\u{1B}$B%F\u{1B}(J!".utf8), "テ!"),
            (
                "ISO-2022-JP beside an encoded word", Array("\u{1B}$BF|\u{1B}(B =?utf-8?q?=C3=A9?=".utf8),
                "日 é"
            ),
            ("an escape that is none", Array("a\u{1B}[1mb".utf8), "a\u{FFFD}[1mb"),
        ])
    func undeclared(_ name: String, _ input: [UInt8], _ expected: String) {
        let text = EncodedWord.decode(input[...])
        // Windows-1252 has no 0x81: the standard gives a C1 control for it, a strict table none.
        #expect(text == expected || (name.hasPrefix("bytes") && text == "a\u{81}"), "\(name): \(text)")
    }

    @Test("the count of encoded words equals the number decoded")
    func count() {
        let field = Array("a =?utf-8?q?b?= =?x-none?q?c?= =?utf-8?b?ZA==?=\r\n =?utf-8?q?e".utf8)
        #expect(EncodedWord.count(in: field[...]) == 3)
        #expect(EncodedWord.count(in: Array("plain".utf8)[...]) == 0)
    }

    @Test(
        "hostile fields take linear time",
        arguments: [
            "=?utf-8?q? ", "=?utf-8?q?a =?", "=?l1?q?a?=AA", "=?l1?q?=\r\n", "=?utf-8?b?w ", "=?utf-8?b?w?= ",
            "=?utf-8?q?a?=   ", " =?", "?=", "\u{1B}$", "\u{1B}$B", "=?iso-2022-jp?b?GyRC?= ", "=?*?q?",
        ])
    func floods(_ piece: String) {
        let input = Array(String(repeating: piece, count: 65_536 / piece.utf8.count).utf8)
        let time = ContinuousClock().measure { _ = EncodedWord.decode(input[...], limit: .max) }
        #expect(time < Bound.time)
    }

    @Test("a field cut at any length does not crash the reader or leave control characters")
    func everyCut() {
        let input = Array(
            "a =?utf-8*en?Q?b_=C3=\r\n =A9?=x?= =?gb2312?B?xOM= \r\n ?==?\u{1B}$B?q? =?utf-8?b?w6".utf8)
        for low in 0..<input.count {
            for high in low...input.count {
                let text = EncodedWord.decode(input[low..<high])
                #expect(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F })
            }
        }
    }
}
