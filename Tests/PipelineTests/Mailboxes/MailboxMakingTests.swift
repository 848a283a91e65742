import Foundation
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// `opus mailbox create`.
@Suite("Mailbox creation")
struct MailboxMakingTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    private func names() throws -> [String] {
        try work.client.mailboxes().map(\.displayName).sorted()
    }

    /// The code of the problem, and the names of the mailboxes afterwards.
    private func refusal(_ name: String, account: String? = nil) async throws -> String? {
        let before = try names()
        let problem = await #expect(throws: Problem.self) {
            try await work.with { _ = try await $0.mailboxMaking.make(name, account: account) }
        }
        #expect(try names() == before)
        return problem?.code
    }

    @Test("a new mailbox has the levels of its name and is known at once")
    func made() async throws {
        try await work.with { session in
            let made = try await session.mailboxMaking.make("Projects/Übersee", account: nil)
            #expect(made.mailbox.displayName == "Projects/Übersee")
            #expect(try #require(made.report).drain.failures.isEmpty)
            #expect(try session.mailboxes.lines(account: nil).map(\.mailbox.name).contains(made.mailbox.name))
        }
        #expect(try names().contains("Projects/Übersee"))
    }

    @Test("the mailbox is created by a run of its own, which opus lists")
    func run() async throws {
        try await work.with { session in
            let made = try await session.mailboxMaking.make("Projects", account: nil)
            let line = try #require(try session.journal.runs(limit: 5).first)
            #expect(line.command == "mailbox create" && made.report?.run == line.id)
        }
    }

    @Test("a mailbox that exists is returned without a run, also if another program has just created it")
    func existing() async throws {
        try await work.with { session in
            let first = try await session.mailboxMaking.make("Projects", account: nil)
            let again = try await session.mailboxMaking.make("Projects", account: "work")
            #expect(again.report == nil && again.mailbox.name == first.mailbox.name)
            try FileManager.default.createDirectory(
                atPath: work.root + "/Maildir/.Elsewhere/cur", withIntermediateDirectories: true)
            let other = try await session.mailboxMaking.make("Elsewhere", account: nil)
            #expect(other.report == nil && other.mailbox.displayName == "Elsewhere")
        }
    }

    @Test("an invalid name changes nothing", arguments: ["", "/a", "a/", "a//b", " a", "a\u{7}b"])
    func invalid(_ name: String) async throws {
        #expect(try await refusal(name) == "bad-mailbox")
    }

    @Test("with several accounts, the account must be named")
    func accounts() async throws {
        try work.write(
            try work.read("opus.yaml") + "  - { name: home, address: ana@home.example, maildir: Home }\n",
            to: "opus.yaml")
        #expect(try await refusal("Projects") == "which-account")
        #expect(try await refusal("Projects", account: "elsewhere") == "no-such-account")
        try await work.with { _ = try await $0.mailboxMaking.make("Projects", account: "work") }
        #expect(try names().contains("Projects"))
    }

    @Test("an account that opus may only read gets no mailbox")
    func readOnly() async throws {
        let settings = try work.read("opus.yaml")
        let maildir = "    maildir: Maildir"
        try work.write(settings.replacing(maildir, with: maildir + "\n    allow: read"), to: "opus.yaml")
        #expect(try await refusal("Projects") == "not-allowed")
    }

    @Test("a mailbox that the account refuses is reported and not listed")
    func refused() async throws {
        try work.write("not a folder", to: "Maildir/.Projects")
        try await work.with { session in
            let made = try await session.mailboxMaking.make("Projects", account: nil)
            #expect(made.report?.drain.failures.count == 1)
            let lines = try session.mailboxes.lines(account: nil)
            #expect(!lines.contains { $0.mailbox.displayName == "Projects" })
        }
    }
}
