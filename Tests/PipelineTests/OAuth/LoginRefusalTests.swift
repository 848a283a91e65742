import Models
import Testing

@testable import Pipeline

/// Refusals of providers: what the user reads instead of a code.
@Suite("Refused logins")
struct LoginRefusalTests {
    @Test(
        "the text of a provider becomes a sentence with the command that helps",
        arguments: [
            (
                "535 5.7.139 Authentication unsuccessful, basic authentication is disabled.", "passwords",
                "oauth"
            ),
            (
                "534-5.7.9 Application-specific password required. Learn more at ...", "app password",
                "password-command"
            ),
            ("NO [ALERT] IMAP access is disabled for your domain.", "IMAP is switched off", "web mail"),
            ("AADSTS65001: The user or administrator has not consented", "organisation", "administrator"),
            (
                "invalid_grant: AADSTS70043: The refresh token has expired", "expired",
                "opus account login work"
            ),
            ("error=redirect_uri_mismatch", "redirect address", "--paste"),
            ("access_denied", "declined", "opus account login work"),
            ("Invalid_Client: bad secret", "client id", "client-id"),
        ])
    func known(_ words: String, _ sentence: String, _ step: String) throws {
        let refusal = try #require(LoginRefusal(words, account: AccountID("work")))
        #expect(refusal.sentence.contains(sentence))
        #expect(refusal.step.contains(step))
        #expect(!refusal.step.contains("NAME"))
    }

    @Test("an unknown text is quoted, without characters that change a terminal")
    func unknown() {
        #expect(LoginRefusal("AUTHENTICATIONFAILED Invalid credentials", account: AccountID("work")) == nil)
        let words = TokenEndpoint.harmless("no\u{1B}[2J\r\nlogin" + String(repeating: "!", count: 400))
        let problem = TokenEndpoint.Refusal(error: "teapot", words: words).problem(AccountID("work"))
        #expect(problem.code == "login-refused" && problem.exit == .loginRefused)
        #expect(problem.message.contains("teapot: no[2Jlogin!"))
        #expect(!problem.message.unicodeScalars.contains { $0.value < 0x20 })
        #expect(problem.message.count < 400)
    }

    @Test("a login that has expired is reported differently from one that was refused")
    func expired() {
        let account = AccountID("work")
        let expired = TokenEndpoint.Refusal(error: "invalid_grant", words: "Token revoked").problem(account)
        #expect(expired.code == "login-expired")
        #expect(expired.details == ["the provider said: invalid_grant: Token revoked"])
        let declined = TokenEndpoint.Refusal(error: "access_denied", words: "").problem(account)
        #expect(declined.code == "login-refused" && declined.next == ["opus account login work"])
    }
}
