import Foundation
import Models
import Testing

@testable import Pipeline

/// Two versions of the rules over the mail of the store.
@Suite("Comparing versions of rules")
struct RuleDiffingTests {
    private static let old =
        "rules-version: 1\nrules:\n  - { id: pay, when: subject:invoice, then: archive }\n"

    private func compared(
        _ work: Workplace, _ change: (inout RuleComparisonRequest) -> Void = { _ in }
    ) async throws -> RuleComparison {
        var request = RuleComparisonRequest(old: "old")
        change(&request)
        var found: RuleComparison?
        try await work.synced { session in
            found = try session.rules.diff(request, directory: work.root)
        }
        return try #require(found)
    }

    /// "pay" archives now, and did nothing before.
    private func workplace(_ subjects: [String]) throws -> Workplace {
        let work = try Workplace(rules: ["10.yaml": Self.old])
        try work.write("rules-version: 1\nrules: []\n", to: "old/10.yaml")
        for subject in subjects { try work.deliver(subject) }
        return work
    }

    @Test("samples are the newest differing messages up to a limit, and the count includes all")
    func samples() async throws {
        let work = try workplace([])
        for day in 1...4 {
            try work.deliver(
                SampleMail(subject: "Invoice \(day)", date: Workplace.tuesday - Int64(day) * Workplace.day))
        }
        let rule = try #require(try await compared(work) { $0.samples = 2 }.rules.first)
        #expect(rule.gained.count == 4 && rule.total == 4)
        #expect(rule.gained.samples.map(\.subject) == ["Invoice 1", "Invoice 2"])
        #expect(rule.gained.samples.allSatisfy { $0.before.isEmpty && $0.after == [.archive] })
        try await work.with { session in
            let ids = try session.ids("Invoice 1", "Invoice 2")
            #expect(rule.gained.samples.map(\.shortID) == ids)
        }
    }

    @Test("a period or query narrows the mail, and the report names the query")
    func over() async throws {
        let work = try workplace(["Invoice 1", "Lunch"])
        try work.deliver(SampleMail(subject: "Invoice 2", date: Workplace.tuesday - 30 * Workplace.day))
        #expect(try await compared(work) { $0.over = "10d" }.different == 1)
        let all = try await compared(work) { $0.over = "8 weeks" }
        #expect(all.query == "newer:8weeks" && all.different == 2 && all.messages == 3)
        #expect(try await compared(work) { $0.over = "subject:lunch" }.messages == 1)
        await #expect(throws: DiagnosticFailure.self) { _ = try await compared(work) { $0.over = "sendr:a" } }
    }

    @Test("a message in two mailboxes is judged once, as it was when it arrived")
    func once() async throws {
        let work = try workplace(["Invoice 1"])
        try work.deliver("Invoice 1", to: MailboxName("Archive"))
        try work.deliver("Invoice 2", flags: [.seen, .flagged], to: MailboxName("Projects"))
        try work.deliver("Invoice 3", to: MailboxName("Trash"))
        let found = try await compared(work)
        #expect(found.messages == 2 && found.different == 2)
    }

    @Test("the first mail of a sender is judged as the first, even if more arrived since")
    func writers() async throws {
        let work = try workplace([])
        try work.write(
            "rules-version: 1\nrules:\n  - { id: hello, when: sender:first-seen, then: flag }\n",
            to: "rules/10.yaml")
        for day in 1...3 {
            try work.deliver(
                SampleMail(subject: "Mail \(day)", date: Workplace.tuesday - Int64(day) * Workplace.day))
        }
        let arrived = try await compared(work)
        #expect(arrived.rules.first?.gained.samples.map(\.subject) == ["Mail 3"])
        #expect(try await compared(work) { $0.asOfToday = true }.isEmpty, "three mails are here now")
    }

    @Test("only the mail of the named account is judged")
    func account() async throws {
        let work = try workplace(["Invoice 1"])
        try work.addAccount("home")
        #expect(try await compared(work) { $0.account = "home" }.messages == 0)
        #expect(try await compared(work) { $0.account = "work" }.messages == 1)
    }

    @Test("a version with an error is not compared")
    func broken() async throws {
        let work = try workplace(["Invoice 1"])
        try work.write("rules:\n  - { id: x, when: sender:a }\n", to: "old/10.yaml")
        await #expect(throws: DiagnosticFailure.self) { _ = try await compared(work) }
    }

    // MARK: Revisions of git

    private func git(_ work: Workplace, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["git", "-C", work.root, "-c", "user.name=Ana", "-c", "user.email=ana@acme.example"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "git \(arguments)")
    }

    @Test("a revision is read from git with its lists, without a checkout")
    func revision() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nlists: { vip: { file: vip.txt } }\n"
                + "rules:\n  - { id: pay, when: 'from:@vip', then: archive }\n"
        ])
        try work.write("bob@acme.example\n", to: "rules/vip.txt")
        try work.deliver("Invoice 1", "Lunch")
        try git(work, "init", "-q")
        try git(work, "add", "rules")
        try git(work, "commit", "-q", "-m", "One")
        try work.write("carl@acme.example\n", to: "rules/vip.txt")
        try work.write(
            "rules-version: 1\nrules:\n  - { id: new, when: subject:lunch, then: flag }\n",
            to: "rules/20.yaml")
        let found = try await compared(work) { $0.old = "HEAD" }
        #expect(found.old.title.hasPrefix("HEAD (") && found.old.files == 1 && found.new.files == 2)
        #expect(found.rules.map(\.rule) == ["pay", "new"])
        #expect(found.rules.first?.lost.count == 2 && found.rules.last?.gained.count == 1)
        #expect(try work.read("rules/vip.txt") == "carl@acme.example\n")
        try git(work, "add", "rules")
        try git(work, "commit", "-q", "-m", "Two")
        let older = try await compared(work) { $0.old = "HEAD~1" }
        #expect(older.rules.map(\.rule) == ["pay", "new"] && older.old.files == 1)
        let none = try await compared(work) {
            $0.old = "HEAD"
            $0.new = "HEAD"
        }
        #expect(none.isEmpty && none.rules.isEmpty)
    }

    @Test("an argument that is neither a folder nor a revision is refused")
    func unknownVersions() async throws {
        let work = try workplace([])
        try await work.synced { session in
            func refusal(_ old: String) -> String {
                TriageTests.refusal {
                    try session.rules.diff(RuleComparisonRequest(old: old), directory: work.root)
                }
            }
            #expect(refusal("HEAD") == "no-such-version 66")
            try git(work, "init", "-q")
            for old in ["HEAD", "nothing", "--all", "HEAD:rules", ""] {
                #expect(refusal(old) == "no-such-version 66", "\(old)")
            }
        }
    }
}
