import Foundation
import MaildirClient
import Models
import TestSupport
import Testing

@testable import Pipeline

/// Accounts that can and cannot be reached: what is told, what waits, and what is done anyway.
@Suite("Account syncing")
struct AccountSyncingTests {
    private let account = AccountID("work")
    private let server = AccountID("server")

    /// A second account on a server that is not there.
    private func workplace() throws -> Workplace {
        let work = try Workplace()
        try work.configure(
            """
              - name: server
                address: ana@server.example
                imap: { host: 127.0.0.1, port: 1, security: none }
                login: { password-command: [ /bin/echo, secret ] }
            """)
        return work
    }

    @Test("an unreachable server is reported with its account and the next steps, without the password")
    func unreachable() async throws {
        try await workplace().with { session in
            let problem = try #require(
                await #expect(throws: Problem.self) { _ = try await session.sync.account(server) })
            #expect(problem.code == "unreachable" && problem.exit == .unavailable)
            #expect(problem.place?.hasPrefix("account server, opus.yaml:") == true)
            #expect(problem.next.contains("opus account check server"))
            #expect(!"\(problem)".contains("secret"))
        }
    }

    @Test("a repeated sync ignores an unreachable server, but not a missing Maildir")
    func lookAgain() async throws {
        let work = try workplace()
        try await work.with { session in
            try await session.sync.lookAgain(server)
            try FileManager.default.removeItem(atPath: work.root + "/Maildir")
            await #expect(throws: Problem.self) { try await session.sync.lookAgain(account) }
        }
    }

    @Test("each new, changed and removed message is counted once")
    func counts() async throws {
        let work = try Workplace()
        try work.deliver("one", "two")
        try await work.with { session in
            #expect(try await session.sync.account(account).added == 2)
            #expect(try await session.sync.account(account).isQuiet)
            _ = try work.client.setFlags(.inbox, unique: "100.one", add: [.seen])
            #expect(try await session.sync.account(account).changed == 1)
            try work.client.remove(.inbox, unique: "100.two")
            #expect(try await session.sync.account(account).removed == 1)
            #expect(try await session.sync.account(account).isQuiet)
        }
    }

    @Test("an excluded mailbox is not synced")
    func excluded() async throws {
        let work = try Workplace()
        try work.write(
            try work.read("opus.yaml").replacing(
                "maildir: Maildir\n", with: "maildir: Maildir\n    sync: { exclude: [\"Spam*\"] }\n"),
            to: "opus.yaml")
        try work.deliver("bargain", to: MailboxName("Spambox"))
        try work.deliver("Lunch")
        try await work.with { session in
            let report = try await session.sync.account(account)
            #expect(report.added == 1)
            #expect(throws: Problem.self) { _ = try session.id(of: "bargain") }
        }
    }

    @Test("the draft of an unreachable account is kept and reported, and a failed push loses nothing")
    func draftOffline() async throws {
        try await workplace().with { session in
            let draft = try await session.written { $0.from = "ana@server.example" }
            #expect(draft.accountID == server)
            let report = try await session.draftsMailbox.push(of: server, command: "drafts push").report
            #expect(report.drain.interruption != nil && report.exit != .done)
            #expect(try session.drafts.list(account: "server").map(\.state) == [.local])
            let again = try await session.draftsMailbox.push(of: server, command: "drafts push").report
            #expect(again.queued == 0, "it waits in the journal already")
            let current = try await session.draftsMailbox.current(draft)
            #expect(current.draft.text == draft.text)
            _ = try await session.draftsMailbox.discard(draft)
            #expect(try session.drafts.list(account: nil).isEmpty)
        }
    }
}
