import Accounts
import Discovery
import Foundation
import Logging
import Models
import TestSupport
import Testing

@testable import Pipeline

/// Where a new user's workspace is made, and that nothing which exists is changed.
@Suite("New workspaces")
struct NewWorkspaceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func options(
        _ workspace: String? = nil, in current: String = "", _ environment: [String: String] = [:]
    ) -> SessionOptions {
        SessionOptions(
            workspace: workspace, environment: environment, currentDirectory: folder.path + current,
            now: Workplace.tuesday, logger: Logger(label: "test"))
    }

    private func wish(_ address: String = "ana@acme.example") throws -> AccountWish {
        let address = try #require(EmailAddress(address))
        return AccountWish(
            name: AccountWish.name(for: address), address: address, mail: .maildir(folder.path + "/Maildir"))
    }

    @Test("a workspace is made in the current folder, but not loose in the home folder")
    func location() throws {
        let home = ["HOME": folder.path]
        #expect(try NewWorkspace(options(in: "/mail", home)).folder == folder.path + "/mail")
        #expect(try NewWorkspace(options(in: "", home)).folder == folder.path + "/.config/opus")
        let config = ["HOME": folder.path, "XDG_CONFIG_HOME": folder.path + "/settings"]
        #expect(try NewWorkspace(options(in: "", config)).folder == folder.path + "/settings/opus")
        #expect(
            try NewWorkspace(options(folder.path + "/named", in: "", home)).folder == folder.path + "/named")
    }

    @Test("in a folder below a workspace, that workspace is meant")
    func known() throws {
        try folder.write("config-version: 1\n", to: "mail/opus.yaml")
        try folder.write("", to: "mail/rules/a.yaml")
        let place = try NewWorkspace(options(in: "/mail"))
        #expect(place.exists && place.file == folder.path + "/mail/opus.yaml")
    }

    @Test("a typed password is kept in a file that only the user can read, and is gone after a refused login")
    func password() throws {
        let place = try NewWorkspace(options(folder.path + "/new"))
        #expect(place.passwordFile(of: "acme") == "acme.password")
        #expect(try place.keep(password: "hunter 2", in: "acme.password") == ["cat", "acme.password"])
        #expect(try String(contentsOf: folder.url("new/acme.password"), encoding: .utf8) == "hunter 2\n")
        #expect(try folder.mode("new/acme.password") == 0o600 && folder.mode("new") == 0o700)
        // The file of another account stays.
        #expect(place.passwordFile(of: "acme") == "acme-2.password")
        #expect(throws: Problem.self) { try place.keep(password: "other", in: "acme.password") }
        #expect(try String(contentsOf: folder.url("new/acme.password"), encoding: .utf8) == "hunter 2\n")
        place.forgetPassword(in: "acme.password")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new").isEmpty)
    }

    @Test("the first account makes opus.yaml and the starter rules, and a second one never replaces them")
    func written() throws {
        try folder.write("", to: "share/demo/x")
        for name in ["10-bulk.yaml", "20-people.yaml", "README.md"] {
            try folder.write("rules-version: 1\nrules: []\n", to: "share/rules/" + name)
        }
        let share = ["OPUS_SHARE": folder.path + "/share"]
        let setup = try AccountSetup(options(folder.path + "/new", share))
        #expect(try setup.existing(nil) == nil)
        #expect(try setup.write(wish(), name: "Ana \"A\" Ruiz") == ["10-bulk.yaml", "20-people.yaml"])
        let workspace = try options(folder.path + "/new", share).loadWorkspace()
        #expect(workspace.name == "Ana \"A\" Ruiz" && workspace.accounts.map(\.id) == [AccountID("acme")])
        #expect(workspace.firstRunDays == 21, "old mail makes no tasks on the first day")
        let text = try String(contentsOf: folder.url("new/opus.yaml"), encoding: .utf8)
        let problem = #expect(throws: Problem.self) { try setup.write(wish("bo@else.example"), name: "") }
        #expect(problem?.code == "workspace-exists")
        #expect(try String(contentsOf: folder.url("new/opus.yaml"), encoding: .utf8) == text)
    }

    @Test("a rules folder of the user gets no starter rules")
    func ownRules() throws {
        try folder.write("", to: "share/demo/x")
        try folder.write("rules-version: 1\nrules: []\n", to: "share/rules/10.yaml")
        try folder.write("rules-version: 1\nrules: []\n", to: "new/rules/mine.yaml")
        let setup = try AccountSetup(options(folder.path + "/new", ["OPUS_SHARE": folder.path + "/share"]))
        #expect(try setup.write(wish(), name: "").isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new/rules") == ["mine.yaml"])
    }

    @Test("opus finds the account that is meant, and refuses one that is not there")
    func existing() throws {
        let setup = try AccountSetup(options(folder.path + "/new"))
        _ = try setup.write(wish(), name: "")
        #expect(try setup.existing(nil) == AccountID("acme"))
        #expect(try setup.existing(EmailAddress("Ana@ACME.example")) == AccountID("acme"))
        let problem = #expect(throws: Problem.self) { try setup.existing(EmailAddress("bo@acme.example")) }
        #expect(problem?.code == "workspace-exists" && problem?.next == ["opus account add ADDRESS"])
        #expect(try AccountEditing(setup.place).add(wish("bo@else.example")) == AccountID("acme"))
        #expect(try setup.accountNames() == ["acme", "else"])
        #expect(throws: Problem.self) { try setup.existing(nil) }
    }

    @Test("a Maildir that does not exist is refused before anything is written")
    func noMaildir() async throws {
        let setup = try AccountSetup(options(folder.path + "/new"))
        let problem = await #expect(throws: Problem.self) { try await setup.tryLogin(wish(), provider: nil) }
        #expect(problem?.code == "no-maildir" && !setup.place.exists)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/Maildir", withIntermediateDirectories: true)
        try await setup.tryLogin(wish(), provider: nil)
    }

    @Test(
        "a fingerprint is read as people copy it",
        arguments: [
            ("sha256:" + String(repeating: "Ab", count: 32), true),
            ((0..<32).map { _ in "AB" }.joined(separator: ":"), true),
            (String(repeating: "ab", count: 31), false), (String(repeating: "xy", count: 32), false),
            ("sha1:" + String(repeating: "ab", count: 20), false), ("", false),
        ])
    func pin(_ text: String, _ isGood: Bool) throws {
        if isGood {
            #expect(try AccountSetup(options(), pin: text).pin == String(repeating: "ab", count: 32))
        } else {
            let problem = #expect(throws: Problem.self) { try AccountSetup(options(), pin: text) }
            #expect(problem?.code == "bad-pin")
        }
    }

    @Test("a table of providers that cannot be read is refused, not ignored")
    func table() throws {
        try folder.write("{ not json", to: "table.json")
        for file in ["table.json", "missing.json"] {
            let options = options(nil, ["OPUS_PROVIDERS": folder.path + "/" + file])
            let problem = #expect(throws: Problem.self) { try AccountSetup(options) }
            #expect(problem?.code == "bad-table")
        }
        _ = try AccountSetup(options(nil, ["OPUS_PROVIDERS": ""]))
    }
}

/// `opus account add` and `opus account remove`.
@Suite("Edited accounts")
struct AccountEditingTests {
    private let work: Workplace
    private let editing: AccountEditing

    init() throws {
        work = try Workplace()
        editing = AccountEditing(try NewWorkspace(work.options()))
    }

    private func wish(_ address: String, _ name: String) throws -> AccountWish {
        var wish = AccountWish(
            name: name, address: try #require(EmailAddress(address)),
            mail: .servers(
                imap: try ServerWish("imap.else.example", .imap),
                smtp: try ServerWish("smtp.else.example:587", .smtp)))
        wish.passwordCommand = ["pass", "show mail"]
        try work.write("a certificate", to: "own.pem")
        wish.caFile = work.root + "/own.pem"
        return wish
    }

    @Test("an added account works, and every other line of the file stays as it was")
    func added() throws {
        try work.write(
            try work.read("opus.yaml") + "# after the accounts\nwatch: { apply: none } # mine\n",
            to: "opus.yaml")
        let before = try work.read("opus.yaml").split(separator: "\n")
        try editing.add(wish("ana@else.example", "else"))
        let after = try work.read("opus.yaml").split(separator: "\n")
        #expect(before.allSatisfy { after.contains($0) } && after.count == before.count + 5)
        let account = try #require(work.options().loadWorkspace().accounts.last)
        #expect(account.id == AccountID("else") && account.login?.command == ["pass", "show mail"])
        #expect(account.login?.user == "ana@else.example" && account.smtp?.port == 587)
        try editing.remove("else")
        #expect(try work.read("opus.yaml").split(separator: "\n") == before)
    }

    @Test("a pinned certificate is the only one that is trusted, so the file names no authority")
    func pinned() throws {
        var pinned = try wish("ana@else.example", "else")
        pinned.pin = String(repeating: "ab", count: 32)
        pinned.printsToken = true
        try editing.add(pinned)
        let text = try work.read("opus.yaml")
        #expect(text.contains("tls: { pin: \"sha256:\(String(repeating: "ab", count: 32))\" }"))
        #expect(!text.contains("ca-file") && text.contains("token-command: [pass, \"show mail\"]"))
        #expect(try work.options().loadWorkspace().accounts.last?.login?.proof == .token)
    }

    @Test("an address that has an account, and a name that has none, change nothing")
    func refused() throws {
        let before = try work.read("opus.yaml")
        let twice = #expect(throws: Problem.self) { try editing.add(wish("Ana@Acme.example", "second")) }
        #expect(twice?.code == "account-exists")
        let taken = #expect(throws: Problem.self) { try editing.add(wish("bo@else.example", "work")) }
        #expect(taken?.code == "cannot-edit")
        let unknown = #expect(throws: Problem.self) { try editing.checkRemoval(of: "else") }
        #expect(unknown?.code == "no-such-account" && unknown?.next == ["one of: work"])
        #expect(try work.read("opus.yaml") == before)
    }

    @Test("an alias of a mailbox that has an account is named: its mail will be read twice")
    func alias() throws {
        #expect(try editing.add(wish("ana@else.example", "else")) == nil)
        var other = try wish("sales@else.example", "other")
        other.user = "sales"
        #expect(try editing.add(other) == nil)
        var alias = try wish("info@else.example", "alias")
        alias.user = "ana@else.example"
        #expect(try editing.add(alias) == AccountID("else"))
    }

    @Test(
        "an account that would make opus.yaml invalid is not added, and the error says why",
        arguments: [("work", "there are two accounts 'work'"), ("a/b", "'a/b' cannot be an account's name")])
    func invalid(_ name: String, _ reason: String) throws {
        let before = try work.read("opus.yaml")
        let problem = #expect(throws: Problem.self) { try editing.add(wish("bo@else.example", name)) }
        let words = "opus.yaml was not changed: it would be invalid: " + reason
        #expect(problem?.message.hasPrefix(words) == true)
        #expect(try work.read("opus.yaml") == before)
    }

    @Test("an account that shares its line with others is not removed")
    func shared() throws {
        let text = """
            config-version: 1
            accounts: [{ name: work, address: ana@acme.example, maildir: Maildir }, { name: b, address: b@b.example, maildir: B }]

            """
        try work.write(text, to: "opus.yaml")
        let problem = #expect(throws: Problem.self) { try editing.remove("b") }
        #expect(problem?.code == "cannot-edit")
        #expect(try work.read("opus.yaml") == text)
    }
}
