import Accounts
import Foundation
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Mail that is handed on: its draft, its task, and what happens when the draft leaves or is thrown away.
@Suite("Waits")
struct WaitTests {
    private static let rules = """
        rules-version: 1
        rules:
          - id: hand-on
            when: subject:please
            then:
              - delegate: { to: 'carl@acme.example', note: 'Can you look at this?' }
        """
    private let account = AccountID("work")

    private func delegated(_ body: (Workplace, Session, Todo) async throws -> Void) async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("Please look")
        try work.client.create(MailboxName("Sent"))
        try await work.run()
        try await work.with { session in
            _ = try await session.sync.account(account)
            let todo = try #require(try session.tasks.files().files.first?.todo)
            try await body(work, session, todo)
        }
    }

    private func fate(of todo: Todo, _ session: Session) throws -> Departures.Fate {
        let account = try session.accounts.require(account)
        let departures = Departures(
            store: session.store, loader: FactLoader(store: session.store), own: session.workspace.addresses,
            account: account)
        return try departures.fate(of: try #require(todo.delegatedMessageID), todo)
    }

    @Test(
        "a delegation is a draft with the note and the original, and its task waits for the person")
    func draft() async throws {
        try await delegated { work, session, todo in
            #expect(todo.list == .waiting && todo.waitingOn?.contains("carl@acme.example") == true)
            let entry = try #require(try work.client.list(MailboxName("Drafts")).first)
            let bytes = try work.client.read(MailboxName("Drafts"), unique: entry.unique, limit: 1 << 20)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("To: carl@acme.example") && text.contains("Can you look at this?"))
            #expect(!text.contains("Auto-Submitted:"))
            #expect(try fate(of: todo, session) == .draft)
        }
    }

    @Test("a draft sent by another program counts as sent, at the time of the copy in Sent")
    func sent() async throws {
        try await delegated { work, session, todo in
            let drafts = MailboxName("Drafts")
            let entry = try #require(try work.client.list(drafts).first)
            let bytes = try work.client.read(drafts, unique: entry.unique, limit: 1 << 20)
            let text = String(decoding: bytes, as: UTF8.self)
                .replacing("Message-ID: <", with: "Message-ID: <sent-")
            _ = try work.client.addMessage(
                to: MailboxName("Sent"), message: Array(text.utf8), flags: [.seen], unique: "900.sent",
                received: Workplace.tuesday + 60)
            try work.client.remove(drafts, unique: entry.unique)
            _ = try await session.sync.account(account)
            guard case .left = try fate(of: todo, session) else {
                Issue.record("the mail is not known to have left")
                return
            }
            #expect(try await session.follow.undoUnsentWaits(of: account).isEmpty)
        }
    }

    @Test("a discarded draft removes its task, and the mail returns")
    func discarded() async throws {
        try await delegated { work, session, todo in
            let drafts = MailboxName("Drafts")
            let entry = try #require(try work.client.list(drafts).first)
            try work.client.remove(drafts, unique: entry.unique)
            _ = try await session.sync.account(account)
            #expect(try fate(of: todo, session) == .discarded)
            let lines = try await session.follow.undoUnsentWaits(of: account)
            #expect(lines.count == 1 && lines.first?.hasPrefix("the draft for task") == true)
            #expect(try session.tasks.files().files.filter(\.todo.isOpen).isEmpty)
            #expect(try work.names("INBOX") == ["Please-look"])
        }
    }
}
