import Models
import TestSupport
import Testing

@testable import Discovery

@Suite("autoconfiguration files")
struct AutoconfigTests {
    private let address = EmailAddress("ana.ruiz@acme.example") ?? EmailAddress(localPart: "a", domain: "b")

    static func file(_ servers: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- a comment -->
        <clientConfig version="1.1"><emailProvider id="acme.example"><domain>acme.example</domain>
        <displayName>Acme &amp; Söhne</displayName>
        \(servers)
        </emailProvider></clientConfig>
        """
    }

    static func server(
        _ kind: String = "incomingServer", _ type: String = "imap", host: String = "imap.%EMAILDOMAIN%",
        port: String = "993", socket: String = "SSL", user: String = "%EMAILADDRESS%"
    ) -> String {
        "<\(kind) type=\"\(type)\"><hostname>\(host)</hostname><port> \(port)\n</port>"
            + "<socketType>\(socket)</socketType><username>\(user)</username>"
            + "<authentication>password-cleartext</authentication></\(kind)>"
    }

    private func read(_ text: String) -> [ServerCandidate] {
        AutoconfigFile(
            Array(text.utf8), address: address, origin: .autoconfig(address: "https://x"), isTrusted: true
        ).candidates
    }

    @Test("servers are read in the order of the file, with their variables replaced")
    func order() {
        let found = read(
            Self.file(
                Self.server(user: "%EMAILLOCALPART%") + Self.server("incomingServer", "pop3", port: "995")
                    + Self.server(
                        "outgoingServer", "smtp", host: "Smtp.acme.example", port: "587", socket: "STARTTLS")
            ))
        #expect(found.map(\.service) == [.imap, .smtp])
        #expect(found.map(\.host) == ["imap.acme.example", "smtp.acme.example"])
        #expect(found.map(\.port) == [993, 587])
        #expect(found.map(\.security) == [.tls, .startTLS])
        #expect(found.map(\.user) == ["ana.ruiz", "ana.ruiz@acme.example"])
    }

    @Test(
        "a server without encryption, or with an odd name or port, is ignored",
        arguments: [
            server(socket: "plain"), server(host: "imap.x\r\nHost: y"), server(host: "-oProxy=x"),
            server(host: "a b"), server(port: "0"), server(port: "99999"), server(port: "x"),
            server(host: ""), server(host: "%EMAILNAME%"), server(host: "&#27;[2J.example"),
        ])
    func odd(server: String) { #expect(read(Self.file(server)).isEmpty) }

    @Test("a user name with control characters or unknown variables is ignored, and its server is kept")
    func user() {
        #expect(read(Self.file(Self.server(user: "a&#10;b"))).map(\.user) == [nil])
        #expect(read(Self.file(Self.server(user: "%REALNAME%"))).map(\.user) == [nil])
    }

    @Test(
        "hostile files name no server",
        arguments: [
            "", "<", "<a", "<a>", "</a>", "<a></b>", "<a b=c/>", "&&&", "<html><body>Not found</body></html>",
            "<!DOCTYPE x [<!ENTITY a \"b\">]>" + file(server()),
            file("<x>&a;</x>" + server()), String(repeating: "<a>", count: 100_000),
            "<a>" + String(repeating: "x", count: 10_000) + "</a>",
            String(repeating: file(server()), count: 2).replacing("</clientConfig>", with: ""),
            file(String(repeating: "<x/>", count: 20_000) + server()),
        ])
    func hostile(text: String) { #expect(read(text).isEmpty) }

    @Test("at most sixteen servers are read from a file")
    func many() {
        #expect(read(Self.file(String(repeating: Self.server(), count: 300))).count == 16)
    }

    @Test("a damaged file never gives an invalid or trusted server")
    func damage() {
        var generator = SeededGenerator(seed: 18)
        let whole = Array(Self.file(Self.server()).utf8)
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            let cut = Int.random(in: 0...bytes.count, using: &generator)
            for sample in [bytes, Array(bytes.prefix(cut))] {
                let found = AutoconfigFile(
                    sample, address: address, origin: .guess, isTrusted: false
                ).candidates
                #expect(found.allSatisfy { HostName.isSound($0.host) && !$0.isTrusted })
            }
        }
    }
}
