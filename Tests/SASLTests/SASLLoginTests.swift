import Testing

@testable import SASL

/// The words of each mechanism, from the client's side.
@Suite struct SASLLoginTests {
    static let server = SASLServer(host: "server.example.com", port: 143)

    static func login(
        _ mechanism: SASLMechanism, user: String = "ann", secret: String = "pw",
        offered: [String]? = nil, nonce: String = "nonce"
    ) throws -> SASLLogin {
        let proof: SASLCredentials.Proof =
            mechanism.usesToken ? .token(Secret(secret)) : .password(Secret(secret))
        return try SASLLogin(
            SASLCredentials(user: user, proof: proof), offered: offered ?? [mechanism.rawValue],
            channel: .encrypted, server: server, nonce: nonce)
    }

    static func text(_ response: Secret?) -> String? {
        guard let bytes = response.flatMap({ Base64.decode($0.reveal().utf8) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func base64(_ text: String) -> String { Base64.encode(Array(text.utf8)) }

    @Test func `PLAIN sends NUL, user, NUL and password`() throws {
        // RFC 4616 §4, without its authorization identity.
        var login = try Self.login(.plain, user: "tim", secret: "tanstaaftanstaaf")
        #expect(login.initialResponse?.reveal() == "AHRpbQB0YW5zdGFhZnRhbnN0YWFm")
        #expect(throws: SASLError.unexpectedChallenge(.plain)) { try login.answer("") }
        try login.finish()
    }

    @Test func `names and passwords are sent as UTF-8`() throws {
        #expect(
            Self.text(try Self.login(.plain, user: "zoë", secret: "пароль").initialResponse)
                == "\0zoë\0пароль")
    }

    @Test func `LOGIN answers first with the user and then with the password`() throws {
        var login = try Self.login(.login)
        #expect(login.initialResponse == nil)
        #expect(throws: SASLError.serverNotVerified) { try login.finish() }
        #expect(try login.answer("no base 64!").reveal() == "YW5u")
        #expect(throws: SASLError.serverNotVerified) { try login.finish() }
        #expect(try login.answer("").reveal() == "cHc=")
        try login.finish()
        #expect(throws: SASLError.unexpectedChallenge(.login)) { try login.answer("") }
    }

    @Test func `OAUTHBEARER follows RFC 7628`() throws {
        // RFC 7628 §4.1.
        var login = try Self.login(
            .oauthBearer, user: "user@example.com", secret: "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==")
        let response = try #require(login.initialResponse).reveal()
        #expect(
            response
                == "bixhPXVzZXJAZXhhbXBsZS5jb20sAWhvc3Q9c2VydmVyLmV4YW1wbGUuY29tAXBvcnQ9MTQzAWF1dGg9QmVhcmVyI"
                + "HZGOWRmdDRxbVRjMk52YjNSbGNrQmhiSFJoZG1semRHRXVZMjl0Q2c9PQEB")
        // §4.3: the server's reason, and the ^A that lets it refuse.
        let reason =
            "eyJzdGF0dXMiOiJpbnZhbGlkX3Rva2VuIiwic2NvcGUiOiJleGFtcGxlX3Njb3BlIiwib3BlbmlkLWNvbmZpZ3VyYX"
            + "Rpb24iOiJodHRwczovL2V4YW1wbGUuY29tLy53ZWxsLWtub3duL29wZW5pZC1jb25maWd1cmF0aW9uIn0="
        #expect(try login.answer(reason).reveal() == "AQ==")
        #expect(login.reason("SASL authentication failed") == "SASL authentication failed (invalid_token)")
        #expect(throws: SASLError.serverNotVerified) { try login.finish() }
        #expect(throws: SASLError.unexpectedChallenge(.oauthBearer)) { try login.answer(reason) }
    }

    @Test func `XOAUTH2 follows Google's description`() throws {
        var login = try Self.login(
            .xoauth2, user: "someuser@example.com", secret: "ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg")
        #expect(
            login.initialResponse?.reveal()
                == "dXNlcj1zb21ldXNlckBleGFtcGxlLmNvbQFhdXRoPUJlYXJlciB5YTI5LnZGOWRmdDRxbVRjMk52YjNSbGNrQmhkSFJoZG1"
                + "semRHRXVZMjl0Q2cBAQ==")
        #expect(try login.answer(Self.base64(#"{"status":"401","schemes":"bearer"}"#)).isEmpty)
        #expect(login.reason("") == "401")
    }

    @Test(arguments: [
        (#"{"status": "invalid_token"}"#, "no (invalid_token)"),
        (#"{"scope":"x","status":"400"}"#, "no (400)"),
        (#"{"status":400}"#, "no"),
        (#"{"status":"\u{1B}[31mred"}"#, "no"),
        (#"{"status":"t0ken-canary"}"#, "no"),
        (#"{"status":"canary"}"#, "no"),
        (#"{"status":"t0ken canary t0ken-canary"}"#, "no"),
        (#"{"status":""#, "no"),
        (#"{"status""#, "no"),
        ("", "no"),
    ])
    func `only the plain status of an OAuth error is shown, never the token`(
        json: String, shown: String
    )
        throws
    {
        var login = try Self.login(.xoauth2, secret: "t0ken-canary")
        _ = try login.answer(Self.base64(json))
        #expect(login.reason("no") == shown)
        var cut = try Self.login(.xoauth2, secret: "t0ken-canary")
        _ = try cut.answer("not base 64 …")
        #expect(cut.reason("no") == "no")
    }

    @Test func `a truncated OAuth error is read as far as possible`() throws {
        var login = try Self.login(.xoauth2, secret: "t0ken-canary")
        let reason = Self.base64(#"{"status":"401","scope":"\#(String(repeating: "x", count: 900))"}"#)
        _ = try login.answer(reason.prefix(499) + "…")
        #expect(login.reason("no") == "no (401)")
    }

    @Test func `a server message that repeats the secret is shown without it`() throws {
        let login = try Self.login(.plain, secret: "canary-word")
        let response = try #require(login.initialResponse).reveal()
        #expect(login.reason("bad canary-word in \(response)!") == "bad ••• in •••!")
    }

    @Test(arguments: SASLMechanism.allCases)
    func `no form of printing shows the secret`(mechanism: SASLMechanism) throws {
        var login = try Self.login(mechanism, secret: "canary-word")
        var texts = ["\(login)", String(reflecting: login)]
        if mechanism == .login { _ = try login.answer("") }
        var dumped = ""
        dump(login, to: &dumped)
        texts.append(dumped)
        for text in texts {
            #expect(!text.contains("canary-word") && !text.contains(Self.base64("canary-word")))
            if let response = login.initialResponse { #expect(!text.contains(response.reveal())) }
        }
    }

    @Test func `a second attempt is made only if the password was not checked`() throws {
        var login = try Self.login(.scramSHA256, offered: ["SCRAM-SHA-256", "PLAIN", "LOGIN"])
        #expect(login.mechanism == .scramSHA256)
        #expect(login.tryOther(after: .credentials) == true, "refused before salt and iterations")
        #expect(login.mechanism == .plain)
        #expect(Self.text(login.initialResponse) == "\0ann\0pw")
        #expect(login.tryOther(after: .mechanism) == false, "no second one")
        try login.finish()

        var asked = try Self.login(.scramSHA256, offered: ["SCRAM-SHA-256", "PLAIN"])
        _ = try asked.answer(Self.base64("r=nonceX,s=QSXCR+Q6sek8bf92,i=4096"))
        #expect(
            asked.tryOther(after: .credentials) == false, "the password is wrong: no guess by other means")
        #expect(asked.tryOther(after: .mechanism) == true, "the server has trouble of its own")

        var token = try Self.login(.oauthBearer, offered: ["XOAUTH2", "OAUTHBEARER"])
        #expect(token.tryOther(after: .credentials) == false)
        #expect(token.tryOther(after: .mechanism) == true)
        #expect(token.mechanism == .xoauth2)

        var plain = try Self.login(.plain, offered: ["PLAIN", "LOGIN"])
        #expect(plain.tryOther(after: .mechanism) == false)
    }
}
