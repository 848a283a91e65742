import Accounts
import Models
import TestSupport
import Testing

/// How mail is sent: `send:` and `signature:`.
@Suite struct SendSettingsTests {
    @Test func `every key of send is read`() throws {
        let send = try Self.load(
            send: "{ hold: 2m, max-per-run: 5, max-per-hour: 6, max-per-recipient-per-hour: 1 }"
        )
        .workspace?.send
        #expect(send?.hold == 120)
        #expect(send?.perRun == 5)
        #expect(send?.perHour == 6)
        #expect(send?.perRecipientPerHour == 1)
    }

    @Test func `by default, a mail can be stopped for thirty seconds`() throws {
        #expect(try Self.load(send: "{}").workspace?.send == SendSettings())
        #expect(SendSettings().hold == 30)
    }

    @Test(arguments: zip(["0", "0s", "45s", "1m", "2h"], [0, 0, 45, 60, 7_200]))
    func `hold is a span of time`(text: String, seconds: Int) throws {
        #expect(try Self.load(send: "{ hold: \(text) }").workspace?.send.hold == seconds)
    }

    @Test(arguments: [
        "{ hold: soon }", "{ hold: 30 }", "{ hold: 2d }", "{ hold: -1s }", "{ max-per-run: 0 }",
    ])
    func `an invalid setting is an error`(send: String) throws {
        let loaded = try Self.load(send: send)
        #expect(loaded.workspace == nil)
        #expect(loaded.diagnostics.map(\.code) == ["C007"])
    }

    @Test func `a signature comes from its file, without trailing empty lines`() throws {
        let loaded = try Self.load(account: "    signature: |\n      Ana Ruiz\n      Acme\n\n")
        #expect(loaded.workspace?.accounts.first?.signature == "Ana Ruiz\nAcme")
    }

    @Test func `trusted servers are one name or several, in any case`() throws {
        let one = try Self.load(account: "    authserv-id: MX.acme.example\n")
        #expect(one.workspace?.accounts.first?.authenticationServers == ["mx.acme.example"])
        let two = try Self.load(account: "    authserv-id: [a.example, b.example]\n")
        #expect(two.workspace?.accounts.first?.authenticationServers == ["a.example", "b.example"])
        let wrong = try Self.load(account: "    authserv-id: 'a.example; dmarc=pass'\n")
        #expect(wrong.diagnostics.map(\.code) == ["C007"])
    }

    @Test func `the authorities for mail certificates are read from a file beside opus.yaml`() throws {
        let folder = try TemporaryFolder()
        try folder.write("any", to: "company.pem")
        let loaded = try folder.load(
            """
            config-version: 1
            accounts:
              - { name: a, address: a@x.org, maildir: m, smime: { ca-file: company.pem } }
              - { name: b, address: b@x.org, maildir: n }
            """)
        let files = loaded.workspace?.accounts.map(\.smimeCAFile)
        #expect(files == [folder.path + "/company.pem", nil])
    }

    @Test(arguments: [
        ("{ ca-file: none.pem }", "C011"), ("{}", "C005"), ("{ ca-file: [a] }", "C006"),
        ("{ pin: x, ca-file: none.pem }", "C004"), ("company.pem", "C006"),
    ])
    func `a missing or unnamed file of authorities is an error`(_ text: String, code: String)
        throws
    {
        #expect(try Self.load(account: "    smime: \(text)\n").diagnostics.map(\.code).contains(code))
    }

    @Test func `a missing signature file is an error`() throws {
        let loaded = try Self.load(account: "    signature-file: none.txt\n")
        #expect(loaded.diagnostics.map(\.code) == ["C011"])
    }

    @Test func `a signature with two sources is an error`() throws {
        let loaded = try Self.load(account: "    signature: Ana\n    signature-file: none.txt\n")
        #expect(loaded.diagnostics.map(\.code) == ["C005"])
    }

    @Test func `an identity has an address, and its own name, signature and mailbox`() throws {
        let loaded = try Self.load(
            account: """
                    identities:
                      - { from: sales@x.org, name: Sales, signature: Team, sent: Sent/Sales }
                      - from: jobs@x.org
                """)
        let account = try #require(loaded.workspace?.accounts.first)
        #expect(account.identities.map(\.address.addrSpec) == ["sales@x.org", "jobs@x.org"])
        let sales = account.identities[0]
        #expect((sales.name, sales.signature, sales.sentMailbox) == ("Sales", "Team", "Sent/Sales"))
        #expect(account.identities[1].name == nil && account.identities[1].signature == nil)
        #expect(
            loaded.workspace?.addresses.map(\.addrSpec) == ["a@x.org", "sales@x.org", "jobs@x.org"],
            "each of them is the user")
    }

    @Test(
        arguments: zip(
            [
                "identities: sales@x.org", "identities: [{ name: Sales }]", "identities: [{ from: nobody }]",
                "identities: [{ from: a@x.org }, { from: A@x.org }]",
                "identities: [{ from: a@x.org, sent: INBOX }]", "identities: [{ from: a@x.org, reply: b }]",
            ], ["C006", "C005", "C008", "C009", "C009", "C004"]))
    func `a mistake in an identity is reported`(text: String, code: String) throws {
        #expect(try Self.load(account: "    " + text).diagnostics.map(\.code) == [code])
    }

    private static func load(send: String = "{}", account: String = "") throws -> (
        workspace: Workspace?, diagnostics: [Diagnostic]
    ) {
        try TemporaryFolder().load(
            """
            config-version: 1
            send: \(send)
            accounts:
              - name: a
                address: a@x.org
                maildir: m
            \(account)
            """)
    }
}
