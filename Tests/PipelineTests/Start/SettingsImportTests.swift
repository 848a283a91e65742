import Accounts
import Discovery
import Foundation
import Logging
import Models
import TestSupport
import Testing

@testable import Pipeline

/// Settings of other mail programs: servers, users and commands are taken over, secrets are not.
@Suite("settings of other programs")
struct SettingsImportTests {
    private func accounts(_ program: String, _ path: String, _ text: String) throws -> [ImportedAccount] {
        let home = try TemporaryFolder()
        let file = URL(filePath: home.path + "/" + path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return try SettingsImport(environment: ["HOME": home.path]).accounts(of: program)
    }

    @Test("every server of mbsync is imported, with its password command")
    func mbsync() throws {
        let found = try accounts(
            "mbsync", ".mbsyncrc",
            """
            # comment
            IMAPAccount work
            Host imap.acme.example
            User ana@acme.example
            PassCmd "pass show mail/work | head -1"
            SSLType IMAPS
            IMAPStore work-remote
            Account work
            MaildirStore work-local
            Path ~/Mail/
            Host not.a.server
            IMAPAccount home
            Host mail.home.example
            Port 143
            User ana
            Pass secret
            TLSType STARTTLS
            PassCmd +gpg
            """)
        #expect(found.map(\.imap?.host) == ["imap.acme.example", "mail.home.example"])
        #expect(found.map(\.imap?.port) == [993, 143])
        #expect(found.map(\.imap?.security) == [.tls, .startTLS])
        #expect(found.map(\.address?.addrSpec) == ["ana@acme.example", nil])
        #expect(found.map(\.passwordCommand) == [["sh", "-c", "pass show mail/work | head -1"], ["gpg"]])
    }

    @Test("remote repositories of offlineimap are imported, without the password command in Python")
    func offlineimap() throws {
        let found = try accounts(
            "offlineimap", ".offlineimaprc",
            """
            [general]
            accounts = a
            [Repository local]
            type = Maildir
            localfolders = ~/Mail
            [Repository remote]
            type = Gmail
            remoteuser = ana@gmail.com
            remotepasseval = get_pass()
            remotepass = secret
            """)
        #expect(found.map(\.imap?.host) == ["imap.gmail.com"])
        #expect(found.first?.passwordCommand == [])
        #expect(!"\(found)".contains("secret"))
    }

    @Test("Maildir, name and address of notmuch are imported")
    func notmuch() throws {
        let found = try accounts(
            "notmuch", ".notmuch-config",
            "[database]\npath=/home/ana/mail\n[user]\nname=Ana Ruiz\nprimary_email=ana@acme.example\n")
        #expect(found.map(\.maildir) == ["/home/ana/mail"])
        #expect(found.map(\.personName) == ["Ana Ruiz"])
    }

    @Test("servers of aerc are imported, without passwords")
    func aerc() throws {
        let found = try accounts(
            "aerc", ".config/aerc/accounts.conf",
            """
            [Work]
            source = imaps://ana%40acme.example:secret@imap.acme.example
            outgoing = smtp+plain://ana@smtp.acme.example:587
            source-cred-cmd = pass show mail
            from = "Ana Ruiz" <ana@acme.example>
            [Plain]
            source = imap+insecure://x@y.example
            [Odd]
            source = jmap://x@y.example
            """)
        #expect(found.map(\.imap?.host) == ["imap.acme.example", "y.example"])
        #expect(found[1].imap?.security == .startTLS, "a server is never used without encryption")
        #expect(found[0].smtp == (try ServerWish("smtp.acme.example:587", .smtp)))
        #expect(found[0].user == "ana@acme.example")
        #expect(found[0].personName == "Ana Ruiz")
        #expect(!"\(found)".contains("secret"))
    }

    @Test("accounts of himalaya and Thunderbird are imported")
    func others() throws {
        let himalaya = try accounts(
            "himalaya", ".config/himalaya/config.toml",
            """
            [accounts.work]
            email = "ana@acme.example"
            backend.type = "imap"
            backend.host = "imap.acme.example"
            backend.port = 143
            backend.encryption.type = "start-tls"
            backend.login = "ana"
            backend.auth.cmd = "pass show mail"
            """)
        #expect(himalaya.first?.imap == (try ServerWish("imap://imap.acme.example:143", .imap)))
        #expect(himalaya.first?.passwordCommand == ["pass", "show", "mail"])
        let thunderbird = try accounts(
            "thunderbird", ".thunderbird/x.default-release/prefs.js",
            """
            user_pref("mail.accountmanager.accounts", "account1,account2");
            user_pref("mail.account.account1.server", "server1");
            user_pref("mail.account.account1.identities", "id1");
            user_pref("mail.account.account2.server", "server2");
            user_pref("mail.server.server2.type", "none");
            user_pref("mail.server.server1.type", "imap");
            user_pref("mail.server.server1.hostname", "imap.acme.example");
            user_pref("mail.server.server1.port", 993);
            user_pref("mail.server.server1.socketType", 3);
            user_pref("mail.server.server1.userName", "ana@acme.example");
            user_pref("mail.identity.id1.useremail", "ana@acme.example");
            user_pref("mail.identity.id1.smtpServer", "smtp1");
            user_pref("mail.smtpserver.smtp1.hostname", "smtp.acme.example");
            user_pref("mail.smtpserver.smtp1.port", 587);
            user_pref("mail.smtpserver.smtp1.try_ssl", 2);
            """)
        #expect(thunderbird.count == 1)
        #expect(thunderbird.first?.smtp?.security == .startTLS)
        #expect(thunderbird.first?.address?.addrSpec == "ana@acme.example")
    }

    @Test(
        "damaged and hostile files give no account and do no harm", arguments: SettingsImport.programs)
    func damaged(program: String) throws {
        let path = [
            "mbsync": ".mbsyncrc", "offlineimap": ".offlineimaprc", "notmuch": ".notmuch-config",
            "aerc": ".config/aerc/accounts.conf", "himalaya": ".config/himalaya/config.toml",
            "thunderbird": ".thunderbird/x.default/prefs.js",
        ]
        for text in [
            "", "[", "=", "[]\n=\n", "IMAPAccount", "Host \nIMAPAccount a\nHost a b\nPort x",
            "[accounts.x]\nbackend.host = \"\u{1B}[2J\"", "[x]\nsource = ://@:", "user_pref(\"mail.", "\0\0",
            String(repeating: "[a]\n", count: 50_000),
        ] {
            #expect(throws: Problem.self) { try accounts(program, try #require(path[program]), text) }
        }
    }
}

@Suite("new accounts")
struct AccountWishTests {
    @Test(arguments: [
        ("imap.x.example", "imap.x.example", 993, ServerSecurity.tls),
        ("x.example:143", "x.example", 143, .startTLS),
        ("imap://x.example", "x.example", 143, .startTLS),
        ("imaps://x.example:10993", "x.example", 10993, .tls),
    ])
    func `a typed server is read`(text: String, host: String, port: Int, security: ServerSecurity) throws {
        let server = try ServerWish(text, .imap)
        #expect(server.host == host && server.port == port && server.security == security)
    }

    @Test(arguments: [
        "", ":993", "x:0", "x:99999", "x:y", "x:", "a b", "http://x", "x\u{1B}[2J", "a/b", "x\r\ny",
    ])
    func `invalid servers are refused`(text: String) {
        #expect(throws: Problem.self) { try ServerWish(text, .imap) }
    }

    @Test(arguments: [
        "a: b", "#x", "yes", "12", "", "a\"b\\c", "- x", "é", "~", "{x}", "*a", "x'y", "null", "@x",
    ])
    func `every word can be written to YAML and read back`(word: String) throws {
        var wish = AccountWish(
            name: "work", address: try #require(EmailAddress("ana@acme.example")),
            mail: .servers(imap: try ServerWish("imap.acme.example", .imap), smtp: nil))
        wish.user = "u" + word
        wish.passwordCommand = ["echo", word, "--x"]
        let folder = try TemporaryFolder()
        let place = try NewWorkspace(
            SessionOptions(
                workspace: folder.path, environment: [:], currentDirectory: folder.path,
                logger: Logger(label: "test")))
        let workspace = try place.parsed(AccountText(wish: wish).workspace(name: word))
        // `~` alone is the home folder, in commands too.
        if word != "~" { #expect(workspace.accounts.first?.login?.command == ["echo", word, "--x"]) }
        #expect(workspace.accounts.first?.login?.user == "u" + word)
        #expect(workspace.name == word)
    }

    @Test func `the name of an account comes from its domain, and is unused`() throws {
        let address = try #require(EmailAddress("ana@mail.acme.example"))
        #expect(AccountWish.name(for: address) == "acme")
        #expect(AccountWish.name(for: address, besides: ["acme", "acme-2"]) == "acme-3")
        #expect(AccountWish.name(for: try #require(EmailAddress("a@localhost"))) == "localhost")
    }
}
