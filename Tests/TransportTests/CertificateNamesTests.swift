import Testing

@testable import Transport

@Suite struct CertificateNamesTests {
    @Test(arguments: [
        ("mail.example.org", "mail.example.org", true),
        ("MAIL.example.ORG.", "mail.EXAMPLE.org", true),
        ("mail.example.org", "mail.example.org.", true),
        ("*.example.org", "mail.example.org", true),
        ("*.example.org", "example.org", false),
        ("*.example.org", "a.b.example.org", false),
        ("m*.example.org", "mail.example.org", false),
        ("mail.*.org", "mail.example.org", false),
        ("*", "localhost", false),
        ("*.org", "example.org", false),
        ("*.*.org", "mail.example.org", false),
        ("", "", false),
        ("*.example.org", ".example.org", false),
        ("mail.example.org\u{0}.evil.org", "mail.example.org", false),
    ])
    func `a name is matched as RFC 9525 says`(pattern: String, server: String, isCovered: Bool) {
        #expect(CertificateNames([Array(pattern.utf8)]).cover(server) == isCovered)
    }

    @Test func `names are shown limited in number and length, without control characters`() {
        #expect(CertificateNames([Array("a\u{1B}[31m b".utf8)]).wording == "it is for a?[31m?b")
        let many = CertificateNames((0..<9).map { Array("n\($0)".utf8) })
        #expect(many.wording == "it is for n0, n1, n2, n3, n4 and 4 more")
        #expect(CertificateNames([[UInt8](repeating: 0x61, count: 900)]).wording.count < 120)
    }
}
