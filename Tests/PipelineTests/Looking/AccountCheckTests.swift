import Foundation
import Logging
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// What `opus account check` and `opus doctor` find.
@Suite("Checks")
struct AccountCheckTests {
    @Test("a Maildir is checked without a login, and roles without a mailbox are reported")
    func maildir() async throws {
        let work = try Workplace()
        try await work.with { session in
            let check = try await session.checks.account(AccountID("work"))
            #expect(check.isGood && check.failures.isEmpty)
            #expect(check.lines.contains { $0.what == "inbox" && $0.words == "INBOX" })
            #expect(
                check.lines.contains {
                    $0.what == "archive" && $0.words.hasPrefix("none yet; Archive is created")
                })
            #expect(check.lines.contains { $0.what == "smtp" && $0.words.hasPrefix("not configured") })
        }
    }

    @Test("a missing sendmail program fails its line, and the check continues")
    func sendmail() async throws {
        let work = try Workplace()
        try work.write(
            try work.read("opus.yaml").replacing(
                "maildir: Maildir", with: "maildir: Maildir\n    sendmail: [ /nowhere/sendmail ]"),
            to: "opus.yaml")
        try await work.with { session in
            let check = try await session.checks.account(AccountID("work"))
            #expect(check.lines.filter { !$0.isGood }.map(\.what) == ["sendmail"])
        }
    }

    @Test("an account is listed with its kind and its place")
    func lines() throws {
        let work = try Workplace()
        let line = try #require(try AccountLine.all(work.options()).first)
        #expect(line.name == "work" && line.kind == "maildir" && line.place.hasSuffix("Maildir"))
    }

    @Test("the doctor continues after each problem")
    func doctor() async throws {
        let work = try Workplace()
        try work.write("rules:\n  - { id: x, when: sender:a }\n", to: "rules/20-more.yaml")
        let findings = await Doctor(options: work.options(), connects: true).run()
        #expect(
            findings.findings.map(\.what).suffix(8) == [
                "workspace", "trust", "rules", "store", "tasks", "programs", "account", "sync",
            ])
        #expect(findings.findings.filter { !$0.isGood }.map(\.what) == ["rules"])
        #expect(findings.next == "opus rules check", "and not the sync, which only needs attention")
    }

    @Test(
        "the recommended action is the first failure, then a warning, then the daily command"
    )
    func next() {
        let attention = Finding.attention("sync", "never", next: "opus sync")
        let bad = Finding.bad("account", "refused", next: "opus account login work")
        let later = Finding.bad("tasks", "broken", next: "opus task list")
        #expect(Diagnosis(findings: [attention, bad, later]).next == "opus account login work")
        #expect(Diagnosis(findings: [.good("rules", ""), attention]).next == "opus sync")
        #expect(Diagnosis(findings: [attention]).isGood && !Diagnosis(findings: [bad]).isGood)
        #expect(Diagnosis(findings: [.good("rules", "")]).next == "opus run")
    }

    @Test("a missing program named in opus.yaml is reported")
    func programs() async throws {
        let work = try Workplace()
        try work.write(
            try work.read("opus.yaml").replacing(
                "maildir: Maildir", with: "maildir: Maildir\n    sendmail: [ /nowhere/sendmail ]"),
            to: "opus.yaml")
        let diagnosis = await Doctor(options: work.options(), connects: false).run()
        let finding = diagnosis.findings.first { $0.what == "programs" }
        #expect(finding?.state == .bad && finding?.words.contains("/nowhere/sendmail") == true)
        #expect(diagnosis.next == "opus config edit")
    }

    @Test("without a workspace, the doctor reports that and ends")
    func noWorkspace() async {
        let options = SessionOptions(
            workspace: "/nowhere/at/all", environment: [:], currentDirectory: "/",
            now: Workplace.tuesday, logger: .init(label: "tests"))
        let diagnosis = await Doctor(options: options, connects: false).run()
        #expect(diagnosis.findings.first { !$0.isGood }?.what == "workspace")
        #expect(diagnosis.findings.filter { $0.state == .skipped }.map(\.what).last == "account")
    }

    @Test(
        "the doctor reports a broken task file and a wrong clock, and connects only on request")
    func doctorFindings() async throws {
        let work = try Workplace()
        try work.write("BEGIN:VCALENDAR\r\nnonsense", to: "tasks/next/broken.ics")
        try work.configure("  - { name: away, address: ana@away.example, maildir: /proc/none }")
        var options = work.options(at: Timestamp(seconds: 86_400))
        options.workspace = work.root
        let findings = await Doctor(options: options, connects: false).run().findings
        #expect(findings.filter { !$0.isGood }.map(\.what) == ["clock", "tasks"])
        #expect(findings.first { $0.what == "clock" }?.next == "timedatectl set-ntp true")
        #expect(findings.first { $0.what == "tasks" }?.words.contains("broken.ics") == true)
        #expect(
            findings.filter { $0.what == "account" }.map(\.words) == [
                "work (not connected)", "away (not connected)",
            ])
        let asked = await Doctor(options: work.options(), connects: true).run().findings
        #expect(asked.filter { $0.what == "account" }.map(\.isGood) == [true, false])
    }

    @Test("a damaged store is reported")
    func damagedStore() async throws {
        let work = try Workplace()
        try await work.synced { _ in }
        for end in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: work.root + "/.opus/store.sqlite" + end)
        }
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: work.root + "/.opus/store.sqlite"))
        let findings = await Doctor(options: work.options(), connects: false).run().findings
        let bad = findings.filter { !$0.isGood }
        #expect(bad.map(\.what) == ["workspace"] && bad.first?.next != nil, "\(findings)")
    }

    @Test("an unreachable server ends the check of an account without another server")
    func unreachable() async throws {
        let work = try Workplace()
        try await work.offline {
            try await work.with { session in
                await #expect {
                    try await session.checks.account(Workplace.account)
                } throws: { error in
                    let problem = Problem(error)
                    return problem.exit == .unavailable
                        && !problem.next.contains { $0.hasPrefix("opus account check") }
                }
                _ = try session.accounts.ids(named: nil)
            }
        }
    }

    @Test("excluded mailboxes and configured names of roles are shown")
    func mailboxes() async throws {
        let work = try Workplace()
        try work.write(
            try work.read("opus.yaml").replacing(
                "maildir: Maildir",
                with: "maildir: Maildir\n    folders: { archive: Kept }\n    sync: { exclude: ['Public/*'] }"),
            to: "opus.yaml")
        for name in ["Archive", "Public.News", "Trash"] { try work.client.create(MailboxName(name)) }
        try await work.with { session in
            let lines = try await session.checks.account(Workplace.account).lines
            func words(_ what: String) -> String? { lines.first { $0.what == what }?.words }
            #expect(words("mailboxes") == "4" && words("left out") == "Public/News")
            #expect(words("trash") == "Trash")
            #expect(words("archive") == "none yet; Kept is created when it is first needed")
        }
    }
}
