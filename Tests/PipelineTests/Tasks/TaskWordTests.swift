import Models
import Testing

@testable import Pipeline

/// The words that people use for tasks: ids, rows, lists, dates, priorities.
@Suite("Words for tasks")
struct TaskWordTests {
    private func withTasks(_ body: (Session) throws -> Void) async throws {
        let work = try Workplace()
        try await work.with { session in
            for name in ["Pay the rent", "Call Bob", "Write to Ana"] {
                _ = try session.taskChanges.add(
                    Todo(id: Tasks.newID(), list: .next, summary: name), command: "task add")
            }
            try body(session)
        }
    }

    private func refusal(_ body: () throws -> some Any) -> String { TriageTests.refusal(body) }

    @Test("a task is found by its short id, its UID or its row in the last list")
    func names() async throws {
        try await withTasks { session in
            let files = try session.tasks.files().files
            let file = try #require(files.first)
            #expect(try session.tasks.task(TaskName.short(file.todo.id, length: 8)).todo.id == file.todo.id)
            #expect(try session.tasks.task(file.todo.id.rawValue).todo.id == file.todo.id)
            #expect(refusal { try session.tasks.task("1") } == "no-such-task 66")
            session.tasks.rememberRows([files[2], files[0]])
            #expect(try session.tasks.task("1").todo.id == files[2].todo.id)
            #expect(try session.tasks.named(["1", "2", "1"]).count == 2)
            #expect(refusal { try session.tasks.task("9") } == "no-such-task 66")
        }
    }

    @Test("a row has at most three digits; a short id has four characters or more")
    func rows() {
        #expect(ListRows.number("7") == 7 && ListRows.number("007") == 7)
        for typed in ["", "1234", "7k2q", "-1", "１"] { #expect(ListRows.number(typed) == nil, "\(typed)") }
    }

    @Test("a list is a standard one or an existing folder, and a new one only for commands that create lists")
    func lists() async throws {
        try await withTasks { session in
            let someday = try session.tasks.list("someday")
            #expect(someday == .someday)
            #expect(refusal { try session.tasks.list("errands") } == "no-such-list 66")
            let errands = try session.tasks.list("errands", mayBeNew: true)
            #expect(errands == GTDList("errands"))
            #expect(refusal { try session.tasks.list("../out", mayBeNew: true) } == "no-such-list 66")
        }
    }

    @Test(
        "a priority is a word or a digit",
        arguments: [("high", 1), ("Mid", 5), ("low", 9), ("none", 0), ("3", 3)])
    func priorities(_ word: String, _ number: Int) throws { #expect(try Tasks.priority(word) == number) }

    @Test(
        "an invalid date and an invalid priority are usage errors",
        arguments: ["10", "-1", "soon"])
    func mistakes(_ word: String) async throws {
        #expect(refusal { try Tasks.priority(word) } == "bad-priority 64")
        try await withTasks { session in
            #expect(refusal { try session.tasks.date("when pigs fly \(word)") } == "bad-date 64")
        }
    }

    @Test("dates are read with the time zone and the clock of the session")
    func dates() async throws {
        try await withTasks { session in
            let day = try #require(CalendarDate("2026-03-11"))
            let tomorrow = try session.tasks.date("tomorrow")
            #expect(tomorrow == .date(day))
        }
    }

    @Test("two tasks cannot wait for each other, and no task is part of itself")
    func circles() async throws {
        try await withTasks { session in
            let files = try session.tasks.files().files
            var patch = TodoPatch()
            patch.dependsOn = [files[1].todo.id]
            patch.parent = files[1].todo.id
            _ = try session.taskChanges.change(files[0], patch, command: "task block")
            let (board, _) = try session.tasks.board()
            #expect(
                refusal { try session.tasks.requireNoCircle(files[1], blockedBy: files[0], board) }
                    == "task-circle 64")
            #expect(
                refusal { try session.tasks.requireNoCircle(files[1], below: files[0], board) }
                    == "task-circle 64")
            #expect(
                refusal { try session.tasks.requireNoCircle(files[0], below: files[0], board) }
                    == "task-circle 64")
            try session.tasks.requireNoCircle(files[0], blockedBy: files[2], board)
        }
    }

    @Test("a deferred task becomes scheduled, and its due date moves behind the new start")
    func deferral() async throws {
        try await withTasks { session in
            let friday = TodoDate.date(try #require(CalendarDate("2026-03-13")))
            var todo = Todo(id: TodoID("x"), list: .next, summary: "x")
            todo.due = .date(try #require(CalendarDate("2026-03-11")))
            let patch = session.tasks.deferral(of: todo, to: friday)
            #expect(patch.start == friday && patch.list == .scheduled && patch.due != nil)
            todo.list = .waiting
            #expect(session.tasks.deferral(of: todo, to: friday).list == nil)
            todo.list = .scheduled
            let now = session.tasks.deferral(of: todo, to: nil)
            #expect(now.clears == [.start] && now.list == .next)
            #expect(
                refusal { try session.tasks.require(friday, before: todo.due ?? friday) }
                    == "start-after-due 64")
        }
    }
}
