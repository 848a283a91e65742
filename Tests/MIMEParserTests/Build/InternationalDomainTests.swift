import Models
import Testing

@testable import MIMEParser

@Suite struct InternationalDomainTests {
    static let pairs = [
        ("bücher.example", "xn--bcher-kva.example"), ("日本語.jp", "xn--wgv71a119e.jp"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("faß.de", "xn--fa-hia.de"), ("нет.рф", "xn--e1apq.xn--p1ai"),
        ("مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"),
    ]

    @Test("an international domain and its A-labels are the same domain", arguments: pairs)
    func both(_ unicode: String, _ ascii: String) {
        #expect(InternationalDomain.toASCII(unicode) == ascii)
        #expect(InternationalDomain.toUnicode(ascii) == unicode)
    }

    @Test(
        "spellings are normalised before encoding",
        arguments: [
            ("BÜCHER.example", "xn--bcher-kva.example"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
            ("日本語。jp", "xn--wgv71a119e.jp"), ("ﬁ.de", "fi.de"),
        ])
    func mapped(_ domain: String, _ ascii: String) {
        #expect(InternationalDomain.toASCII(domain) == ascii)
    }

    @Test(
        "an invalid domain has no ASCII form",
        arguments: [
            "ü..de", "-ü.de", "x\u{200D}y.de", "ü .de", "ü%41.de", "ü/x.de", "ü@x.de", "ü:80", "[ü]",
            "xn--zzzzzz-ü.de",
            String(repeating: "ü", count: 70) + ".de", String(repeating: "ü.", count: 600) + "de",
        ])
    func refused(_ domain: String) {
        #expect(InternationalDomain.toASCII(domain) == nil)
    }

    @Test(
        "an invalid A-label is shown unchanged",
        arguments: [
            "example.org", "xn--a.de", "xn--0.pt", "xn--%41-goa.de", "xn--a b", "", "a_b.org", "[::1]",
        ])
    func untouched(_ domain: String) {
        #expect(InternationalDomain.toUnicode(domain) == domain)
    }

    @Test("addresses are written with A-labels, and the error about another name shows it")
    func addresses() throws {
        var builder = MessageBuilderTests.builder()
        builder.to = [EmailAddress(displayName: "Büro", localPart: "info", domain: "Bücher.example")]
        let bytes = try builder.build()
        Wire.check(bytes)
        #expect(MIMEParser.parse(bytes).envelope.to.map(\.addrSpec) == ["info@xn--bcher-kva.example"])
        #expect(try MessageBuilder.envelopeAddress(builder.to[0]) == "info@xn--bcher-kva.example")
        builder.to[0].localPart = "büro"
        let local = #expect(throws: BuilderError.self) { try builder.build() }
        #expect(local?.code == .internationalAddress)
        builder.to[0] = EmailAddress(localPart: "info", domain: "ü..example")
        let domain = #expect(throws: BuilderError.self) { try builder.build() }
        #expect(domain?.code == .badDomain)
        #expect(
            domain?.description
                == #"To holds "info@\u{00FC}..example", whose domain is not an internationalised name: "#
                + "write its ASCII form (xn--…)")
    }

    @Test(
        "the other spellings of a domain are its A-labels and its readable form",
        arguments: [
            ("bücher.example", ["xn--bcher-kva.example"]), ("XN--bcher-kva.example", ["bücher.example"]),
            ("BÜCHER.*", ["xn--bcher-kva.*"]), ("bücher.xn--p1ai", ["xn--bcher-kva.xn--p1ai", "bücher.рф"]),
            ("x%y.bücher.example", ["x%y.xn--bcher-kva.example"]),
            ("bu\u{308}cher.example", ["xn--bcher-kva.example", "bücher.example"]),
            ("example.org", []), ("xn-.org", []), ("xxn-x.org", []), ("xn--0.pt", []), ("", []),
            ("ü b.de", []),
            ("*ü.de", []),
        ])
    func spellings(_ domain: String, _ others: [String]) {
        #expect(
            InternationalDomain.otherSpellings(of: domain).map { Array($0.utf8) }
                == others.map { Array($0.utf8) })
    }
}
