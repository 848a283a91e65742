import Accounts
import Foundation
import MaildirClient
import Models
import Planner
import Testing

@testable import Pipeline

/// Accounts and mailboxes by the names that people use, and the mailbox of each role, also where it is yet to be made.
@Suite("Accounts and mailboxes")
struct AccountAccessTests {
    private let account = AccountID("work")

    private func synced(
        _ mailboxes: String..., settings: String = "", _ body: (Workplace, Session) async throws -> Void
    ) async throws {
        let work = try Workplace()
        if !settings.isEmpty {
            try work.write(
                try work.read("opus.yaml").replacing(
                    "maildir: Maildir\n", with: "maildir: Maildir\n    \(settings)\n"), to: "opus.yaml")
        }
        for name in mailboxes { try work.client.create(MailboxName(name)) }
        try await work.with { session in
            _ = try await session.sync.account(account)
            try await body(work, session)
        }
    }

    @Test("a mailbox is found by its exact name, its name in any case, or its role")
    func names() async throws {
        try await synced("Archive", "projects", "Projects") { _, session in
            let account = try session.accounts.require(account)
            for (word, name) in [
                ("Projects", "Projects"), ("projects", "projects"), ("archive", "Archive"),
                ("inbox", "INBOX"),
            ] {
                #expect(try session.accounts.requireMailbox(word, of: account).displayName == name)
            }
        }
    }

    @Test("an unknown mailbox is refused, with the nearest name")
    func noMailbox() async throws {
        try await synced("Projects") { _, session in
            let account = try session.accounts.require(account)
            let problem = try #require(throws: Problem.self) {
                _ = try session.accounts.requireMailbox("Projets", of: account)
            }
            #expect(problem.code == "no-such-mailbox" && problem.exit == .notFound)
            #expect(problem.next == ["did you mean \"Projects\"?"])
        }
    }

    @Test("before the first sync, no mailbox is known: the next step is a sync")
    func neverSynced() async throws {
        try await Workplace().with { session in
            let account = try session.accounts.require(AccountID("work"))
            let problem = try #require(throws: Problem.self) {
                _ = try session.accounts.requireMailbox("Projects", of: account)
            }
            #expect(problem.next == ["opus sync"])
        }
    }

    @Test("an account that opus.yaml no longer has is reported, and its mail is not touched")
    func goneAccount() async throws {
        try await synced { _, session in
            let problem = try #require(throws: Problem.self) {
                _ = try session.accounts.require(AccountID("old"))
            }
            #expect(problem.code == "no-such-account" && problem.exit == .configuration)
        }
    }

    @Test("the error about a workspace without accounts says how to add one")
    func noAccounts() async throws {
        let work = try Workplace()
        try work.write("config-version: 1\naccounts: []\n", to: "opus.yaml")
        do {
            try await work.with { session in
                let problem = try #require(throws: Problem.self) {
                    _ = try session.accounts.ids(named: nil)
                }
                #expect(problem.code == "no-account" && problem.exit == .configuration)
            }
        } catch let failure as DiagnosticFailure {
            #expect(failure.exit == .configuration)
        }
    }

    // MARK: Roles

    private func archived(_ work: Workplace) async throws {
        try work.deliver("invoice 1")
        try await work.run()
    }

    @Test(
        "the mailbox that the user sets for a role is created and used, even if another one has the usual name"
    )
    func namedRole() async throws {
        try await synced("Archive", settings: "folders: { archive: Kept }") { work, session in
            let context = try session.accounts.stepContext(try session.accounts.require(account))
            #expect(context.mailbox(for: .archive).displayName == "Kept")
        }
        let work = try Workplace()
        try work.write(
            try work.read("opus.yaml").replacing(
                "maildir: Maildir\n", with: "maildir: Maildir\n    folders: { archive: Kept }\n"),
            to: "opus.yaml")
        try work.client.create(MailboxName("Archive"))
        try await archived(work)
        #expect(try work.names("Kept") == ["invoice-1"])
        #expect(try work.names("Archive").isEmpty)
    }

    @Test(
        "the missing mailbox of a role is created with the first mail, and used again"
    )
    func made() async throws {
        let work = try Workplace()
        #expect(try work.texts("Archive").isEmpty)
        try await archived(work)
        try work.deliver("invoice 2")
        try await work.run()
        #expect(try work.names("Archive") == ["invoice-1", "invoice-2"])
        let archives = try work.client.mailboxes().filter { $0.displayName.contains("rchive") }
        #expect(archives.count == 1)
    }

    @Test("every role has its own mailbox")
    func roles() async throws {
        try await synced { _, session in
            let context = try session.accounts.stepContext(try session.accounts.require(account))
            let names = MailboxRole.allCases.filter { $0 != .inbox }.map {
                context.mailbox(for: $0).displayName
            }
            #expect(Set(names).count == names.count && !names.contains("INBOX"))
        }
    }
}
