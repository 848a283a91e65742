import Logging
import Models
import Testing

@testable import Pipeline

/// What `opus account check` and `opus doctor` find.
@Suite("Checks")
struct AccountCheckTests {
    @Test("a Maildir is checked without a login, and roles without a mailbox are named")
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

    @Test("a program that sends and is not there is a bad line, not the end of the check")
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

    @Test("the doctor goes on after each thing that is missing")
    func doctor() async throws {
        let work = try Workplace()
        try work.write("rules:\n  - { id: x, when: sender:a }\n", to: "rules/20-more.yaml")
        let findings = await Doctor(options: work.options(), connects: true).run()
        #expect(findings.map(\.what).suffix(5) == ["workspace", "rules", "store", "tasks", "account"])
        #expect(findings.filter { !$0.isGood }.map(\.what) == ["rules"])
    }

    @Test("without a workspace the doctor says so and ends")
    func noWorkspace() async {
        let options = SessionOptions(
            workspace: "/nowhere/at/all", environment: [:], currentDirectory: "/",
            now: Workplace.tuesday, logger: .init(label: "tests"))
        let findings = await Doctor(options: options, connects: false).run()
        #expect(findings.last?.what == "workspace" && findings.last?.isGood == false)
    }
}
