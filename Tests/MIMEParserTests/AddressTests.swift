import Models
import Testing

@testable import MIMEParser

@Suite struct AddressTests {
    @Test(
        "addresses are read and written as `name <address>`",
        arguments: [
            ("bare", "ana@example.org", ["ana@example.org"]),
            ("with a name", "Ana Smith <ana@example.org>", ["Ana Smith <ana@example.org>"]),
            ("quoted name", "\"Smith, Ana\" <ana@example.org>", ["Smith, Ana <ana@example.org>"]),
            ("escaped quotes", #""Ana \"A\" S" <ana@example.org>"#, [#"Ana "A" S <ana@example.org>"#]),
            ("several", "a@x.org, b@y.org", ["a@x.org", "b@y.org"]),
            ("separated by semicolons", "a@x.org; b@y.org", ["a@x.org", "b@y.org"]),
            ("domain in lower case", "Ana@Example.ORG", ["Ana@example.org"]),
            ("comment as name", "ana@example.org (Ana Smith)", ["Ana Smith <ana@example.org>"]),
            ("nested comment", "ana@example.org (Ana (the one))", ["Ana (the one) <ana@example.org>"]),
            ("comment inside", "Ana (x) <ana@example.org>", ["Ana <ana@example.org>"]),
            ("group", "Team: a@x.org, B <b@y.org>;", ["a@x.org", "B <b@y.org>"]),
            ("group among others", "c@z.org, Team: a@x.org; , d@z.org", ["c@z.org", "a@x.org", "d@z.org"]),
            ("empty group", "undisclosed-recipients:;", []),
            ("encoded name", "=?utf-8?q?Ren=C3=A9_D?= <r@x.org>", ["René D <r@x.org>"]),
            (
                "encoded name in two words", "=?utf-8?q?Ren=C3=A9?= =?utf-8?q?_D?= <r@x.org>",
                ["René D <r@x.org>"]
            ),
            ("encoded word in quotes", "\"=?utf-8?q?Ren=C3=A9?=\" <r@x.org>", ["René <r@x.org>"]),
            (
                "an encoded comma adds no address", "=?utf-8?q?a=2C_b=40evil=2Eorg?= <r@x.org>",
                ["a, b@evil.org <r@x.org>"]
            ),
            (
                "an encoded bracket adds no address", "=?utf-8?q?a_=3Cevil=40e.org=3E?= <r@x.org>",
                ["a <evil@e.org> <r@x.org>"]
            ),
            ("quoted local part", "\"a b\"@x.org", ["\"a b\"@x.org"]),
            ("needlessly quoted local part", "\"ana\"@x.org", ["ana@x.org"]),
            ("comma in a quoted local part", "\"a,b\"@x.org, c@y.org", ["\"a,b\"@x.org", "c@y.org"]),
            ("unquoted comma in a name", "Smith, Ana <ana@x.org>", ["Smith, Ana <ana@x.org>"]),
            (
                "missing closing bracket", "Ana <ana@x.org, Bob <bob@y.org>",
                ["Ana <ana@x.org>", "Bob <bob@y.org>"]
            ),
            ("missing opening bracket", "Ana ana@x.org>", ["Ana <ana@x.org>"]),
            ("missing both brackets", "Ana Smith ana@x.org", ["Ana Smith <ana@x.org>"]),
            ("unquoted @ in the name", "ana@x.org <real@y.org>", ["ana@x.org <real@y.org>"]),
            ("doubled brackets", "Ana <<ana@x.org>>", ["Ana <ana@x.org>"]),
            ("route", "<@relay.org,@b.org:ana@x.org>", ["ana@x.org"]),
            ("mailto", "<mailto:ana@x.org>", ["ana@x.org"]),
            ("blanks in brackets", "Ana < ana@x.org >", ["Ana <ana@x.org>"]),
            ("local name", "root, ana@x.org", ["root", "ana@x.org"]),
            ("folded", "Ana\r\n <ana@x.org>,\r\n\tb@y.org", ["Ana <ana@x.org>", "b@y.org"]),
            ("domain literal", "ana@[192.0.2.1]", ["ana@[192.0.2.1]"]),
            ("stray commas", ",, a@x.org,,", ["a@x.org"]),
            ("bounce", "<>", []),
            ("nothing", "", []),
            ("quote without an end", "\"Ana <ana@x.org>", ["Ana <ana@x.org>"]),
            ("comment without an end", "ana@x.org (Ana", ["Ana <ana@x.org>"]),
        ])
    func addresses(_ name: String, _ input: String, _ expected: [String]) {
        let found = AddressList.read(input).map {
            $0.displayName.isEmpty
                ? $0.addrSpec : "\($0.displayName)\($0.addrSpec.isEmpty ? "" : " <\($0.addrSpec)>")"
        }
        #expect(found == expected, "\(name)")
    }

    @Test("an 8-bit name is read as UTF-8, or else as windows-1252")
    func bareName() {
        #expect(AddressList.read("René <r@x.org>").first?.displayName == "René")
        let bytes: [UInt8] = Array("Ren".utf8) + [0xE9] + Array(" <r@x.org>".utf8)
        #expect(AddressList.read(bytes[...]).first?.displayName == "René")
    }

    @Test(
        "a hostile list takes linear time", arguments: ["a@b,", "<", "(", "\"", ":", "a ", "=?utf-8?q?a?= "])
    func flood(_ piece: String) {
        let input = String(repeating: piece, count: 65_536 / piece.utf8.count)
        let time = ContinuousClock().measure { _ = AddressList.read(input) }
        #expect(time < Bound.time)
    }
}
