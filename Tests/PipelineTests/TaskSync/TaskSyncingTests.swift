import Accounts
import Foundation
import Models
import TestSupport
import Testing

@testable import Pipeline

/// The sync of the task folder by another program: when it runs, when it must not, and what of it is reported.
@Suite("Sync of the task folder", .timeLimit(.minutes(2)))
struct TaskSyncingTests {
    private let work: Workplace

    init() throws {
        work = try Workplace()
        try work.options().loadWorkspace().makeStoreFolder()
    }

    /// A sync program, written in shell; each of its calls is noted. It has the name of vdirsyncer, because opus reads the
    /// output of that one.
    private func syncing(_ shell: String, at now: Timestamp = Workplace.tuesday) throws -> TaskSyncing {
        try work.write("echo \"$@\" >> '\(work.root)/calls'\n\(shell)\n", to: "bin/script")
        let program = work.root + "/bin/vdirsyncer"
        if !FileManager.default.fileExists(atPath: program) {
            try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: "/bin/sh")
            try work.configure("tasks: { sync-command: ['\(program)', '\(work.root)/bin/script', sync] }")
        }
        var syncing = try #require(
            TaskSyncing(try work.options().loadWorkspace(), clock: SessionClock(fixed: now)))
        syncing.environment = ["PATH": "/usr/bin:/bin"]
        syncing.pause = .zero
        return syncing
    }

    /// The arguments of each call so far.
    private var calls: [String] {
        ((try? work.read("calls")) ?? "").split(separator: "\n").map(String.init)
    }

    private func words(_ outcome: TaskSyncing.Outcome) -> String {
        switch outcome {
        case .nothing: "nothing"
        case .busy: "busy"
        case .synced(seconds: _, let files, onlyHere: _): files ? "synced files" : "synced"
        case .failed(let problem, let isNews): (isNews ? "news: " : "known: ") + problem.message
        }
    }

    private func fill(_ list: String, _ numbers: ClosedRange<Int>) throws {
        for number in numbers { try work.writeTask("\(list)-\(number)", "Task \(number)", list: list) }
    }

    @Test("after a sync only a changed folder is synced again, and the server is always asked")
    func changes() async throws {
        let syncing = try syncing("exit 0")
        try work.writeTask("one", "One")
        #expect(syncing.isDue())
        #expect(words(try await syncing.run(.change)) == "synced" && !syncing.isDue())
        #expect(words(try await syncing.run(.change)) == "nothing")
        #expect(words(try await syncing.run(.server)) == "synced")
        try work.edit("One") { $0.replacing("One", with: "Second") }
        #expect(syncing.isDue())
        #expect(words(try await syncing.runAfterChange()) == "synced")
        #expect(calls == ["sync", "sync", "sync"])
    }

    @Test("a folder that changed while the program ran is synced once more")
    func changedMeanwhile() async throws {
        let syncing = try syncing("mkdir -p tasks/next; echo x > tasks/next/from-server-$$.ics")
        #expect(words(try await syncing.run(.server)) == "synced files")
        #expect(syncing.isDue())
    }

    @Test("if many task files are missing, the program is not run, unless the user deleted them")
    func missing() async throws {
        var syncing = try syncing("exit 0")
        try fill("next", 1...12)
        _ = try await syncing.run(.server)
        for number in 1...5 { try FileManager.default.removeItem(atPath: file("next", number)) }
        #expect(words(try await syncing.run(.server)) == "synced", "five files may go")
        try fill("next", 1...12)
        _ = try await syncing.run(.server)
        for number in 1...6 { try FileManager.default.removeItem(atPath: file("next", number)) }
        let before = calls.count
        #expect(
            words(try await syncing.run(.server))
                == "news: the tasks are not synced: 6 of 12 task files are missing since the last sync; nothing was synced"
        )
        #expect(calls.count == before)
        syncing.allowsMassDelete = true
        #expect(words(try await syncing.run(.server)) == "synced" && calls.count == before + 1)
        #expect(syncing.problem == nil)
    }

    private func file(_ list: String, _ number: Int) -> String {
        work.root + "/tasks/\(list)/\(list)-\(number).ics"
    }

    /// vdirsyncer when the list `next` is empty on one side.
    private static let emptied = """
        case "$*" in *--force-delete*) touch forced; exit 0;; esac
        test -e forced && exit 0
        echo 'error: tasks/next: Storage "remote/next" was completely emptied. If you want to delete' >&2
        exit 1
        """

    @Test("a list whose last task was completed is emptied on both sides")
    func emptiedHere() async throws {
        let syncing = try syncing("exit 0")
        try fill("next", 1...1)
        _ = try await syncing.run(.server)
        try FileManager.default.removeItem(atPath: file("next", 1))
        #expect(words(try await self.syncing(Self.emptied).run(.server)) == "synced")
        #expect(calls == ["sync", "sync", "sync --force-delete tasks/next", "sync"])
    }

    @Test("a list that is suddenly empty on the server deletes no tasks here, unless the user allows it")
    func emptiedThere() async throws {
        _ = try await syncing("exit 0").run(.server)
        try fill("next", 1...8)
        _ = try await syncing("exit 0").run(.server)
        var syncing = try syncing(Self.emptied)
        #expect(
            words(try await syncing.run(.server))
                == "news: the tasks are not synced: the list next has no task on the server any more, and 8 here; nothing was deleted"
        )
        #expect(!calls.contains { $0.contains("--force-delete") })
        syncing.allowsMassDelete = true
        #expect(words(try await syncing.run(.server)) == "synced")
        #expect(calls.contains("sync --force-delete tasks/next"))
    }

    @Test("several lists that are empty on the server count together")
    func severalEmptied() async throws {
        for list in ["home", "next"] { try fill(list, 1...4) }
        _ = try await syncing("exit 0").run(.server)
        let script = Self.emptied.replacing(
            "exit 1",
            with: "echo 'error: tasks/home: Storage \"remote/home\" was completely emptied.' >&2; exit 1")
        #expect(
            words(try await syncing(script).run(.server))
                == "news: the tasks are not synced: the lists next, home have no task on the server any more, and 8 here; nothing was deleted"
        )
        #expect(!calls.contains { $0.contains("--force-delete") })
    }

    @Test("a failure is news once, keeps its beginning, and is over with the next sync")
    func failures() async throws {
        let first = try syncing("echo 'error: no route to host' >&2; exit 3")
        let failure = "the tasks are not synced: no route to host"
        #expect(words(try await first.run(.server)) == "news: " + failure)
        let later = try syncing(
            "echo 'error: no route to host' >&2; exit 3", at: Workplace.tuesday + Workplace.day)
        #expect(words(try await later.run(.change)) == "known: " + failure, "a failed sync is tried again")
        let state = TaskSyncState.read(work.root + "/.opus")
        #expect(state.failure?.since == Workplace.tuesday && state.failure?.times == 2)
        #expect(later.takeProblem()?.message == failure && later.takeProblem() == nil)
        #expect(later.problem?.message == failure, "a status shows it again and again")
        let other = try syncing("echo 'error: the password has expired' >&2; exit 3")
        #expect(words(try await other.run(.server)).hasPrefix("news: "))
        #expect(other.takeProblem() != nil)
        #expect(words(try await syncing("exit 0").run(.server)) == "synced")
        #expect(other.problem == nil && other.takeProblem() == nil)
    }

    @Test("a sync program that is missing is named")
    func noProgram() async throws {
        try work.configure("tasks: { sync-command: [no-such-program, sync] }")
        let syncing = try #require(
            TaskSyncing(try work.options().loadWorkspace(), clock: SessionClock(fixed: Workplace.tuesday)))
        #expect(
            words(try await syncing.run(.server))
                == "news: the tasks are not synced: program no-such-program not found")
        #expect(syncing.problem?.next == ["install it, or correct tasks.sync-command"])
    }

    @Test("a process that finds another one waiting for its turn leaves the sync to it")
    func waiting() async throws {
        let syncing = try syncing("exit 0")
        let place = try StateLock.take(path: work.root + "/.opus/tasks-sync.next")
        #expect(words(try await syncing.runAfterChange()) == "nothing" && calls.isEmpty)
        withExtendedLifetime(place) {}
    }

    @Test("a sync waits for the running one, but not longer than one may take")
    func busy() async throws {
        var syncing = try syncing("exit 0")
        syncing.limit = .zero
        let lock = try StateLock.take(path: work.root + "/.opus/tasks-sync.lock")
        #expect(words(try await syncing.run(.server)) == "busy" && calls.isEmpty)
        withExtendedLifetime(lock) {}
    }

    @Test("without a sync program, opus syncs nothing")
    func unconfigured() throws {
        #expect(
            TaskSyncing(try work.options().loadWorkspace(), clock: SessionClock(fixed: nil)) == nil)
    }

    @Test("a damaged state is like none, so that one more sync happens")
    func damagedState() async throws {
        let syncing = try syncing("exit 0")
        _ = try await syncing.run(.server)
        #expect(!syncing.isDue())
        try work.write("{\"lists\":", to: ".opus/tasks-sync.json")
        #expect(syncing.isDue())
        #expect(words(try await syncing.run(.change)) == "synced")
    }

    @Test("every change of a task file is noticed without reading it, and other files do not count")
    func look() throws {
        let folder = work.root + "/tasks"
        try fill("next", 1...2)
        let first = TaskFolderLook(folder)
        #expect(first.lists == ["next": 2] && first.total == 2)
        try work.write("x", to: "tasks/next/notes.txt")
        try work.write("x", to: "tasks/next/.hidden.ics")
        try work.write("x", to: "tasks/.trash/old.ics")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/next/link.ics", withDestinationPath: file("next", 1))
        #expect(TaskFolderLook(folder) == first)
        try FileManager.default.moveItem(atPath: file("next", 2), toPath: folder + "/next/renamed.ics")
        let renamed = TaskFolderLook(folder)
        #expect(renamed.digest != first.digest && renamed.lists == first.lists)
        let text = try work.read("tasks/next/next-1.ics")
        try work.write(text.replacing("Task 1", with: "Task one"), to: "tasks/next/next-1.ics")
        #expect(TaskFolderLook(folder).digest != renamed.digest)
        #expect(TaskFolderLook(work.root + "/missing").total == 0)
    }
}
