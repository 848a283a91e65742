import Accounts
import Models
import TestSupport
import Testing

/// How an account is synchronised: `sync:`.
@Suite struct SyncSettingsTests {
    @Test func `every key is read`() throws {
        let settings = try Self.settings(
            "{ window: 12w, connections: 2, compress: auto, notify: true, utf8: true }")
        #expect(settings?.windowDays == 84)
        #expect(settings?.connections == 2)
        #expect(settings?.compression == .auto)
        #expect(settings?.usesNotify == true)
        #expect(settings?.acceptsUTF8 == true)
    }

    @Test func `a pattern excludes mailboxes, but never INBOX`() throws {
        let settings = try Self.settings("{ exclude: [Public, \".*\"] }")
        #expect(settings?.exclude == MailboxExclusion(["Public", ".*"]))
        let mistakes = try TemporaryFolder().load(
            """
            config-version: 1
            accounts:
              - { name: a, address: a@x.org, maildir: m, sync: { exclude: [Inbox, "", { a: b }] } }
            """)
        #expect(mistakes.diagnostics.map(\.code) == ["C007", "C007", "C007"])
    }

    @Test func `by default, opus fetches everything and uses no optional feature`() throws {
        #expect(try Self.settings("{ window: all }") == SyncSettings())
    }

    @Test(arguments: zip(["1d", "2w", "6mo", "2y"], [1, 14, 180, 730]))
    func `the window is a span of time`(text: String, days: Int) throws {
        #expect(try Self.settings("{ window: \(text) }")?.windowDays == days)
    }

    private static func settings(_ sync: String) throws -> SyncSettings? {
        let loaded = try TemporaryFolder().load(
            """
            config-version: 1
            accounts:
              - name: a
                address: a@x.org
                imap: { host: imap.x.org }
                login: { password-command: [x] }
                sync: \(sync)
            """)
        #expect(loaded.diagnostics.map(\.summary) == [])
        return loaded.workspace?.accounts.first?.sync
    }

    @Test(arguments: [
        WorkspaceLoadingTests.Mistake(
            "a window of nothing", account: "    maildir: m\n    sync: { window: 0d }",
            ["6:21 C007 '0d' is not a span of time | write a number and d, w, mo or y, as in 90d, or all"]),
        WorkspaceLoadingTests.Mistake(
            "a window beyond everything", account: "    maildir: m\n    sync: { window: 99999999999999999y }",
            [
                "6:21 C007 '99999999999999999y' is not a span of time | write a number and d, w, mo or y, as in 90d, or all"
            ]),
        WorkspaceLoadingTests.Mistake(
            "six connections",
            account:
                "    imap: { host: h }\n    login: { password-command: [x] }\n    sync: { connections: 6 }",
            ["7:26 C007 'connections' is '6', not a number from 1 to 5"]),
        WorkspaceLoadingTests.Mistake(
            "a compression that nobody knows",
            account:
                "    imap: { host: h }\n    login: { password-command: [x] }\n    sync: { compress: zip }",
            ["7:23 C007 'zip' is not a value of 'compress' | one of: off, auto, always"]),
        WorkspaceLoadingTests.Mistake(
            "compression of a Maildir", account: "    maildir: m\n    sync: { compress: auto }",
            ["6:23 C005 'compress' has no effect on a Maildir; remove it"]),
    ])
    func `a mistake is reported with its place`(mistake: WorkspaceLoadingTests.Mistake) throws {
        let (_, diagnostics) = try TemporaryFolder().load(mistake.text)
        #expect(diagnostics.map(\.summary) == mistake.found)
    }
}
