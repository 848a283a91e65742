import Foundation
import MaildirClient
import Models
import TestSupport
import Testing

@testable import Pipeline

/// The built-in example: made whole in a folder of its own, from what is installed or lies in the source tree.
@Suite("Demo workspace")
struct DemoWorkspaceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/demo", withIntermediateDirectories: true)
    }

    private func message(_ subject: String) -> String {
        "From: bob@acme.example\r\nSubject: \(subject)\r\nDate: Mon, 09 Mar 2026 10:00:00 +0000\r\n\r\nHi\r\n"
    }

    @Test("sample mail is put into its mailboxes with the marks and times of its files")
    func mail() throws {
        try folder.write(message("one"), to: "mail/INBOX/01-one.SF.eml")
        try folder.write(message("two"), to: "mail/INBOX/02-two.eml")
        try folder.write(message("three"), to: "mail/Archive/01-three.R.eml")
        try folder.write("not mail", to: "mail/INBOX/README")
        try folder.write("rules-version: 1\nrules: []\n", to: "rules/team/10.yaml")
        _ = try DemoWorkspace.make(
            at: folder.path + "/demo", mail: folder.path + "/mail", rules: folder.path + "/rules")
        let client = Maildir(root: folder.path + "/demo/Maildir", account: AccountID("work"))
        let inbox = try client.list(.inbox).sorted { $0.unique < $1.unique }
        #expect(inbox.map(\.flags) == [[.seen, .flagged], []])
        #expect(try client.received(inbox[0]) == Timestamp(rfc3339: "2026-03-09T10:00:00Z"))
        #expect(try client.list(MailboxName("Archive")).map(\.flags) == [[.answered]])
        #expect(FileManager.default.fileExists(atPath: folder.path + "/demo/rules/team/10.yaml"))
        #expect(try folder.mode("demo/tasks") == 0o700)
    }

    @Test("rules behind a link are copied, so that edits change no installed file")
    func linkedRules() throws {
        try folder.write("rules-version: 1\nrules: []\n", to: "installed/10.yaml")
        try folder.write(message("one"), to: "mail/INBOX/01-one.eml")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/rules", withDestinationPath: folder.path + "/installed")
        _ = try DemoWorkspace.make(
            at: folder.path + "/demo", mail: folder.path + "/mail", rules: folder.path + "/rules")
        try folder.write("changed", to: "demo/rules/10.yaml")
        let installed = try String(contentsOf: folder.url("installed/10.yaml"), encoding: .utf8)
        #expect(installed.hasPrefix("rules-version: 1"))
    }

    @Test("the sample mailbox and the starter rules make a workspace whose first morning works")
    func morning() async throws {
        let share = try #require(
            ShareFolder.locate(program: Repository.root.path + "/.build/x/opus", environment: [:]))
        let demo = try DemoWorkspace.make(
            at: folder.path + "/demo", mail: share.mail, rules: share.rules)
        let work = try Workplace()
        var options = work.options(at: DemoWorkspace.Day.tuesday.time)
        (options.workspace, options.currentDirectory) = (demo.root, demo.root)
        try await Session.with(options, .changing) { session in
            let account = try #require(try session.accounts.ids(named: nil).first)
            #expect(try await session.sync.account(account).added > 0)
            let plan = try session.triage.plan(for: account, rules: try session.rules.library())
            let report = try await session.triage.apply(plan, command: "triage")
            #expect(report.drain.failures.isEmpty && !report.drain.confirmed.isEmpty)
        }
    }

    @Test("the error about a folder that cannot hold the demo is a problem, not a bug")
    func impossible() {
        let refusal = TriageTests.refusal {
            try DemoWorkspace.make(
                at: folder.path + "/missing", mail: folder.path + "/mail", rules: folder.path + "/rules")
        }
        #expect(refusal == "no-demo 73")
    }

    @Test(
        "OPUS_SHARE takes precedence over the installed share, and an incomplete share is ignored"
    )
    func shares() throws {
        for place in ["named", "share/opus"] {
            try folder.write("x", to: place + "/rules/10.yaml")
            try folder.write("x", to: place + "/demo/INBOX/1.eml")
        }
        try folder.write("x", to: "half/rules/10.yaml")
        let program = folder.path + "/bin/opus"
        func rules(_ environment: [String: String]) -> String? {
            ShareFolder.locate(program: program, environment: environment)?.rules
        }
        #expect(rules(["OPUS_SHARE": folder.path + "/named"]) == folder.path + "/named/rules")
        #expect(rules([:]) == folder.path + "/share/opus/rules")
        #expect(rules(["OPUS_SHARE": folder.path + "/half"]) == folder.path + "/share/opus/rules")
        #expect(ShareFolder.locate(program: "/nowhere/bin/opus", environment: [:]) == nil)
    }
}
