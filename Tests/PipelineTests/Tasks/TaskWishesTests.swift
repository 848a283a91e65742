import Foundation
import MaildirClient
import Models
import Rules
import Testing

@testable import Pipeline

/// What the wishes of task commands mean for files.
@Suite("Wishes for tasks")
struct TaskWishesTests {
    private func tasks(_ names: String..., body: (Session) throws -> Void) async throws {
        let work = try Workplace()
        try await work.with { session in
            for name in names {
                _ = try session.taskChanges.add(
                    Todo(id: Tasks.newID(), list: .next, summary: name), command: "task add")
            }
            try body(session)
        }
    }

    private func block(_ session: Session, _ name: String, by others: String...) throws -> TodoFile {
        let file = try session.task(name)
        return try session.taskChanges.change(
            file, try session.tasks.blocking(file, by: try others.map { try session.task($0) }),
            command: "task block")
    }

    @Test("blockers are added once each, and removed one by one or all at once")
    func blocking() async throws {
        try await tasks("a", "b", "c") { session in
            let (b, c) = (try session.task("b").todo.id, try session.task("c").todo.id)
            _ = try block(session, "a", by: "b")
            var file = try block(session, "a", by: "b", "c")
            #expect(file.todo.dependsOn == [b, c])
            file = try session.taskChanges.change(
                file, session.tasks.unblocking(file, by: [try session.task("b")]), command: "task unblock")
            #expect(file.todo.dependsOn == [c])
            file = try session.taskChanges.change(
                file, session.tasks.unblocking(file, by: []), command: "task unblock")
            #expect(file.todo.dependsOn.isEmpty)
        }
    }

    @Test("a cycle through a third task is refused, and no file changes")
    func circle() async throws {
        try await tasks("a", "b", "c") { session in
            _ = try block(session, "a", by: "b")
            _ = try block(session, "b", by: "c")
            #expect(TriageTests.refusal { try block(session, "c", by: "a") } == "task-circle 64")
            #expect(TriageTests.refusal { try block(session, "a", by: "a") } == "task-circle 64")
            #expect(try session.task("c").todo.dependsOn.isEmpty)
        }
    }

    @Test("a project cannot be below one of its parts")
    func projects() async throws {
        try await tasks("project", "part") { session in
            var patch = TodoPatch()
            patch.parent = try session.task("project").todo.id
            let part = try session.taskChanges.change(
                try session.task("part"), patch, command: "task edit")
            #expect(
                TriageTests.refusal {
                    try session.tasks.requireNoCircle([try session.task("project")], below: part)
                } == "task-circle 64")
        }
    }

    @Test("contexts are replaced in any case, and none is doubled")
    func contexts() {
        #expect(
            Todo.contexts(["Home", "phone"], removing: ["HOME"], adding: ["PHONE", "office"])
                == ["phone", "office"])
        #expect(Todo.contexts(["home"], removing: [], adding: ["Home"]) == ["home"])
        #expect(Todo.contexts(["home"], removing: ["home"], adding: ["Home"]) == ["Home"])
    }

    @Test("a new task has everything that its command names")
    func new() throws {
        let day = TodoDate.date(try #require(CalendarDate("2026-03-20")))
        var patch = TodoPatch(start: day, due: day)
        (patch.priority, patch.notes, patch.categories) = (1, "Words", ["home"])
        (patch.contact, patch.parent) = ("Bob", TodoID("project"))
        let todo = Tasks.new("Paint", on: .someday, patch)
        #expect(todo.summary == "Paint" && todo.list == .someday && todo.start == day && todo.due == day)
        #expect(todo.priority == 1 && todo.notes == "Words" && todo.categories == ["home"])
        #expect(todo.contact == "Bob" && todo.parent == TodoID("project") && todo.isOpen)
        #expect(Tasks.new("Paint", on: .someday, patch).id != todo.id)
    }

    // MARK: Tasks of mail

    private func withMail(_ subject: String, _ body: (Workplace, Session) async throws -> Void) async throws {
        let work = try Workplace()
        try work.put("mail", "From: bob@acme.example\nSubject: \(subject)\nMessage-ID: <m@x>\n\nHello\n")
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            try await body(work, session)
        }
    }

    @Test("a task made from a mail is titled by the subject by default")
    func titles() async throws {
        try await withMail("Server move") { _, session in
            let id = try session.id(of: "Server move")
            let plain = try session.taskMail.draft(ofMessage: id, title: nil, on: .next, TodoPatch())
            #expect(plain.summary == "Server move")
            #expect(
                try session.taskMail.draft(ofMessage: id, title: "Mine", on: .next, TodoPatch()).summary
                    == "Mine")
        }
        try await withMail("") { _, session in
            let id = try session.id(of: "")
            #expect(try session.taskMail.title(ofMessage: id) == "(no subject)")
        }
    }

    @Test("only mail in the inbox is deferred with a new task, and only until a future start")
    func returns() async throws {
        for (list, day, mailbox) in [
            (GTDList.scheduled, "2026-03-12", "Deferred"), (.waiting, "2026-03-12", "Deferred"),
            (.next, "2026-03-12", "INBOX"), (.scheduled, "2026-03-09", "INBOX"),
        ] {
            try await withMail("Plan") { work, session in
                var patch = TodoPatch()
                patch.start = .date(try #require(CalendarDate(day)))
                let id = try session.id(of: "Plan")
                let draft = try session.taskMail.draft(ofMessage: id, title: nil, on: list, patch)
                _ = try await session.taskMail.make(draft, of: id)
                #expect(try work.texts(mailbox).count == 1, "\(list) \(day)")
                #expect(try session.task("Plan").todo.list == list)
            }
        }
    }

    @Test("the same task of the same mail is made once")
    func once() async throws {
        try await withMail("Plan") { work, session in
            let id = try session.id(of: "Plan")
            let draft = TodoDraft(summary: "Plan", list: .next)
            _ = try await session.taskMail.make(draft, of: id)
            _ = try await session.taskMail.make(draft, of: id)
            #expect(try work.taskFiles("SUMMARY:Plan").count == 1)
        }
    }

    @Test("a mail outside any mailbox makes no task")
    func gone() async throws {
        try await withMail("Plan") { work, session in
            let id = try session.id(of: "Plan")
            try await session.taskMail.make(TodoDraft(summary: "Plan", list: .next), of: id).drain.failures
                .forEach { Issue.record("\($0)") }
            try work.client.remove(.inbox, unique: "100.mail")
            _ = try await session.sync.account(AccountID("work"))
            let todo = try session.task("Plan").todo
            #expect(try session.taskMail.isMailGone(of: todo))
            await #expect(throws: Problem.self) {
                _ = try await session.taskMail.make(TodoDraft(summary: "Other", list: .next), of: id)
            }
            #expect(try work.taskFiles("Other").isEmpty)
        }
    }

    @Test("a search finds open and completed tasks")
    func search() async throws {
        try await tasks("Paint the fence", "Paint the door", "Buy a fence") { session in
            _ = try session.taskChanges.change(
                try session.task("Paint the fence"), TodoPatch(status: .completed), command: "task done")
            let found = try session.taskMail.tasks(matching: try Query.parse("fence").get()).map(
                \.todo.summary)
            #expect(Set(found) == ["Paint the fence", "Buy a fence"])
        }
    }
}
