import Crypto
import Foundation
import Testing

@testable import Discovery

@Suite("the configuration document of a provider (PACC)")
struct PACCDocumentTests {
    private static let text = """
        {"protocols": {"imap": {"host": "Imap.acme.example"}, "smtp": {"host": "smtp.acme.example"},
         "pop3": {"host": "pop.acme.example"}},
         "authentication": {"oauth-public": {"issuer": "https://login.acme.example"}, "password": false},
         "info": {"provider": {"name": "Acme"}}}
        """

    private static func record(_ text: String) -> String {
        "v=UAAC1; a=sha256; d=" + Data(SHA256.hash(Array(text.utf8))).base64EncodedString()
    }

    private static func read(_ text: String, _ records: [String]) -> PACCDocument? {
        PACCDocument(
            Array(text.utf8), records: records, origin: "https://ua-auto-config.acme.example", isTrusted: true
        )
    }

    @Test("servers on the usual ports use TLS, and the issuer is read")
    func whole() throws {
        let document = try #require(Self.read(Self.text, ["v=spf1 -all", Self.record(Self.text)]))
        #expect(document.candidates.map(\.host) == ["imap.acme.example", "smtp.acme.example"])
        #expect(document.candidates.map(\.port) == [993, 465])
        #expect(document.candidates.allSatisfy { $0.security == .tls && $0.isTrusted })
        #expect(document.issuer == "https://login.acme.example" && document.takesPasswords == false)
    }

    @Test("a document without its digest in DNS is ignored")
    func digest() {
        let good = Self.record(Self.text)
        for record in [
            "", Self.record(Self.text + " "), good.replacing("UAAC1", with: "UAAC2"),
            good.replacing("sha256", with: "md5"), good.replacing("d=", with: "d=x"),
            "v=UAAC1; a=sha256",
        ] {
            #expect(Self.read(Self.text, [record]) == nil, "\(record)")
        }
        #expect(Self.read(Self.text, []) == nil)
        #expect(Self.read(Self.text, ["A=SHA256;V=uaac1;D=" + good.split(separator: "d=")[1]]) != nil)
    }

    @Test(
        "hostile documents name no server",
        arguments: [
            "[]", "{}", "{\"protocols\": 1}", "{\"protocols\": {\"imap\": {\"host\": \"a b\"}}}",
            "{\"protocols\": {\"imap\": {\"host\": 1}}, \"authentication\": {\"oauth-public\": {\"issuer\": \"file:///x\"}}}",
        ])
    func hostile(text: String) {
        let document = Self.read(text, [Self.record(text)])
        #expect(document?.candidates.isEmpty ?? true)
        #expect(document?.issuer == nil)
    }
}
