import TestSupport
import Testing

@testable import MIMEParser

@Suite struct TransferEncodingTests {
    @Test(
        "base64 is decoded",
        arguments: [
            ("whole", "SGVsbG8=", "Hello"),
            ("in lines", "SGVs\r\nbG8=\r\n", "Hello"),
            (
                "in lines that end inside of a group", "SG\nVsbG9IZWxs\nb0hlbGxvSGVsbG8=",
                "HelloHelloHelloHello"
            ),
            ("padded in the middle of a long line", "SGVsbG8=SGVsbG9IZWxsb0hlbGxv", "HelloHelloHelloHello"),
            ("without padding", "SGVsbG8", "Hello"),
            ("with junk between", "SG*Vs!b G8=", "Hello"),
            ("encoded in pieces", "SGVs" + "bG8=" + "SGVs" + "bG8=", "HelloHello"),
            ("a single character too many", "SGVsbG8=A", "Hello"),
            ("a footer of a list behind padding", "SGVsbG8=\r\nList info: list@x.org\r\n", "Hello"),
            ("a footer behind a rule", "SGVsbG9I\n____________\nlist mailing list\nlist@x.org\n", "HelloH"),
            ("a footer behind two dashes", "SGVs\r\nbG8=\r\n\r\n-- \r\nA footer, in text.\r\n", "Hello"),
            ("pieces in lines, and junk", "SGVsbG8=\nSGVsbG8=\n!\n", "HelloHello"),
            ("junk on the last line", "SGVs\n*bG8=", "Hello"),
            ("with the alphabet for URLs", "w78_w78-w78_", "ÿ?ÿ>ÿ?"),
            ("with the alphabet for URLs, in lines", "w78_w78-\r\nw78_w78-\r\nw78_YQ==\r\n", "ÿ?ÿ>ÿ?ÿ>ÿ?a"),
            (
                "with the alphabet for URLs at the start of a line", "Pj4-Pj4-\n--4-Pj4-\n",
                ">>>>>>\u{FFFD}\u{FFFD}>>>>"
            ),
            ("with both alphabets", "w78/w78-w78_", "ÿ?ÿ0\u{FFFD}"),
            ("with junk from the alphabet for URLs on a short line", "SGVs\n-\nbG8=", "Hello"),
            ("a footer behind dashes of one length", "SGVsbG9I\n--------\nthe list\n", "HelloH"),
            ("nothing", "", ""),
            ("only padding", "====", ""),
        ])
    func base64(_ name: String, _ input: String, _ expected: String) {
        let decoded = Base64.decode(Array(input.utf8)[...])
        #expect(String(decoding: decoded, as: UTF8.self) == expected, "\(name)")
        #expect(Base64.decodedCount(Array(input.utf8)[...]) == decoded.count, "\(name)")
    }

    @Test(
        "quoted-printable is decoded",
        arguments: [
            ("codes", "caf=C3=A9", "café"),
            ("lower case", "caf=c3=a9", "café"),
            ("soft line break", "a=\r\nb", "ab"),
            ("soft line break with LF", "a=\nb", "ab"),
            ("soft line break with blanks behind", "a= \t\r\nb", "ab"),
            ("hard line break", "a\r\nb", "a\r\nb"),
            ("blanks at the end of a line", "a  \r\nb \n", "a\r\nb\n"),
            ("blanks before a soft line break", "a  =\r\nb", "a  b"),
            ("a bad code stays", "100=ZZ =", "100=ZZ "),
            ("an equals sign at the end", "a=", "a"),
            ("half a code", "a=4", "a=4"),
            ("codes in a row", "=D0=BF=D1=80=D0=B8", "при"),
            ("a soft line break with CR alone", "a=\rb", "ab"),
            ("blanks at the end of all", "a \t", "a"),
            ("a code behind a bad one", "=G=41=", "=GA"),
        ])
    func quotedPrintable(_ name: String, _ input: String, _ expected: String) {
        #expect(QuotedPrintable.decode(Array(input.utf8)[...]) == Array(expected.utf8), "\(name)")
        #expect(QuotedPrintable.decodedCount(Array(input.utf8)[...]) == expected.utf8.count, "\(name)")
    }

    @Test("encoded data is decoded unchanged, in lines of at most 76, and counted correctly")
    func roundTrip() {
        var random = SeededGenerator(seed: 1)
        for length in Array(0...130) + [1_000, 4_096] {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let base64 = Base64.encode(bytes, lineLength: 76)
            #expect(Base64.decode(base64[...]) == bytes)
            #expect(lines(base64).allSatisfy { $0.count <= 76 })
            #expect(Base64.decodedCount(base64[...]) == length)

            let text = BodyWriter.withCRLF(bytes)
            let quoted = QuotedPrintable.encode(text)
            #expect(QuotedPrintable.decode(quoted[...]) == text)
            #expect(QuotedPrintable.decodedCount(quoted[...]) == text.count)
            #expect(lines(quoted).allSatisfy { $0.count <= 76 })
            #expect(quoted.allSatisfy { $0 < 0x7F })
        }
    }

    @Test("decoding with a limit gives the beginning of the whole")
    func everyLimit() {
        let base64 = Array("SGVs*bG9IZWxsb0hlbGxvSGVsbG8=SGVsbG9IZWxs\nb0hlbGxvSGVsbG8".utf8)[...]
        let quoted = Array("a=41 b  \r\nc=\n=C3=A9 d".utf8)[...]
        for limit in 0...60 {
            #expect(Base64.decode(base64, limit: limit) == Array(Base64.decode(base64).prefix(limit)))
            #expect(
                QuotedPrintable.decode(quoted, limit: limit)
                    == Array(QuotedPrintable.decode(quoted).prefix(limit)))
        }
    }

    @Test("decoding stops at its limit")
    func limit() {
        let encoded = Base64.encode([UInt8](repeating: 65, count: 10_000))
        #expect(Base64.decode(encoded[...], limit: 10).count == 10)
        #expect(QuotedPrintable.decode([UInt8](repeating: 65, count: 10_000)[...], limit: 10).count == 10)
    }

    private func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split { $0 == ASCII.lf || $0 == ASCII.cr }
    }
}
