import Accounts
import Foundation
import Models
import TestSupport
import Testing

@Suite struct WorkspaceLoadingTests {
    static let full = """
        config-version: 1
        me: { name: Ana Ruiz, addresses: [ana@acme.example, Ana@Example.org] }
        time-zone: Europe/Paris
        work-hours: { days: mon-thu, from: "08:30", to: "17:00" }
        dates: { order: month-day }
        tasks: { path: ~/tasks }
        rules: { path: ../shared/rules }
        store: { path: /var/opus }
        allow-send: true
        accounts:
          - name: work
            address: ana@acme.example
            imap: { host: imap.acme.example }
            smtp: { host: smtp.acme.example, port: 2587, security: starttls, ca-file: ca.pem }
            login:
              user: ana
              password-command: [pass, show, mail/work]
            folders: { archive: Old/Mail, deferred: Later }
          - name: old
            address: ana@example.org
            maildir: ~/Mail/old
        """

    @Test(arguments: [
        ("500M", 500 << 20), ("2G", 2 << 30), ("10K", 10 << 10), ("700", 700), ("0", 0), ("5MB", 5 << 20),
    ])
    func `the limit of stored originals is read`(text: String, bytes: Int) throws {
        let loaded = try TemporaryFolder().load(
            "config-version: 1\noriginals: { max-size: \(text), max-age: 6mo }\n")
        #expect(loaded.workspace?.originals.maxSize == bytes)
        #expect(loaded.workspace?.originals.maxDays == 180)
    }

    @Test(arguments: [
        "{ max-size: much }", "{ max-size: 5X }", "{ max-size: -1 }", "{ max-size: 99999999T }",
        "{ max-size: M }", "{ max-age: 0d }", "{ max-age: 90 }",
    ])
    func `an invalid limit of stored originals is an error`(text: String) throws {
        let loaded = try TemporaryFolder().load("config-version: 1\noriginals: \(text)\n")
        #expect(loaded.workspace == nil)
        #expect(loaded.diagnostics.map(\.code) == ["C007"])
    }

    @Test func `every key is read`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "ca.pem")
        let (loaded, diagnostics) = try folder.load(Self.full)
        #expect(diagnostics.map(\.summary) == [])
        let workspace = try #require(loaded)
        #expect(workspace.name == "Ana Ruiz")
        #expect(workspace.addresses.map(\.addrSpec) == ["ana@acme.example", "Ana@example.org"])
        #expect(workspace.timeZone == "Europe/Paris")
        #expect(workspace.workday == .init(days: [1, 2, 3, 4], start: 30_600, end: 61_200))
        #expect(!workspace.dayFirst)
        #expect(workspace.allowSend)
        #expect(workspace.tasksFolder == "/home/ana/tasks")
        #expect(
            workspace.rulesFolder == folder.path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
                + "/shared/rules")
        #expect(workspace.storeFolder == "/var/opus")
        let work = try #require(workspace.account(AccountID("work")))
        #expect(work.source == .imap(ServerSettings(host: "imap.acme.example", port: 993)))
        #expect(
            work.smtp
                == ServerSettings(
                    host: "smtp.acme.example", port: 2587, security: .startTLS,
                    caFile: folder.path + "/ca.pem"))
        #expect(work.login?.user == "ana")
        #expect(work.login?.command == ["pass", "show", "mail/work"])
        #expect(work.login?.place.description == "opus.yaml:17")
        #expect(work.folders == [.archive: "Old/Mail", .deferred: "Later"])
        #expect(work.place.description == "opus.yaml:11")
        let old = try #require(workspace.account(AccountID("old")))
        #expect(old.source == .maildir("/home/ana/Mail/old"))
        #expect(old.login == nil)
    }

    @Test func `the example in the documentation has no mistake`() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/configuration.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let example = try #require(text.components(separatedBy: "```").first { $0.hasPrefix("yaml\n") })
        let folder = try TemporaryFolder()
        try folder.write("", to: "certificates/acme.pem")
        #expect(try folder.load(String(example.dropFirst(5))).diagnostics.map(\.summary) == [])
    }

    @Test func `missing keys have default values`() throws {
        let workspace = try #require(try TemporaryFolder().load("config-version: 1\naccounts:\n").workspace)
        #expect(workspace.accounts == [])
        #expect(workspace.dayFirst)
        #expect(!workspace.allowSend)
        #expect(workspace.workday == .init(days: [1, 2, 3, 4, 5], start: 9 * 3_600, end: 18 * 3_600))
        #expect(workspace.name == "")
        #expect(TimeZone(identifier: workspace.timeZone) != nil)
    }

    @Test(arguments: [
        ("tls", "993 465"), ("starttls", "143 587"), ("none", "143 25"),
    ])
    func `the default port depends on the encryption`(_ security: String, _ ports: String) throws {
        let workspace = try TemporaryFolder().load(
            """
            config-version: 1
            accounts:
              - name: a
                address: a@x.org
                imap: { host: localhost, security: \(security) }
                smtp: { host: 127.0.0.1, security: \(security) }
                login: { password-command: [./get, ~/secret] }
            """
        ).workspace
        let account = try #require(workspace?.accounts.first)
        guard case .imap(let imap) = account.source else {
            Issue.record("no imap")
            return
        }
        #expect("\(imap.port) \(account.smtp?.port ?? 0)" == ports)
        #expect(account.login?.user == "a@x.org")
        #expect(account.login?.command == [(workspace?.root ?? "") + "/get", "/home/ana/secret"])
    }

    struct Mistake: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let found: [String]

        init(_ name: String, _ text: String, _ found: [String]) {
            testDescription = name
            self.text = text
            self.found = found
        }

        /// A mistake inside one account.
        init(_ name: String, account: String, _ found: [String]) {
            self.init(
                name, "config-version: 1\naccounts:\n  - name: a\n    address: a@x.org\n" + account, found)
        }
    }

    @Test(arguments: [
        Mistake("an empty file", "", ["1:1 C002 the file is empty; it must begin with config-version: 1"]),
        Mistake(
            "no version", "me: { name: A }",
            ["1:1 C003 opus.yaml has no 'config-version' | add config-version: 1"]),
        Mistake(
            "another version", "config-version: 2",
            ["1:17 C003 this version of opus reads config-version 1 | write config-version: 1"]),
        Mistake(
            "a list instead of a mapping", "- a",
            ["1:1 C006 opus.yaml is a list, not a mapping; write config-version: …"]),
        Mistake(
            "a mistyped key", "config-version: 1\nacounts: []",
            ["2:1 C004 unknown key 'acounts' in opus.yaml | did you mean 'accounts'?"]),
        Mistake(
            "a key of a later version", "config-version: 1\ntasks: { times: local }",
            ["2:10 C004 'times' does not work yet; remove it"]),
        Mistake(
            "a mistyped key of the watch", "config-version: 1\nwatch: { aply: all }",
            ["2:10 C004 unknown key 'aply' in watch | did you mean 'apply'?"]),
        Mistake(
            "rules that a watch cannot mean", "config-version: 1\nwatch: { apply: some }",
            ["2:17 C007 'some' is not a value of 'apply' | one of: auto, all, none"]),
        Mistake(
            "an event that does not exist", "config-version: 1\nwatch: { events: [notify, arrived] }",
            [
                "2:27 C007 'arrived' is not an event | one of: notify, returned, answered, overdue, failed"
            ]),
        Mistake(
            "quiet hours without an end", "config-version: 1\nwatch: { quiet: \"22:00\" }",
            ["2:17 C007 '22:00' is not a part of the day | quiet: \"22:00-07:00\""]),
        Mistake(
            "an unknown zone", "config-version: 1\ntime-zone: Europe/Pariss",
            ["2:12 C008 unknown time zone 'Europe/Pariss' | did you mean 'Europe/Paris'?"]),
        Mistake(
            "an abbreviation is no zone", "config-version: 1\ntime-zone: CET",
            ["2:12 C008 unknown time zone 'CET' | an IANA name such as Europe/Paris"]),
        Mistake(
            "an order that is none", "config-version: 1\ndates: { order: month-dya }",
            ["2:17 C007 'month-dya' is not a value of 'order' | did you mean 'month-day'?"]),
        Mistake(
            "yes is not true", "config-version: 1\nallow-send: yes",
            ["2:13 C007 'yes' is not a value of 'allow-send' | one of: false, true"]),
        Mistake(
            "no time of day", "config-version: 1\nwork-hours: { from: 9 }",
            ["2:21 C007 '9' is not a time of day; write \"09:00\""]),
        Mistake(
            "no day of the week", "config-version: 1\nwork-hours: { days: mon-fry }",
            [
                "2:21 C007 'mon-fry' is not a day of the week | one of: mon, tue, wed, thu, fri, sat, sun, or mon-fri"
            ]),
        Mistake(
            "hours that end first", "config-version: 1\nwork-hours: { from: \"17:00\", to: \"09:00\" }",
            ["2:34 C007 work-hours end before they begin"]),
        Mistake(
            "no mail address", "config-version: 1\nme: { addresses: [Ana] }",
            ["2:19 C008 'Ana' is not a mail address; write name@example.org"]),
        Mistake(
            "an account without anything", "config-version: 1\naccounts: [{ name: a }]",
            [
                "2:12 C005 account 1 has no 'address'",
                "2:12 C005 account a has no mail; add imap: { host: … } or maildir: PATH",
            ]),
        Mistake(
            "two accounts of one name",
            "config-version: 1\naccounts:\n  - { name: a, address: a@x.org, maildir: m }\n  - { name: a, address: b@x.org, maildir: n }",
            ["4:13 C009 there are two accounts 'a'; the other one is at line 3"]),
        Mistake(
            "an empty name",
            "config-version: 1\naccounts:\n  - { name: '', address: a@x.org, maildir: m }",
            ["3:13 C007 '' cannot be an account's name; use letters, digits, '-', '_' and '.'"]),
        Mistake(
            "a name that is a path",
            "config-version: 1\naccounts:\n  - { name: a/b, address: a@x.org, maildir: m }",
            ["3:13 C007 'a/b' cannot be an account's name; use letters, digits, '-', '_' and '.'"]),
        Mistake(
            "two sources",
            account: "    maildir: m\n    imap: { host: h }\n    login: { password-command: [x] }",
            ["6:11 C005 account a has both 'maildir' and 'imap'; make two accounts of it"]),
        Mistake(
            "a server without login", account: "    imap: { host: h }",
            [
                "5:11 C005 account a has a server and no 'login'; add login: { user: …, password-command: […] }"
            ]),
        Mistake(
            "no security over the network",
            account: "    imap: { host: imap.x.org, security: none }\n    login: { password-command: [x] }",
            [
                "5:41 C010 security: none would send the password unencrypted to imap.x.org | use tls or starttls; only 127.0.0.1 and localhost can have none"
            ]),
        Mistake(
            "a name that only looks like this machine",
            account:
                "    imap: { host: 127.0.0.1.x.org, security: none }\n    login: { password-command: [x] }",
            [
                "5:46 C010 security: none would send the password unencrypted to 127.0.0.1.x.org | use tls or starttls; only 127.0.0.1 and localhost can have none"
            ]),
        Mistake(
            "a port that is none",
            account: "    imap: { host: h, port: 99999 }\n    login: { password-command: [x] }",
            ["5:28 C007 'port' is '99999', not a number from 1 to 65535"]),
        Mistake(
            "a URL instead of a host",
            account: "    imap: { host: 'imaps://h' }\n    login: { password-command: [x] }",
            ["5:19 C007 'imaps://h' is not a host name; write only the name, as in imap.example.org"]),
        Mistake(
            "certificates that are not there",
            account: "    imap: { host: h, ca-file: /nowhere.pem }\n    login: { password-command: [x] }",
            ["5:31 C011 file /nowhere.pem not found"]),
        Mistake(
            "a command as a shell would take it",
            account: "    imap: { host: h }\n    login: { password-command: pass show x }",
            [
                "6:32 C012 password-command is text, not a list of program and arguments | write [pass, show, x]; no shell reads it"
            ]),
        Mistake(
            "no command", account: "    imap: { host: h }\n    login: { user: a }",
            ["6:12 C005 login of account a has no 'password-command'"]),
        Mistake(
            "an unknown folder", account: "    maildir: m\n    folders: { archiv: A }",
            ["6:16 C004 unknown key 'archiv' in folders of account a | did you mean 'archive'?"]),
        Mistake(
            "one folder for two", account: "    maildir: m\n    folders: { archive: A, trash: A }",
            ["6:35 C009 'A' is already the folder for 'archive'"]),
        Mistake(
            "the inbox as archive", account: "    maildir: m\n    folders: { archive: Inbox }",
            ["6:25 C009 'archive' cannot be the inbox itself"]),
        Mistake(
            "a folder without a name", account: "    maildir: m\n    folders: { trash: ' ' }",
            ["6:23 C007 'trash' has no name | write the name of a mailbox, or leave the key out"]),
        Mistake(
            "text of two lines", "config-version: 1\nme: { name: \"A\\nBcc: b\" }",
            ["2:13 C007 'name' has control characters or line ends"]),
    ])
    func mistakes(_ mistake: Mistake) throws {
        let (workspace, diagnostics) = try TemporaryFolder().load(mistake.text)
        #expect(diagnostics.map(\.summary) == mistake.found)
        #expect(workspace == nil)
    }

    // MARK: Passwords

    @Test(arguments: [
        "    login: { user: ana, password: hunter2-XYZ }",
        "    login: { user: ana, token: hunter2-XYZ }",
        "    login: { user: ana, refresh-token: hunter2-XYZ }",
        "    login:\n      password: hunter2-XYZ",
        "    login:\n      \"password\" : 'hunter2-XYZ'",
        "    login:\n      password:\n        hunter2-XYZ",
        "    login:\n      password: |\n        hunter2-XYZ\n      user: a",
        "    imap: { host: h, password: hunter2-XYZ, prot: 1 }",
        "    login: { passwd: hunter2-XYZ, usr: a }",
        "    Password: hunter2-XYZ",
        "    login: { PASSPHRASE: [hunter2-XYZ] }",
        "    login: { password: hunter2-XYZ, password-command: hunter2-XYZ }",
        "    login: { password: hunter2-XYZ",
        "    login:\n      password: &x hunter2-XYZ",
        "    login:\n      password: hunter2-XYZ\n      password: hunter2-XYZ",
        "    login:\n      password:\n        [hunter2-XYZ",
        "    login:\n      password: \"hunter2-XYZ\n",
        "    login:\n      password: *hunter2-XYZ",
    ])
    func `a password in the file is an error, and no message shows it`(_ lines: String) throws {
        let (workspace, diagnostics) = try TemporaryFolder().load(
            "config-version: 1\naccounts:\n  - name: a\n    address: a@x.org\n" + lines + "\n")
        #expect(workspace == nil)
        #expect(!diagnostics.isEmpty)
        for diagnostic in diagnostics { #expect(!"\(diagnostic)".contains("hunter2"), "\(diagnostic.code)") }
    }

    @Test func `the error about a password gives the reason and the alternatives`() throws {
        let (_, diagnostics) = try TemporaryFolder().load(
            """
            config-version: 1
            accounts:
              - { name: a, address: a@x.org, imap: { host: h }, login: { user: a, password: secret-word } }
            """)
        let found = try #require(diagnostics.first)
        #expect(diagnostics.map(\.code) == ["R031"])
        #expect(found.line == 3)
        for word in ["password-command", "secret-tool", "systemd-creds", "0600"] {
            #expect(found.message.contains(word))
        }
        #expect(
            found.sourceLine
                == "  - { name: a, address: a@x.org, imap: { host: h }, login: { user: a, password: •••")
    }
}
