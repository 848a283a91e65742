import Accounts
import Models
import SASL
import TestSupport
import Testing

/// How an account logs in and whom it trusts: `login:` and `tls:`.
@Suite struct LoginSettingsTests {
    static let pin = String(repeating: "0123456789abcdef", count: 4)

    @Test func `a token, a mechanism and a pinned certificate apply to both servers`() throws {
        let colons = stride(from: 0, to: 64, by: 2).map { Self.pin.dropFirst($0).prefix(2).uppercased() }
        let loaded = try TemporaryFolder().load(
            """
            config-version: 1
            accounts:
              - name: a
                address: a@x.org
                imap: { host: 127.0.0.1, port: 1143, security: starttls }
                smtp: { host: 127.0.0.1, port: 1025, security: starttls }
                tls: { pin: "SHA256:\(colons.joined(separator: ":"))" }
                login: { user: ana, token-command: [oama, access, a@x.org], mechanism: OAUTHBEARER }
            """)
        #expect(loaded.diagnostics.map(\.summary) == [])
        let account = try #require(loaded.workspace?.accounts.first)
        let server = ServerSettings(host: "127.0.0.1", port: 1143, security: .startTLS, pin: Self.pin)
        #expect(account.source == .imap(server))
        #expect(account.smtp?.pin == Self.pin)
        #expect(account.login?.proof == .token)
        #expect(account.login?.command == ["oama", "access", "a@x.org"])
        #expect(account.login?.mechanism == .oauthBearer)
    }

    @Test(arguments: [
        WorkspaceLoadingTests.Mistake(
            "two commands",
            account: "    imap: { host: h }\n    login: { password-command: [x], token-command: [y] }",
            [
                "6:52 C005 login of account a has both 'password-command' and 'token-command'; remove one"
            ]),
        WorkspaceLoadingTests.Mistake(
            "a token command that is no list",
            account: "    imap: { host: h }\n    login: { token-command: 3 }",
            [
                "6:29 C012 token-command is text, not a list of program and arguments | write [3]; no shell reads it"
            ]),
        WorkspaceLoadingTests.Mistake(
            "a mechanism that nobody knows",
            account: "    imap: { host: h }\n    login: { password-command: [x], mechanism: plane }",
            [
                "6:48 C007 'plane' is not a value of 'mechanism' | one of: scram-sha-256, scram-sha-1, plain, login, oauthbearer, xoauth2"
            ]),
        WorkspaceLoadingTests.Mistake(
            "a mechanism of tokens with a password",
            account: "    imap: { host: h }\n    login: { password-command: [x], mechanism: xoauth2 }",
            [
                "6:48 C007 xoauth2 does not log in by password, but the account has password-command | one of: scram-sha-256, scram-sha-1, plain, login"
            ]),
        WorkspaceLoadingTests.Mistake(
            "a mechanism of passwords with a token",
            account: "    imap: { host: h }\n    login: { token-command: [x], mechanism: plain }",
            [
                "6:45 C007 plain does not log in by token, but the account has token-command | one of: oauthbearer, xoauth2"
            ]),
        WorkspaceLoadingTests.Mistake(
            "a pin that is no fingerprint",
            account:
                "    imap: { host: h }\n    tls: { pin: 'sha1:aabb' }\n    login: { password-command: [x] }",
            [
                "6:17 C007 'pin' is not the SHA-256 fingerprint of a certificate | write \"sha256:\" and 64 hexadecimal digits"
            ]),
        WorkspaceLoadingTests.Mistake(
            "an empty pin section",
            account: "    imap: { host: h }\n    tls: {}\n    login: { password-command: [x] }",
            ["6:10 C005 tls of account a has no 'pin'"]),
        WorkspaceLoadingTests.Mistake(
            "a switch that we do not have",
            account:
                "    imap: { host: h }\n    tls: { insecure: true }\n    login: { password-command: [x] }",
            [
                "6:10 C005 tls of account a has no 'pin'",
                "6:12 C004 unknown key 'insecure' in tls of account a | known: pin",
            ]),
        WorkspaceLoadingTests.Mistake(
            "a pin for no server", account: "    maildir: m\n    tls: { pin: 'sha256:\(pin)' }",
            ["6:10 C005 account a has 'tls' and no server; remove it"]),
    ])
    func `a mistake is reported at its place`(mistake: WorkspaceLoadingTests.Mistake) throws {
        let (workspace, diagnostics) = try TemporaryFolder().load(mistake.text)
        #expect(diagnostics.map(\.summary) == mistake.found)
        #expect(workspace == nil)
    }
}
