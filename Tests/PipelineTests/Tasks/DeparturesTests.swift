import Accounts
import Executor
import Foundation
import Logging
import MIMEParser
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Whether the mail of a delegation left, is still a draft, or was thrown away.
@Suite("Departures")
struct DeparturesTests {
    private static let rules = """
        rules-version: 1
        rules:
          - id: hand-on
            when: subject:please
            then:
              - delegate: { to: 'carl@acme.example', note: 'Can you look at this?' }
              - archive
        """
    private let account = AccountID("work")
    private let drafts = MailboxName("Drafts")

    private func delegated(
        hasSent: Bool = true, at now: Timestamp = Workplace.tuesday + 60,
        _ body: (Workplace, Session, Todo) async throws -> Void
    ) async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.sendsMail()
        try work.deliver("Please look")
        if hasSent { try work.client.create(MailboxName("Sent")) }
        try await work.run()
        try await work.with(at: now) { session in
            _ = try await session.sync.account(account)
            let todo = try #require(try session.tasks.files().files.first?.todo)
            try await body(work, session, todo)
        }
    }

    private func departures(_ session: Session) throws -> Departures {
        Departures(
            store: session.store, loader: FactLoader(store: session.store), own: session.workspace.addresses,
            account: try session.accounts.require(account))
    }

    private func fate(_ todo: Todo, _ session: Session) throws -> Departures.Fate {
        try departures(session).fate(of: try #require(todo.delegatedMessageID), todo)
    }

    private func emptyDrafts(_ work: Workplace, _ session: Session) async throws {
        for entry in try work.client.list(drafts) { try work.client.remove(drafts, unique: entry.unique) }
        _ = try await session.sync.account(account)
    }

    private func open(_ session: Session) async throws -> OpenDraft {
        try await session.drafts.open(try #require(try session.drafts.list(account: nil).first).id)
    }

    @Test("a wait begins when its draft is sent")
    func left() async throws {
        try await delegated { work, session, todo in
            let before: [TodoID: Timestamp?] = [todo.id: nil]
            #expect(try departures(session).waits([todo]) == before)
            try await session.send(try await open(session))
            #expect(try work.departures().map(\.recipients) == [["carl@acme.example"]])
            let expected = Departures.Fate.left(Workplace.tuesday + 60)
            #expect(try fate(todo, session) == expected)
            let after: [TodoID: Timestamp?] = [todo.id: Workplace.tuesday + 60]
            #expect(try departures(session).waits([todo]) == after)
            #expect(try await session.follow.undoUnsentWaits(of: account).isEmpty)
        }
    }

    @Test("an edited draft is still the draft of its task")
    func edited() async throws {
        try await delegated { work, session, todo in
            let draft = try await open(session)
            let (kept, mistakes) = try session.drafts.keep(
                draft, typed: draft.text.replacing("Can you", with: "Could you"))
            #expect(mistakes.isEmpty)
            #expect(try fate(todo, session) == .draft)
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            _ = try await session.sync.account(account)
            #expect(try work.texts("Drafts").map { $0.contains("Could you") } == [true])
            #expect(try fate(todo, session) == .draft)
            #expect(try await session.follow.undoUnsentWaits(of: account).isEmpty)
            try await session.send(
                try await session.drafts.open(try session.drafts.shortName(of: kept.stored)))
            #expect(try fate(todo, session) == .left(Workplace.tuesday + 60))
        }
    }

    @Test("a draft does not count as discarded before a sync has found it")
    func notReadBack() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.sendsMail()
        try work.deliver("Please look")
        try work.client.create(MailboxName("Sent"))
        try await work.with { session in
            _ = try await session.sync.account(account)
            let making = session.inbox.waitMaking
            _ = try await making.delegate(
                making.plan(
                    delegate: try #require(try session.ids("Please look").first), to: "carl@acme.example",
                    note: "Yours.", until: nil, onReply: nil))
            // Then the disk was full: the steps are done, and nothing was read back.
            _ = try await Drain(
                account: account, store: session.store, tasks: session.tasks.taskStore,
                files: session.inbox.runner.files,
                lists: session.inbox.runner.senders, sink: MaildirMailSink(client: work.client),
                submitter: nil,
                now: Workplace.tuesday, logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
            ).run()
            let todo = try #require(try session.tasks.files().files.first?.todo)
            #expect(try work.names("Drafts").count == 1)
            #expect(try fate(todo, session) == .draft)
            #expect(try await session.follow.undoUnsentWaits(of: account).isEmpty)
        }
        try await work.with(at: Workplace.tuesday + 60) { session in
            _ = try await session.sync.account(account)
            let todo = try #require(try session.tasks.files().files.first?.todo)
            #expect(try fate(todo, session) == .draft)
            try await emptyDrafts(work, session)
            #expect(try fate(todo, session) == .discarded)
        }
    }

    @Test("without a Sent mailbox, the fate of a draft is unknown and nothing is undone")
    func unknown() async throws {
        try await delegated(hasSent: false) { work, session, todo in
            try await emptyDrafts(work, session)
            #expect(try fate(todo, session) == .unknown)
            #expect(try departures(session).waits([todo]).isEmpty)
            #expect(try await session.follow.undoUnsentWaits(of: account).isEmpty)
            #expect(try session.tasks.files().files.filter(\.todo.isOpen).count == 1)
        }
    }

    @Test(
        "a later mail of the user to the same person in the conversation counts as the draft, sent")
    func otherName() async throws {
        try await delegated { work, session, todo in
            try work.put(
                "other",
                """
                From: Ana <ana@acme.example>
                To: Carl <carl@acme.example>
                Subject: Fwd: Please look
                Message-ID: <written-by-the-server@x>
                References: <Please-look@x>
                Date: Tue, 10 Mar 2026 09:00:00 +0000

                Can you look at this?
                """, flags: [.seen], in: MailboxName("Sent"))
            try await emptyDrafts(work, session)
            guard case .left = try fate(todo, session) else {
                Issue.record("the mail is not known to have left")
                return
            }
        }
    }

    @Test(
        "mail to another person, mail from before the task, and mail in the trash do not count as the draft")
    func noProof() async throws {
        try await delegated { work, session, todo in
            for (name, to, mailbox, hour) in [
                ("dora", "dora@acme.example", "Sent", "09"), ("early", "carl@acme.example", "Sent", "05"),
                ("trash", "carl@acme.example", "Trash", "09"),
            ] {
                try work.put(
                    name,
                    """
                    From: Ana <ana@acme.example>
                    To: \(to)
                    Subject: Fwd: Please look
                    Message-ID: <\(name)@x>
                    References: <Please-look@x>
                    Date: Tue, 10 Mar 2026 \(hour):00:00 +0000

                    Can you look at this?
                    """, flags: [.seen], in: MailboxName(mailbox))
            }
            try await emptyDrafts(work, session)
            #expect(try fate(todo, session) == .discarded)
        }
    }

    // MARK: Taking a wait back

    @Test("opus drafts discard removes the task, and the mail returns to the inbox")
    func discardedHere() async throws {
        try await delegated { work, session, todo in
            #expect(try work.names("INBOX").isEmpty)
            _ = try await session.draftsMailbox.discard(try await open(session))
            _ = try await session.sync.account(account)
            let lines = try await session.follow.undoUnsentWaits(of: account)
            #expect(
                lines == [
                    "the draft for task “\(todo.summary)” was discarded: the task is removed, and its mail comes back"
                ])
            #expect(try session.tasks.files().files.isEmpty)
            #expect(try work.names("INBOX") == ["Please-look"])
            #expect(try await session.follow.undoUnsentWaits(of: account).isEmpty)
        }
    }

    @Test("mail that the user has moved since stays there when the draft is discarded")
    func movedSince() async throws {
        try await delegated { work, session, todo in
            let (mailbox, entry) = try #require(try work.client.locate(unique: "100.Please-look"))
            try work.client.create(MailboxName("Projects"))
            _ = try work.client.move(unique: entry.unique, from: mailbox, to: MailboxName("Projects"))
            try await emptyDrafts(work, session)
            #expect(
                try await session.follow.undoUnsentWaits(of: account) == [
                    "the draft for task “\(todo.summary)” was discarded: the task is removed"
                ])
            #expect(try work.names("Projects") == ["Please-look"])
            #expect(try session.tasks.files().files.isEmpty)
        }
    }

    @Test("a completed task is not changed when its draft is discarded")
    func doneAlready() async throws {
        try await delegated { work, session, todo in
            try work.finish("X-OPUS-WAITING-ON")
            let file = try #require(try session.tasks.files().files.first)
            #expect(!file.todo.isOpen)
            try await emptyDrafts(work, session)
            _ = try await session.follow.taskEdits(for: [account], allowMassDelete: false)
            #expect(try session.tasks.files().files.count == 1)
        }
    }
}
