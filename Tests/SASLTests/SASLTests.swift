import Testing

@testable import SASL

@Suite struct SecretTests {
    static let canary = "hunter2-canary"

    private struct Login {
        let user = "ann"
        let password = Secret(canary)
    }

    @Test func `printing never shows a secret`() {
        let secret = Secret(Self.canary)
        let login = Login()
        var dumped = ""
        dump(secret, to: &dumped)
        dump(login, to: &dumped)
        dump([secret], to: &dumped)
        dump(["key": secret], to: &dumped)
        let printed = [
            "\(secret)", String(describing: secret), String(reflecting: secret), "\(login)",
            String(reflecting: login), "\([secret])", String(describing: Optional(secret)),
            "\(Mirror(reflecting: secret).children.map { "\($0.value)" })", dumped,
        ]
        for text in printed {
            #expect(!text.contains("canary"))
        }
        #expect("\(secret)" == "•••")
        #expect(dumped.contains("•••"))
        #expect(secret.reveal() == Self.canary)
    }

    @Test(arguments: [
        ("wrong password hunter2-canary for ann", "wrong password ••• for ann"),
        ("hunter2-canaryhunter2-canary", "••••••"), ("bad aHVudGVyMi1jYW5hcnk= sent", "bad ••• sent"),
        // \0ann\0 and the password, as in PLAIN (RFC 4616), and with other lengths before it.
        ("535 AGFubgBodW50ZXIyLWNhbmFyeQ== no", "535 ••• no"),
        ("535 AGFubmEAaHVudGVyMi1jYW5hcnk= no", "535 ••• no"),
        ("535 AGFubmllAGh1bnRlcjItY2FuYXJ5 no", "535 ••• no"),
        ("no such user", "no such user"), ("", ""),
    ])
    func `a secret in foreign text is removed`(words: String, shown: String) {
        #expect(Secret(Self.canary).hidden(in: words) == shown)
        #expect(Secret("a").hidden(in: words) == words, "one letter stands everywhere")
    }
}

@Suite struct Base64Tests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 gives the standard's values, encoded and decoded`(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test func `every byte is encoded and decoded`() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
        #expect(Base64.encode([0xfb, 0xff]) == "+/8=")
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "=Zg=", "Z===", "Zg==\n", "Zm 9", "Zm9v Zm9v"])
    func `invalid base64 is refused`(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
