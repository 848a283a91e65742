import SASL
import Testing

@Suite struct SecretTests {
    static let canary = "hunter2-canary"

    private struct Login {
        let user = "ann"
        let password = Secret(canary)
    }

    @Test func `no way of printing shows a secret`() {
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
}

@Suite struct SASLMechanismTests {
    @Test func `PLAIN is NUL, user, NUL, password`() throws {
        // RFC 4616 §4, without its authorization identity.
        let response = try SASLMechanism.plain(user: "tim", password: Secret("tanstaaftanstaaf"))
        #expect(response == Array("\u{0}tim\u{0}tanstaaftanstaaf".utf8))
        #expect(SASLMechanism.base64(response) == "AHRpbQB0YW5zdGFhZnRhbnN0YWFm")
    }

    @Test func `names and passwords travel as UTF-8`() throws {
        let response = try SASLMechanism.plain(user: "zoë", password: Secret("пароль"))
        #expect(response == [0] + Array("zoë".utf8) + [0] + Array("пароль".utf8))
    }

    @Test func `LOGIN answers with the user and then the password`() throws {
        let responses = try SASLMechanism.login(user: "ann", password: Secret("pw"))
        #expect(SASLMechanism.base64(responses.user) == "YW5u")
        #expect(SASLMechanism.base64(responses.password) == "cHc=")
    }

    @Test(arguments: [
        ("a\u{0}b", "pw", SASLError.nulInUser),
        ("ann", "p\u{0}w", .nulInPassword),
        ("", "pw", .emptyUser),
        ("ann", "", .emptyPassword),
    ])
    func `a login that would read as another one is refused`(user: String, password: String, error: SASLError)
    {
        #expect(throws: error) { try SASLMechanism.plain(user: user, password: Secret(password)) }
        #expect(throws: error) { try SASLMechanism.login(user: user, password: Secret(password)) }
        if password.count > 1 { #expect(!error.description.contains(password)) }
    }

    @Test func `an empty response has its own sign`() {
        #expect(SASLMechanism.base64([]) == "=")
    }
}

@Suite struct Base64Tests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `gives the standard's answers, there and back`(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test func `every byte comes back`() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
        #expect(Base64.encode([0xfb, 0xff]) == "+/8=")
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "=Zg=", "Z===", "Zg==\n", "Zm 9", "Zm9v Zm9v"])
    func `what is not exactly base 64 is nil`(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
