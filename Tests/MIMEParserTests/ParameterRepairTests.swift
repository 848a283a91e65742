import Testing

@testable import MIMEParser

/// Parameters as programs write them that never read RFC 2231.
@Suite struct ParameterRepairTests {
    private func read(_ text: String) -> Parameters { Parameters(Array(text.utf8)[...]) }

    @Test(
        "filename is read in correct and wrong forms of RFC 2231",
        arguments: [
            ("in one", "; filename*=utf-8''caf%C3%A9.txt", "café.txt"),
            ("in quotes that should not be there", "; filename*=\"utf-8''caf%C3%A9.txt\"", "café.txt"),
            ("with a language", "; filename*=UTF-8'fr-CA'caf%C3%A9.txt", "café.txt"),
            ("lower-case codes", "; filename*=utf-8''caf%c3%a9.txt", "café.txt"),
            ("empty charset", "; filename*=''caf%C3%A9.txt", "café.txt"),
            ("empty charset, Latin-1", "; filename*=''caf%E9.txt", "café.txt"),
            ("unknown charset", "; filename*=x-none''caf%C3%A9.txt", "café.txt"),
            ("one apostrophe", "; filename*=utf-8'caf%C3%A9.txt", "café.txt"),
            ("apostrophes of the name itself", "; filename*=Ana's%20'big'%20file", "Ana's 'big' file"),
            ("no charset", "; filename*=caf%C3%A9.txt", "café.txt"),
            ("GBK", "; filename*=gbk''%C4%E3.txt", "你.txt"),
            ("bad codes", "; filename*=utf-8''50%-%G1%C3%A9%", "50%-%G1é%"),
            ("raw 8-bit text", "; filename*=utf-8''café.txt", "café.txt"),
            ("nothing behind the charset, and a plain one", "; filename*=; filename=a.txt", "a.txt"),
            ("beside a plain one", "; filename=cafe.txt; filename*=utf-8''caf%C3%A9.txt", "café.txt"),
            ("before a plain one", "; filename*=utf-8''caf%C3%A9.txt; filename=cafe.txt", "café.txt"),
            ("twice", "; filename=a.txt; filename=b.txt", "a.txt"),
            ("continued", "; filename*0=a; filename*1=b; filename*2=c", "abc"),
            ("out of order", "; filename*2=c; filename*0=a; filename*1=b", "abc"),
            (
                "ten and more", "; " + (0..<12).reversed().map { "f*\($0)=\($0);" }.joined() + "filename=a",
                "a"
            ),
            ("with a gap", "; filename*0=a; filename*3=d", "ad"),
            ("a number twice", "; filename*0=a; filename*0=x; filename*1=b", "ab"),
            ("zeros in front", "; filename*00=a; filename*01=b", "ab"),
            ("blanks in the name", "; filename *0 = a; filename* 1 = b", "ab"),
            ("beside a plain name", "; filename=x; filename*0=a; filename*1=b", "ab"),
            (
                "extended and plain mixed",
                "; filename*0*=utf-8''caf%C3; filename*1*=%A9; filename*2=\" %41\"",
                "café %41"
            ),
            ("plain first", "; filename*0=caf; filename*1*=%C3%A9", "café"),
            ("the charset in every piece", "; filename*0*=utf-8''caf; filename*1*=utf-8''%C3%A9", "café"),
            ("the charset in the second piece", "; filename*0=caf; filename*1*=iso-8859-1''%E9", "café"),
            ("a character over two pieces", "; filename*0*=utf-8''caf%C3; filename*1*=%A9", "café"),
            ("a code over two pieces", "; filename*0*=utf-8''caf%C3%A; filename*1*=9", "caf\u{FFFD}%A9"),
        ])
    func extended(_ name: String, _ input: String, _ expected: String) {
        #expect(read(input)["filename"] == expected, "\(name)")
    }

    @Test(
        "filename is read from encoded words of RFC 2047",
        arguments: [
            ("Q in quotes", "; filename=\"=?utf-8?Q?caf=C3=A9.txt?=\"", "café.txt"),
            ("B without quotes", "; filename==?utf-8?B?Y2Fmw6kudHh0?=", "café.txt"),
            ("two words", "; filename=\"=?utf-8?Q?caf=C3?=\r\n =?utf-8?Q?=A9.txt?=\"", "café.txt"),
            (
                "a word over two continuations",
                "; filename*0=\"=?utf-8?Q?caf=C3\"; filename*1=\"=A9.txt?=\"", "café.txt"
            ),
            (
                "a word in each continuation", "; filename*0==?utf-8?Q?caf?=; filename*1==?utf-8?Q?=C3=A9?=",
                "café"
            ),
            ("a word where percent codes should be", "; filename*=\"=?utf-8?Q?caf=C3=A9.txt?=\"", "café.txt"),
            ("a word behind a charset", "; filename*=utf-8''=?utf-8?Q?caf=C3=A9.txt?=", "café.txt"),
            (
                "a word over extended pieces", "; filename*0*==?utf-8?B?Y2Fmw6k; filename*1*=udHh0?=",
                "café.txt"
            ),
            ("a word that is the name", "; filename*=utf-8''%3D%3Futf-8%3FQ%3Fa%3F%3D", "=?utf-8?Q?a?="),
            ("a comma and a semicolon in the word", "; filename=\"=?utf-8?Q?a,_b;_c?=\"", "a, b; c"),
            ("unknown charset", "; filename=\"=?x-none?Q?a?=\"", "=?x-none?Q?a?="),
        ])
    func encodedWords(_ name: String, _ input: String, _ expected: String) {
        #expect(read(input)["filename"] == expected, "\(name)")
    }

    @Test(
        "missing and extra quotes, blanks and semicolons are tolerated",
        arguments: [
            ("no quotes round blanks", "; filename=my file.txt", "my file.txt"),
            ("no quotes, a parameter behind", "; filename=my file.txt; size=5", "my file.txt"),
            ("no semicolon behind a quoted value", "; filename=\"a.txt\" size=5", "a.txt"),
            ("no semicolon behind a value", "; filename=a.txt size=5", "a.txt"),
            ("a comma for a semicolon", ", filename=a.txt", "a.txt"),
            ("an equals sign in the name of the file", "; filename=a x=y.txt", "a x=y.txt"),
            ("no closing quote", "; filename=\"a.txt", "a.txt"),
            ("no closing quote, a parameter behind", "; filename=\"a.txt; size=5", "a.txt"),
            ("no opening quote", "; filename=a.txt\"; size=5", "a.txt"),
            ("a semicolon in quotes", "; filename=\"a;b.txt\"", "a;b.txt"),
            ("an escaped quote at the end", #"; filename="a\"""#, "a\""),
            ("a backslash at the end", #"; filename="a\"#, #"a\"#),
            ("a Windows path", #"; filename="C:\temp\new.txt""#, #"C:\temp\new.txt"#),
            ("doubled backslashes", #"; filename="C:\\temp""#, #"C:\temp"#),
            ("semicolons", ";;; ;filename=a.txt;;;", "a.txt"),
            ("blanks round =", "; filename \t=\r\n \"a.txt\"", "a.txt"),
            ("a fold in the value", "; filename=\"a\r\n b.txt\"", "a b.txt"),
            ("a fold by a tab", "; filename=\"a\r\n\tb.txt\"", "a b.txt"),
            ("a stray string", "; \"x=y\" filename=a.txt", "a.txt"),
            ("a stray quote", "; \" filename=a.txt", "a.txt"),
            ("a comment", "; filename=a.txt (the file)", "a.txt"),
            ("parentheses of the name", "; filename=report (1).txt", "report (1).txt"),
            ("a comment without its end", "; (filename=a.txt", "a.txt"),
            ("8-bit text", "; filename=\"café.txt\"", "café.txt"),
            ("controls", "; filename=\"a\u{0}\u{7}b\"", "a\u{FFFD}\u{FFFD}b"),
            ("empty", "; filename=\"\"", ""),
            ("nothing behind =", "; filename=", ""),
        ])
    func quoting(_ name: String, _ input: String, _ expected: String) {
        #expect(read(input)["filename"] == expected, "\(name)")
    }

    @Test("two parameters without a semicolon between them are separated")
    func forgottenSemicolon() {
        let parameters = read("; charset=utf-8 format=flowed delsp=\"yes\"")
        #expect(parameters.names == ["charset", "format", "delsp"])
        #expect(parameters["charset"] == "utf-8")
        #expect(parameters["format"] == "flowed")
        #expect(parameters["delsp"] == "yes")
    }

    @Test(
        "a boundary is kept byte for byte",
        arguments: [
            ("; boundary=\"a b=?c\"", "a b=?c"), ("; boundary==?utf-8?q?a?=", "=?utf-8?q?a?="),
            ("; boundary=a; boundary=b", "a"), ("; boundary*0=a; boundary*1=b", "ab"),
            ("; boundary*=us-ascii''a%20b", "a b"), (#"; boundary="a\"b""#, "a\"b"), ("; boundary=", ""),
            ("; boundary=\"a; charset=x", "a"), ("; boundary=----=_Part_1 (c)", "----=_Part_1"),
        ])
    func boundary(_ input: String, _ expected: String) {
        #expect(read(input).boundary == Array(expected.utf8))
    }

    @Test(
        "content types are read with charset and boundary",
        arguments: [
            ("text/html;charset=utf-8", "text/html", "utf-8"),
            ("text/html charset=utf-8", "text/html", "utf-8"),
            ("text/html, charset=utf-8", "text/html", "utf-8"),
            ("text/html;; charset=\"utf-8\";", "text/html", "utf-8"),
            ("\"text/html\"; charset=utf-8", "text/html", "utf-8"),
            ("text/html (a; comment) ; charset=utf-8 (c)", "text/html", "utf-8"),
            ("(c) text (c) / (c) html; charset=utf-8", "text/html", "utf-8"),
            ("text/html;\r\n\tcharset\r\n =\r\n utf-8", "text/html", "utf-8"),
            ("charset=utf-8", "text/plain", "utf-8"),
            ("; charset=utf-8", "text/plain", "utf-8"),
            ("text; charset=utf-8", "text/plain", "utf-8"),
            ("name=\"a/b.txt\"; charset=utf-8", "text/plain", "utf-8"),
            ("text/; charset=utf-8", "text/plain", "utf-8"),
            ("/html; charset=utf-8", "text/plain", "utf-8"),
            ("image; charset=utf-8", "application/octet-stream", "utf-8"),
            ("text/html/x; charset=utf-8", "text/html", "utf-8"),
            ("TEXT/X-Café; charset=utf-8", "text/x-caf", "utf-8"),
            ("multipart; boundary=a", "multipart/mixed", nil),
            ("multipart", "application/octet-stream", nil),
            ("multipart/mixed boundary=a", "multipart/mixed", nil),
            ("", "text/plain", nil), ("  \r\n ", "text/plain", nil), ("\u{0}", "text/plain", nil),
            ("@", "text/plain", nil), ("html", "text/plain", nil),
        ] as [(String, String, String?)])
    func contentTypes(_ input: String, _ type: String, _ charset: String?) {
        let found = ContentType(Array(input.utf8)[...], default: .plainText, limits: .standard)
        #expect(found.description == type)
        #expect(found.charset == charset)
        if input.contains("boundary") { #expect(found.parameters.boundary == [0x61]) }
    }

    @Test(
        "transfer encodings are read despite extra characters",
        arguments: [
            ("base64 ", TransferEncoding.base64), ("Base64;", .base64), ("'base64'", .unknown),
            ("\" base64 \"", .base64), ("base64 (c)", .base64), ("base64, 7bit", .base64),
            ("quoted-printable; x=y", .quotedPrintable), ("QUOTED-PRINTABLE\r\n", .quotedPrintable),
            ("8bit", .identity), ("; 7bit", .identity), ("utf-8", .identity), ("8-bit", .identity),
            ("none", .identity), ("x-uuencode", .unknown), ("base 64", .unknown),
        ])
    func transferEncodings(_ input: String, _ expected: TransferEncoding) {
        #expect(TransferEncoding(Array(input.utf8)[...]) == expected)
    }

    @Test(
        "hostile fields take linear time and never crash",
        arguments: [
            ";", "=", "\"", "\\", "a=\"", "a=\"\\", "(", "; a=(", "a ", "a*0*=", "*=", "; a*1=b", "''", "%",
            "; a=%C3",
            " charset", "=?", "a=b charset ",
        ])
    func floods(_ piece: String) {
        let input = ";" + String(repeating: piece, count: 65_536 / piece.utf8.count)
        let time = ContinuousClock().measure { _ = read(input) }
        #expect(time < Bound.time)
    }

    @Test("a field cut at any length does not crash the readers")
    func cuts() {
        let input = Array(
            "text/(c)html \"; ;a*0*=utf-8'en'%C3%A; a*1=\"x\\\" y\"; name==?utf-8?Q?a;b?= size=(5".utf8)
        for low in 0..<input.count {
            for high in low...input.count {
                let type = ContentType(input[low..<high], default: .plainText, limits: .standard)
                #expect(!type.type.isEmpty && !type.subtype.isEmpty)
                _ = TransferEncoding(input[low..<high])
            }
        }
    }
}
