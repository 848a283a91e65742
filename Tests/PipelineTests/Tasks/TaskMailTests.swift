import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// From a task to its mail, from a mail to its tasks, and tasks made by hand.
@Suite("Tasks and mail")
struct TaskMailTests {
    private let account = AccountID("work")

    private func withMail(_ body: (Workplace, Session, MessageLine) async throws -> Void) async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        try await work.with { session in
            _ = try await session.sync.account(account)
            let line = try #require(
                try session.messages.list(account: nil, folder: nil, everywhere: false, matching: nil).first)
            try await body(work, session, line)
        }
    }

    @Test("a task made from a mail is linked to it, made once, and can be undone")
    func make() async throws {
        try await withMail { _, session, line in
            let draft = TodoDraft(summary: "Book a table", list: .next)
            let report = try await session.taskMail.make(draft, of: line.shortID)
            #expect(report.drain.failures.isEmpty && report.run != nil)
            let file = try #require(try session.tasks.files().files.first)
            #expect(file.todo.summary == "Book a table")
            #expect(try session.taskMail.mails(of: file.todo).map(\.facts.id) == [line.facts.id])
            #expect(try session.taskMail.tasks(ofThread: line.facts.thread).map(\.todo.id) == [file.todo.id])
            #expect(try !session.taskMail.isMailGone(of: file.todo))
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            #expect(try session.tasks.files().files.isEmpty)
        }
    }

    @Test("a scheduled task moves its mail out of the inbox until its start")
    func scheduled() async throws {
        try await withMail { work, session, line in
            var draft = TodoDraft(summary: "Later", list: .scheduled)
            draft.start = .date(try #require(CalendarDate("2026-03-12")))
            _ = try await session.taskMail.make(draft, of: line.shortID)
            #expect(try work.names("INBOX").isEmpty)
            #expect(try work.names("Deferred") == ["Lunch"])
        }
    }

    @Test("a task file that names a mail is linked to it only when the user agrees")
    func link() async throws {
        try await withMail { _, session, line in
            var todo = Todo(id: Tasks.newID(), list: .next, summary: "Mine")
            todo.messageID = line.facts.messageID
            let file = try session.taskChanges.add(todo, command: "task add").added
            #expect(try session.store.todos.links(for: [file.todo.id]).isEmpty)
            let answer = try session.taskMail.answerLink(of: file, isAgreed: true)
            #expect(answer.subject == "Lunch")
            #expect(!answer.wasLinked)
            let again = try session.taskMail.answerLink(of: file, isAgreed: true)
            #expect(again.wasLinked)
            #expect(
                try session.store.todos.links(for: [file.todo.id])[file.todo.id]?.message == line.facts.id)
            let refusal = TriageTests.refusal {
                _ = try session.taskMail.answerLink(of: file, isAgreed: false)
            }
            #expect(refusal == "linked 64")
        }
    }

    @Test("a task without a mail cannot be linked, and the error names its file")
    func noMail() async throws {
        let work = try Workplace()
        try await work.with { session in
            let file = try session.taskChanges.add(
                Todo(id: Tasks.newID(), list: .next, summary: "Mine"), command: "task add"
            ).added
            #expect(
                TriageTests.refusal { try session.taskMail.answerLink(of: file, isAgreed: true) }
                    == "no-mail 66")
            #expect(try session.taskMail.mails(of: file.todo).isEmpty)
        }
    }
}
