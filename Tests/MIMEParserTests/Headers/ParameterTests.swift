import Testing

@testable import MIMEParser

@Suite struct ParameterTests {
    private func read(_ text: String) -> Parameters { Parameters(Array(text.utf8)[...]) }

    @Test(
        "the file name of a part is read",
        arguments: [
            ("quoted", "; filename=\"a b.pdf\"", "a b.pdf"),
            ("without quotes", "; filename=a.pdf", "a.pdf"),
            ("without the quotes it should have", "; filename=a b.pdf; x=y", "a b.pdf"),
            ("escaped quotes", #"; filename="a \"b\".pdf""#, #"a "b".pdf"#),
            ("a Windows path", #"; filename="C:\Temp\a.pdf""#, #"C:\Temp\a.pdf"#),
            ("two semicolons", ";; filename=a.pdf;;", "a.pdf"),
            ("blanks round the equals sign", "; filename = \"a.pdf\"", "a.pdf"),
            ("upper case", "; FileName=a.pdf", "a.pdf"),
            ("a quoted string without an end", "; filename=\"a.pdf", "a.pdf"),
            ("a word without a value before it", "; attachment; filename=a.pdf", "a.pdf"),
            ("a comment", "; (hi; there) filename=a.pdf", "a.pdf"),
            ("extended", "; filename*=utf-8''na%C3%AFve.txt", "naïve.txt"),
            ("extended with a language", "; filename*=iso-8859-1'en'%A3.txt", "£.txt"),
            (
                "extended above plain", "; filename=\"na?ve.txt\"; filename*=utf-8''na%C3%AFve.txt",
                "naïve.txt"
            ),
            ("continued", "; filename*0=\"long \"; filename*1=name.txt", "long name.txt"),
            ("continued out of order", "; filename*1=name.txt; filename*0=\"long \"", "long name.txt"),
            ("continued with a gap", "; filename*0=a; filename*2=c", "ac"),
            (
                "continued and extended", "; filename*0*=utf-8''na%C3; filename*1*=%AFve; filename*2=.txt",
                "naïve.txt"
            ),
            ("a bad percent code", "; filename*=utf-8''100%ZZ%", "100%ZZ%"),
            ("no charset at all", "; filename*=%C3%A9.txt", "é.txt"),
            ("an unknown charset", "; filename*=x-klingon''%C3%A9.txt", "é.txt"),
            ("an encoded word", "; filename=\"=?utf-8?q?na=C3=AFve?=.txt\"", "naïve.txt"),
            ("encoded words without quotes", "; filename==?utf-8?b?w6k=?=.txt", "é.txt"),
            ("folded", ";\r\n filename=\"a\r\n b.pdf\"", "a b.pdf"),
            ("controls from percent codes", "; filename*=utf-8''a%0D%0Ab%00", "a b\u{FFFD}"),
            ("a number that is none", "; filename*0x=a; filename=b", "b"),
        ])
    func filename(_ name: String, _ input: String, _ expected: String) {
        #expect(read(input)["filename"] == expected, "\(name)")
    }

    @Test(
        "comments around a charset are ignored",
        arguments: [
            "charset=utf-8 (Plain text)", "charset=(hello) utf-8 (x)", "charset=(hello)utf-8(x; y)",
            "charset (a) = (b) \"utf-8\" (c)", "charset=(a (b) \\) c) utf-8", "(a) charset=utf-8 (b);;",
            "charset=utf-8 (x) format=flowed", "charset=utf-8(x) (y)\r\n (z)", "charset=utf-8 (",
            "(( charset=utf-8",
        ])
    func comment(_ parameter: String) { #expect(read("; " + parameter)["charset"]?.prefix(5) == "utf-8") }

    @Test("a comment does not hide the parameters after it")
    func afterComment() {
        let parameters = read("; charset=(x; y) utf-8 (z); format=flowed (fixed); delsp=yes")
        #expect(parameters.names == ["charset", "format", "delsp"])
        #expect(parameters["charset"] == "utf-8" && parameters["format"] == "flowed")
        #expect(read("; charset=(x) utf-8 (y) format=flowed")["format"] == "flowed")
    }

    @Test("parentheses in a file name or a boundary are part of it")
    func parentheses() {
        #expect(read("; filename=a(1).pdf")["filename"] == "a(1).pdf")
        #expect(read("; filename=a b (1).pdf")["filename"] == "a b (1).pdf")
        #expect(read("; boundary=(a)b(c)")["boundary"] == "(a)b(c)")
    }

    @Test("parameters beyond the limit are not read, and this is reported")
    func limit() {
        let text = (0..<200).map { "; p\($0)=v" }.joined()
        let parameters = read(text)
        #expect(parameters.names.count == 128)
        #expect(parameters.isCut)
        #expect(parameters["p127"] == "v")
        #expect(parameters["p128"] == nil)
    }

    @Test(
        "content types are read",
        arguments: [
            ("text/html; charset=utf-8", "text/html"),
            ("TEXT/HTML", "text/html"),
            ("text / html ;", "text/html"),
            ("text", "text/plain"),
            ("", "text/plain"),
            ("pdf", "application/octet-stream"),
            ("/", "text/plain"),
            ("application/x-foo (comment); a=b", "application/x-foo"),
            ("text/plain charset=utf-8", "text/plain"),
        ])
    func contentType(_ input: String, _ expected: String) {
        let type = ContentType(Array(input.utf8)[...], default: .plainText, limits: .standard)
        #expect(type.description == expected)
    }

    @Test(
        "transfer encodings are read",
        arguments: [
            ("base64", TransferEncoding.base64), (" BASE64 ;", .base64), ("\"base64\"", .base64),
            ("quoted-printable ", .quotedPrintable), ("7bit", .identity), ("", .identity),
            ("8bit;", .identity), ("binary (yes)", .identity),
            ("(in) base64 (out)", .base64), ("(", .identity), ("x-uuencode", .unknown),
        ])
    func transferEncoding(_ input: String, _ expected: TransferEncoding) {
        #expect(TransferEncoding(Array(input.utf8)[...]) == expected)
    }
}
