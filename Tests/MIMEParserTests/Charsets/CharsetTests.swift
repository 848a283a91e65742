import Testing

@testable import MIMEParser

@Suite struct CharsetTests {
    @Test("every converter in the table opens on this system")
    func converters() { #expect(Charset.missingConverters() == []) }

    @Test("every label decodes ASCII letters", arguments: CharsetTable.byLabel.keys.sorted())
    func labels(_ label: String) throws {
        let charset = try #require(Charset(label: label.uppercased()))
        let unit =
            if case .iconv(_, let unit) = charset.kind { unit } else { 1 }
        guard unit == 1 else { return }
        #expect(charset.decode(Array("Abc 12".utf8)) == "Abc 12")
    }

    @Test(
        "a wrong label is replaced by the real charset",
        arguments: [
            ("gb2312", [0x81, 0x40] as [UInt8], "丂"),
            ("shift_jis", [0x87, 0x40, 0x5C], "①\\"),
            ("x-sjis", [0x93, 0xFA], "日"),
            ("euc-kr", [0x8C, 0x63], "똠"),
            ("ks_c_5601-1987", [0xB0, 0xA1], "가"),
            ("iso-8859-1", [0x93, 0x80], "“€"),
            ("iso-8859-9", [0xFD], "ı"),
            ("us-ascii", [0xC3, 0xA9], "é"),
            ("us-ascii", [0xE9], "é"),
            ("big5", [0xA4, 0xA4], "中"),
            ("koi8-r", [0xD0, 0xD2, 0xC9], "при"),
            ("windows-1251", [0xEF, 0xF0, 0xE8], "при"),
            ("iso-8859-8-i", [0xF9], "ש"),
            ("tis-620", [0xA1], "ก"),
            ("x-mac-cyrillic", [0x80], "А"),
            ("macintosh", [0x8E], "é"),
            ("hz-gb-2312", Array("a~{VPND~}~~b".utf8), "a中文~b"),
            ("iso-2022-jp", Array("\u{1B}$BF|K\\\u{1B}(B!".utf8), "日本!"),
            ("iso-2022-jp", Array("\u{1B}$B-!\u{1B}(B!".utf8), "①!"),
            ("utf-7", Array("+AOk-".utf8), "é"),
            ("unicode-1-1-utf-7", Array("+AOk-".utf8), "é"),
            ("utf-16", [0xFF, 0xFE, 0x41, 0x00], "A"),
            ("utf-16be", [0x00, 0x41], "A"),
            ("utf-8", [0xEF, 0xBB, 0xBF, 0x41], "A"),
            ("\"UTF-8\"", [0xC3, 0xA9], "é"),
            ("charset=UTF-8", [0xC3, 0xA9], "é"),
            ("utf-8;format=flowed", [0xC3, 0xA9], "é"),
            ("'iso_8859_15'", [0xA4], "€"),
            ("windows1251", [0xEF], "п"),
            ("cp-1250", [0x9C], "ś"),
            ("koi8-u", [0xA4], "є"),
            ("iso-2022-kr", Array("\u{1B}$)C\u{0E}0!\u{0F}!".utf8), "가!"),
            ("big5-hkscs", [0xA4, 0xA4], "中"),
            ("gbk", [0xC4, 0xE3], "你"),
            ("gb18030", [0x81, 0x30, 0x81, 0x30], "\u{80}"),
            ("euc-jp", [0xAD, 0xA1], "①"),
            ("iso-2022-jp", Array("\u{1B}(I1\u{1B}(B".utf8), "ｱ"),
            ("iso-8859-7", [0xE1], "α"),
            ("windows-1255", [0xE0], "א"),
            ("windows-1256", [0xC7], "ا"),
            ("windows-1257", [0xE0], "ą"),
            ("windows-874", [0xA1], "ก"),
        ])
    func text(_ label: String, _ bytes: [UInt8], _ expected: String) {
        #expect(Charset.decode(bytes, label: label) == expected)
    }

    @Test(
        "invalid bytes become U+FFFD, and the rest is decoded",
        arguments: [
            ("utf-8", [0x41, 0xFF, 0x42] as [UInt8], "A\u{FFFD}B"),
            ("windows-1252", [0x41, 0x81, 0x42], "A\u{FFFD}B"),
            ("koi8-r", [0x41, 0x42], "AB"),
            ("shift_jis", [0x41, 0x93], "A\u{FFFD}"),
            ("euc-jp", [0x41, 0xFF, 0x42], "A\u{FFFD}B"),
            ("utf-16le", [0x41, 0x00, 0x42], "A\u{FFFD}"),
            ("gb18030", [0xFF, 0x41], "\u{FFFD}A"),
        ])
    func errors(_ label: String, _ bytes: [UInt8], _ expected: String) {
        #expect(Charset.decode(bytes, label: label) == expected)
    }

    @Test(
        "without a label, or with an unknown one, the charset is guessed",
        arguments: [nil, "unknown-8bit", "x"])
    func guessed(_ label: String?) {
        #expect(Charset.decode([0xC3, 0xA9], label: label) == "é")
        #expect(Charset.decode([0xE9, 0x80], label: label) == "é€")
    }

    @Test(
        "a label outside the table is not used",
        arguments: ["UTF-8//TRANSLIT", "IBM1390", "ISO-2022-CN-EXT"])
    func unknown(_ label: String) { #expect(Charset(label: label) == nil) }

    @Test("a converter starts each text from the beginning")
    func reused() {
        let open = Array("\u{1B}$)C\u{0E}0!".utf8)
        #expect(Charset.decode(open, label: "iso-2022-kr") == "가")
        #expect(Charset.decode(Array("\u{1B}$)C0!".utf8), label: "iso-2022-kr") == "0!")
    }

    @Test("converters are used by many threads at once")
    func threads() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { _ in Charset.decode([0xD0, 0xD2], label: "koi8-r") == "пр" }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test(
        "without a label, text that selects Japanese characters is ISO-2022-JP, and output of a terminal is not",
        arguments: [
            ("\u{1B}$BF|K\\\u{1B}(B!", "日本!"), ("\u{1B}$@F|K\\\u{1B}(J!", "日本!"),
            ("\u{1B}(B\u{1B}[m$BF|K\\", "\u{1B}(B\u{1B}[m$BF|K\\"), ("é \u{1B}$BF|", "é \u{1B}$BF|"),
        ])
    func unlabelledJapanese(_ text: String, _ wanted: String) {
        #expect(Charset.decode(Array(text.utf8), label: nil) == wanted)
        #expect(Charset.decode(Array(text.utf8), label: "us-ascii") == wanted)
    }

    @Test("windows-1252 is decoded, with U+FFFD for unused bytes")
    func windows1252() {
        #expect(Charset.decode([0x41, 0xE9, 0x80, 0x81, 0x42], label: "cp1252") == "Aé€\u{FFFD}B")
    }

    @Test(
        "the end of valid UTF-8 is found",
        arguments: [
            ([0x41, 0xC3, 0xA9] as [UInt8], nil as Int?), ([0x41, 0xC3], 1), ([0xC0, 0x80], 0),
            ([0xE0, 0x80, 0x80], 0),
            ([0xED, 0xA0, 0x80], 0), ([0xF0, 0x9F, 0x98, 0x80], nil), ([0xF4, 0x90, 0x80, 0x80], 0),
            ([0x41, 0x80], 1),
            ([0xE2, 0x82, 0x41], 0), ([], nil),
        ])
    func utf8(_ bytes: [UInt8], _ expected: Int?) {
        #expect(UTF8Check.firstInvalid(bytes, in: bytes.indices) == expected)
        #expect((String(validating: bytes, as: UTF8.self) == nil) == (expected != nil))
    }

    @Test(
        "a megabyte of errors is decoded quickly",
        arguments: ["euc-jp", "shift_jis", "utf-16", "gb18030", "utf-7"])
    func errorFlood(_ label: String) {
        let bytes = [UInt8](repeating: 0xFF, count: 200_000)
        let time = ContinuousClock().measure { _ = Charset.decode(bytes, label: label) }
        #expect(time < Bound.time)
    }
}
