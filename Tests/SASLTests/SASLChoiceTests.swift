import Testing

@testable import SASL

/// What the account has × what the server offers × how the bytes are protected.
@Suite struct SASLChoiceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let has: String
        let offered: String
        let chosen: String
        var testDescription: String { "\(has) × \(offered) → \(chosen)" }

        init(_ has: String, _ offered: String, _ chosen: String) {
            self.has = has
            self.offered = offered
            self.chosen = chosen
        }

        /// `password`, `token`, `über`, and `password as PLAIN` for a requested mechanism.
        var credentials: SASLCredentials {
            let words = has.split(separator: " ")
            let secret = Secret(words[0] == "über" ? "übermut" : "pw")
            return SASLCredentials(
                user: "ann", proof: words[0] == "token" ? .token(secret) : .password(secret),
                mechanism: words.last.flatMap { SASLMechanism(rawValue: String($0)) })
        }
    }

    @Test(arguments: [
        Row("password", "PLAIN LOGIN SCRAM-SHA-1 SCRAM-SHA-256", "SCRAM-SHA-256, else PLAIN"),
        Row("password", "SCRAM-SHA-256 LOGIN", "SCRAM-SHA-256, else LOGIN"),
        Row("password", "SCRAM-SHA-256 SCRAM-SHA-1", "SCRAM-SHA-256"),
        Row("password", "scram-sha-256", "SCRAM-SHA-256"),
        Row("password", "LOGIN SCRAM-SHA-1 PLAIN", "PLAIN"),
        Row("password", "LOGIN SCRAM-SHA-1", "SCRAM-SHA-1, else LOGIN"),
        Row("password", "LOGIN XOAUTH2", "LOGIN"),
        Row(
            "password", "SCRAM-SHA-256-PLUS CRAM-MD5 XOAUTH2", "password: CRAM-MD5 SCRAM-SHA-256-PLUS XOAUTH2"
        ),
        Row("password", "", "password: none"),
        Row("über", "PLAIN LOGIN SCRAM-SHA-1 SCRAM-SHA-256", "PLAIN"),
        Row("über", "SCRAM-SHA-1 SCRAM-SHA-256", "SCRAM-SHA-256"),
        Row("password as PLAIN", "PLAIN SCRAM-SHA-256", "PLAIN"),
        Row("password as SCRAM-SHA-1", "PLAIN SCRAM-SHA-1", "SCRAM-SHA-1"),
        Row("password as SCRAM-SHA-256", "PLAIN", "SCRAM-SHA-256 not in PLAIN"),
        Row("password as XOAUTH2", "XOAUTH2", "XOAUTH2 needs the other"),
        Row("token", "XOAUTH2 OAUTHBEARER PLAIN", "OAUTHBEARER, else XOAUTH2"),
        Row("token", "XOAUTH2 PLAIN", "XOAUTH2"),
        Row("token", "PLAIN LOGIN SCRAM-SHA-256", "token: LOGIN PLAIN SCRAM-SHA-256"),
        Row("token as XOAUTH2", "XOAUTH2 OAUTHBEARER", "XOAUTH2"),
        Row("token as PLAIN", "PLAIN", "PLAIN needs the other"),
    ])
    func `the best common mechanism is used, and none unencrypted over a network`(row: Row) {
        let offered = row.offered.split(separator: " ").map(String.init)
        for channel in [SASLChannel.encrypted, .thisMachine] {
            #expect(words(row.credentials, offered, channel) == row.chosen)
        }
        let open = words(row.credentials, offered, .open)
        #expect(open == (row.chosen.hasSuffix("needs the other") ? row.chosen : "not in the clear"))
    }

    private func words(_ credentials: SASLCredentials, _ offered: [String], _ channel: SASLChannel) -> String
    {
        do {
            let choice = try SASLChoice.make(credentials, offered: offered, channel: channel)
            return choice.mechanism.rawValue + (choice.fallback.map { ", else \($0.rawValue)" } ?? "")
        } catch .noMechanism(let forToken, let offered) {
            let list = offered.isEmpty ? "none" : offered.joined(separator: " ")
            return "\(forToken ? "token" : "password"): \(list)"
        } catch .notOffered(let mechanism, let offered) {
            return "\(mechanism.rawValue) not in \(offered.joined(separator: " "))"
        } catch .needsOther(let mechanism) {
            return "\(mechanism.rawValue) needs the other"
        } catch .notProtected {
            return "not in the clear"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("a\u{0}b", "pw", SASLError.nulInUser), ("ann", "p\u{0}w", .nulInPassword), ("", "pw", .emptyUser),
        ("ann", "", .emptyPassword),
    ])
    func `a password that could be read as another login is refused`(
        user: String, text: String, error: SASLError
    ) {
        let credentials = SASLCredentials(user: user, password: Secret(text))
        #expect(throws: error) { try credentials.check() }
        if text.count > 1 { #expect(!error.description.contains(text)) }
    }

    @Test(arguments: [
        "", "a b", "a\u{1}auth=Bearer b", "a\r\nA2 NOOP", "tökén", String(repeating: "a", count: 70_000),
    ])
    func `a token with extra content is refused`(token: String) {
        let credentials = SASLCredentials(user: "ann", proof: .token(Secret(token)))
        #expect(throws: SASLError.malformedToken) { try credentials.check() }
    }

    @Test func `a user name that would end a token message is refused`() {
        let credentials = SASLCredentials(user: "ann\u{1}host=x", proof: .token(Secret("t")))
        #expect(throws: SASLError.malformedToken) { try credentials.check() }
    }
}
