import Foundation
import Models
import Planner
import Testing

@testable import Pipeline

/// The user's own changes of task files: all of them are runs, so that none is half done and each can be undone.
@Suite("Changes of tasks")
struct TaskChangesTests {
    private func day(_ text: String) throws -> TodoDate { .date(try #require(CalendarDate(text))) }

    private func adding(
        _ summaries: [String], _ body: (Workplace, Session, [TodoFile]) async throws -> Void
    ) async throws {
        let work = try Workplace()
        try await work.with { session in
            let files = try summaries.map {
                try session.taskChanges.add(
                    Todo(id: Tasks.newID(), list: .next, summary: $0), command: "task add"
                ).added
            }
            try await body(work, session, files)
        }
    }

    private func titled(_ summary: String) -> TodoPatch { TodoPatch(summary: summary) }

    @Test("several changes are one run, which is undone as a whole")
    func oneRun() async throws {
        try await adding(["one", "two"]) { _, session, files in
            let before = try session.journal.runs(limit: 99).count
            let answers = try session.taskChanges.change(
                files.map { ($0, TodoPatch(status: .completed)) }, command: "task done")
            #expect(answers.allSatisfy { $0.problem == nil && $0.file?.todo.isCompleted == true })
            #expect(try session.journal.runs(limit: 99).count == before + 1)
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            #expect(try session.tasks.files().files.map(\.todo.isOpen) == [true, true])
        }
    }

    @Test("a refused change gives its reason and does not stop the others")
    func refused() async throws {
        try await adding(["one", "two"]) { work, session, files in
            let gone = try #require(files.first { $0.todo.summary == "one" })
            try FileManager.default.removeItem(atPath: session.tasks.path(of: gone))
            let answers = try session.taskChanges.change(
                files.map { ($0, titled("new " + $0.todo.summary)) }, command: "task edit")
            #expect(answers.map { $0.problem?.exit } == [.notFound, nil])
            #expect(try session.tasks.files().files.map(\.todo.summary) == ["new two"])
            #expect(
                TriageTests.refusal {
                    try session.taskChanges.change(gone, titled("x"), command: "task edit")
                } == "tasks 66")
            #expect(try work.taskFiles("one").isEmpty, "a file that is gone stays gone")
        }
    }

    @Test("a damaged file is not changed")
    func broken() async throws {
        try await adding(["one"]) { work, session, files in
            let path = "tasks/" + files[0].path
            try work.write("BEGIN:VCALENDAR\r\n<<<<<<< mine\r\n", to: path)
            let refusal = TriageTests.refusal {
                try session.taskChanges.change(files[0], titled("x"), command: "task edit")
            }
            #expect(refusal.hasPrefix("tasks 6"))
            #expect(try work.read(path) == "BEGIN:VCALENDAR\r\n<<<<<<< mine\r\n")
        }
    }

    @Test("a change that is already done makes no run and changes no file")
    func unchanged() async throws {
        try await adding(["one"]) { _, session, files in
            let runs = try session.journal.runs(limit: 99).count
            let file = try session.taskChanges.change(files[0], titled("one"), command: "task edit")
            #expect(file == files[0])
            #expect(try session.journal.runs(limit: 99).count == runs)
        }
    }

    @Test("changes that another program made since the list was read are kept")
    func beside() async throws {
        try await adding(["one"]) { work, session, files in
            try work.edit("one") {
                $0.replacing("END:VTODO", with: "PRIORITY:1\r\nX-OTHER:kept\r\nEND:VTODO")
            }
            let file = try session.taskChanges.change(files[0], titled("uno"), command: "task edit")
            #expect(file.todo.summary == "uno" && file.todo.priority == 1)
            #expect(try work.taskText("uno").contains("X-OTHER:kept"))
        }
    }

    @Test("a new task has a time zone only with a time of day, and is created now")
    func zones() async throws {
        try await adding([]) { _, session, _ in
            var todo = Todo(id: Tasks.newID(), list: .next, summary: "day")
            todo.due = try day("2026-03-20")
            let plain = try session.taskChanges.add(todo, command: "task add").added
            #expect(plain.todo.timeZone == nil && plain.todo.created == Workplace.tuesday)
            todo = Todo(id: Tasks.newID(), list: .next, summary: "hour")
            todo.due = .instant(Workplace.tuesday + 7_200)
            #expect(
                try session.taskChanges.add(todo, command: "task add").added.todo.timeZone == "Europe/Paris")
        }
    }

    @Test("a project is created with its parts in one run, and undone with them")
    func parts() async throws {
        try await adding(["one", "two"]) { _, session, files in
            let (project, parts) = try session.taskChanges.add(
                Todo(id: Tasks.newID(), list: .next, summary: "project"), parts: files, command: "task add")
            #expect(parts.map { $0.file?.todo.parent } == [project.todo.id, project.todo.id])
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            let left = try session.tasks.files().files
            #expect(left.map(\.todo.summary).sorted() == ["one", "two"])
            #expect(left.allSatisfy { $0.todo.parent == nil })
        }
    }

    @Test("completing a repeating task opens its next day, and the last one stays completed")
    func repeating() async throws {
        let work = try Workplace()
        try work.writeTask(
            "weekly", "Water the plants", "DUE;VALUE=DATE:20260312", "RRULE:FREQ=WEEKLY;COUNT=2")
        try await work.with { session in
            var file = try session.task("Water the plants")
            #expect(session.taskChanges.repeats(file.todo))
            let next = try day("2026-03-19")
            #expect(session.taskChanges.nextOccurrence(of: file.todo) == next)
            file = try session.taskChanges.change(
                file, try session.taskChanges.completion(of: file), command: "task done")
            #expect(file.todo.isOpen && file.todo.due == next)
            file = try session.taskChanges.change(
                file, try session.taskChanges.completion(of: file), command: "task done")
            #expect(!file.todo.isOpen && file.todo.due == next)
            #expect(session.taskChanges.nextOccurrence(of: file.todo) == nil)
        }
    }

    @Test(
        "changes left by a killed command are made once by the next command, before its own"
    )
    func interrupted() async throws {
        let work = try Workplace()
        let todo = Todo(id: Tasks.newID(), list: .next, summary: "left behind")
        try await work.with { session in
            try session.leave([.add(todo)], command: "task add")
            #expect(try session.tasks.files().files.isEmpty)
        }
        try await work.with { session in
            let other = Todo(id: Tasks.newID(), list: .next, summary: "other")
            _ = try session.taskChanges.add(other, command: "task add")
            let summaries = try session.tasks.files().files.map(\.todo.summary)
            #expect(summaries.sorted() == ["left behind", "other"])
            let left = try session.task("left behind")
            _ = try session.taskChanges.change(left, titled("renamed"), command: "task edit")
        }
        _ = try await work.follow()
        #expect(try work.taskFiles("left behind").isEmpty)
        #expect(try work.taskFiles("renamed").count == 1)
    }

    @Test("changes left by a killed command are also made by the next run")
    func interruptedRun() async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        try await work.with { session in
            let id = try session.task("Answer A question").todo.id
            try session.leave([.change(id, TodoPatch(status: .completed))], command: "task done")
        }
        _ = try await work.follow()
        #expect(try work.taskText("question").contains("STATUS:COMPLETED"))
        #expect(try work.texts("Archive").count == 1, "its mail follows in the same run")
    }

    // MARK: Conflicts

    private static let reply = """
        From: Bob <bob@acme.example>
        To: ana@acme.example
        Subject: Re: A question
        Message-ID: <reply@x>
        References: <A-question@x>
        Date: Tue, 10 Mar 2026 09:00:00 +0000

        Yes.
        """

    /// A reply had to be noted while the file could not be read; after the repair it has other notes, with a parameter that
    /// opus does not read and would lose.
    private func conflicting(_ body: (Workplace, Session, TaskConflict) async throws -> Void) async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        let path = "tasks/" + (try #require(try work.taskFiles("question").first))
        let whole = try work.read(path)
        let later = Workplace.tuesday + 7_200
        try work.put("reply", Self.reply, received: Workplace.tuesday + 3_600)
        try work.write(whole + "<<<<<<< mine\r\n", to: path)
        _ = try await work.follow(at: later)
        try work.write(
            whole.replacing("DESCRIPTION:", with: "DESCRIPTION;X-MINE=1:My own words.\\n\\n"), to: path)
        _ = try await work.follow(at: later + 3_600)
        try await work.with(at: later + 7_200) { session in
            let conflict = try #require(try session.tasks.conflicts().first)
            try await body(work, session, conflict)
        }
    }

    @Test(
        "a conflict keeps the value in the file and shows both; choosing the other one can be undone"
    )
    func ours() async throws {
        try await conflicting { work, session, conflict in
            #expect(conflict.field == "notes" && conflict.summary == "Answer A question")
            #expect(conflict.theirs?.contains("My own words.") == true)
            #expect(conflict.ours?.contains("from Bob") == true)
            #expect(try work.taskText("question").contains("My own words."))
            try session.taskChanges.settle(conflict, ours: true)
            #expect(try work.taskText("question").contains("from Bob"))
            #expect(try session.tasks.conflicts().isEmpty)
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
            #expect(try work.taskText("question").contains("My own words."))
        }
    }

    @Test("a conflict settled for the file changes nothing and is removed")
    func theirs() async throws {
        try await conflicting { work, session, conflict in
            let before = try work.taskText("question")
            try session.taskChanges.settle(conflict, ours: false)
            #expect(try work.taskText("question") == before)
            #expect(try session.tasks.conflicts().isEmpty)
        }
    }

    @Test("choosing opus's version of a task whose file is missing creates the file")
    func goneFile() async throws {
        try await conflicting { work, session, conflict in
            let path = try #require(try work.taskFiles("question").first)
            try FileManager.default.removeItem(atPath: work.root + "/tasks/" + path)
            try session.taskChanges.settle(conflict, ours: true)
            let file = try session.task("Answer A question")
            #expect(file.todo.id == conflict.todo && file.todo.notes.contains("from Bob"))
        }
    }

    @Test("a conflict is found by a unique beginning of its id")
    func conflictNames() async throws {
        try await conflicting { _, session, conflict in
            let all = try session.tasks.conflicts()
            for typed in [conflict.id, String(conflict.id.prefix(4)).uppercased()] {
                #expect(try session.tasks.conflict(typed, among: all).id == conflict.id)
            }
            for (typed, conflicts) in [("", all), ("zz", all), (conflict.id, all + all), (conflict.id, [])] {
                #expect(
                    TriageTests.refusal { try session.tasks.conflict(typed, among: conflicts) }
                        == "no-such-conflict 66")
            }
        }
    }
}
