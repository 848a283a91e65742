import Testing

@testable import MIMEParser

@Suite struct TransferEncodingTests {
    @Test(
        "base64",
        arguments: [
            ("whole", "SGVsbG8=", "Hello"),
            ("in lines", "SGVs\r\nbG8=\r\n", "Hello"),
            ("without padding", "SGVsbG8", "Hello"),
            ("with junk between", "SG*Vs!b G8=", "Hello"),
            ("encoded in pieces", "SGVs" + "bG8=" + "SGVs" + "bG8=", "HelloHello"),
            ("a single character too many", "SGVsbG8=A", "Hello"),
            ("nothing", "", ""),
            ("only padding", "====", ""),
        ])
    func base64(_ name: String, _ input: String, _ expected: String) {
        #expect(Base64.decode(Array(input.utf8)[...]) == Array(expected.utf8), "\(name)")
    }

    @Test(
        "quoted-printable",
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
        ])
    func quotedPrintable(_ name: String, _ input: String, _ expected: String) {
        #expect(QuotedPrintable.decode(Array(input.utf8)[...]) == Array(expected.utf8), "\(name)")
    }

    @Test("what is encoded is decoded, in lines of at most 76, and the count is the size")
    func roundTrip() {
        var random = Fixed(seed: 1)
        for length in Array(0...130) + [1_000, 4_096] {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let base64 = Base64.encode(bytes, lineLength: 76)
            #expect(Base64.decode(base64[...]) == bytes)
            #expect(lines(base64).allSatisfy { $0.count <= 76 })
            var counter = ByteCounter()
            Base64.decode(base64[...], into: &counter)
            #expect(counter.count == length)

            let text = BodyWriter.withCRLF(bytes)
            let quoted = QuotedPrintable.encode(text)
            #expect(QuotedPrintable.decode(quoted[...]) == text)
            #expect(lines(quoted).allSatisfy { $0.count <= 76 })
            #expect(quoted.allSatisfy { $0 < 0x7F })
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
