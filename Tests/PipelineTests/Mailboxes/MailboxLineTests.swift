import Foundation
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// `opus mailbox list`.
@Suite("Mailbox list")
struct MailboxLineTests {
    @Test("each mailbox has its messages and the unread ones, and the inbox is first")
    func counted() async throws {
        let work = try Workplace()
        try work.client.create(MailboxName("Archive"))
        try work.deliver("one", "two")
        try work.deliver("three", flags: [.seen])
        try work.deliver("four", flags: [.seen], to: MailboxName("Archive"))
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            let lines = try session.mailboxes.lines(account: nil)
            #expect(lines.map(\.mailbox.displayName) == ["INBOX", "Archive"])
            #expect(lines.map(\.messages) == [3, 1])
            #expect(lines.map(\.unread) == [2, 0])
        }
    }

    @Test("the accounts are in the order of opus.yaml, and one of them can be chosen")
    func accounts() async throws {
        let work = try Workplace()
        try work.write(
            try work.read("opus.yaml") + "  - { name: home, address: ana@home.example, maildir: Home }\n",
            to: "opus.yaml")
        try FileManager.default.createDirectory(
            atPath: work.root + "/Home/cur", withIntermediateDirectories: true)
        try await work.with { session in
            for id in try session.accounts.ids(named: nil) { _ = try await session.sync.account(id) }
            let all = try session.mailboxes.lines(account: nil).map(\.mailbox.account.rawValue)
            #expect(all.first == "work" && all.last == "home")
            let one = try session.mailboxes.lines(account: "work").map(\.mailbox.account.rawValue)
            #expect(Set(one) == ["work"])
            let problem = #expect(throws: Problem.self) { try session.mailboxes.lines(account: "other") }
            #expect(problem?.code == "no-such-account")
        }
    }

    @Test("an account that was never synced has no lines")
    func unsynced() async throws {
        try await Workplace().with { session in
            let lines = try session.mailboxes.lines(account: nil)
            #expect(lines.isEmpty)
        }
    }
}
