import Foundation
import MailStore
import Models
import TaskStore
import Testing

@testable import Executor

/// Steps on task files leave in the journal what was there before and what is there now.
@Suite struct DrainTaskTests {
    private func outcome(_ key: String, _ world: DrainWorld) throws -> StepOutcome? {
        try world.store.runs.runs(limit: 100).flatMap { try world.store.runs.run($0.id)?.steps ?? [] }
            .last { $0.idempotencyKey == key }?.outcome
    }

    private func content(_ id: String, _ world: DrainWorld) throws -> (path: String, bytes: [UInt8])? {
        try world.tasks.content(of: TodoID(id))
    }

    @Test func `a new task records its path and digest, and that no file existed before`() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.task("t1", for: "m1"))
        try await world.drain()
        let outcome = try #require(try outcome("task t1", world))
        #expect(outcome.path == "next/t1.ics")
        #expect(outcome.digest == (try world.tasks.file(for: TodoID("t1"))?.digest))
        #expect(outcome.pathBefore == nil && outcome.contentBefore == nil)
    }

    @Test func `a task that existed before is recorded as such`() async throws {
        let world = try await DrainWorld(["m1"])
        _ = try world.tasks.create(
            Todo(id: TodoID("t1"), list: .waiting, summary: "old"), now: Timestamp(seconds: 1))
        try world.queue(world.task("t1", for: "m1"))
        try await world.drain()
        #expect(try outcome("task t1", world)?.pathBefore == "waiting/t1.ics")
    }

    @Test func `a task written right before a crash counts as written by opus`() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.task("t1", for: "m1"))
        let ids = try world.store.journal.openSteps(of: work).compactMap(\.id)
        try world.store.journal.markIssued(ids)
        // Written by the run that was killed, at another time.
        _ = try world.tasks.create(
            Todo(id: TodoID("t1"), list: .next, summary: "t1"), now: Timestamp(seconds: 5))
        try world.reopen()
        try await world.drain()
        let outcome = try #require(try outcome("task t1", world))
        #expect(outcome.pathBefore == nil)
        #expect(outcome.digest != nil)
    }

    @Test func `a changed and a removed task record their former bytes, and can be restored`() async throws {
        let world = try await DrainWorld(["m1"])
        let file = try world.tasks.create(
            Todo(id: TodoID("t1"), list: .next, summary: "t1"), now: Timestamp(seconds: 1))
        let first = try #require(try content("t1", world))
        try world.queue(world.step("cancel", nil, .updateTodo(TodoID("t1"), TodoPatch(status: .cancelled))))
        try await world.drain()
        let changed = try #require(try outcome("cancel", world))
        #expect(changed.contentBefore == first.bytes && changed.pathBefore == first.path)
        try world.queue(
            world.step(
                "back", nil,
                .restoreTodo(TodoID("t1"), path: first.path, content: first.bytes, digest: changed.digest)))
        try await world.drain()
        #expect(try content("t1", world)?.bytes == first.bytes)
        try world.queue(world.step("gone", nil, .removeTodo(TodoID("t1"), digest: file.digest)))
        try await world.drain()
        #expect(try content("t1", world) == nil)
        #expect(try outcome("gone", world)?.contentBefore == first.bytes)
        #expect(try world.store.todos.todoFiles().isEmpty, "the next scan reports no deleted task")
        #expect(try world.evidence("gone") == "removed next/t1.ics")
    }

    @Test func `a removal completed before a crash keeps the former bytes`() async throws {
        let world = try await DrainWorld(["m1"])
        let file = try world.tasks.create(
            Todo(id: TodoID("t1"), list: .next, summary: "t1"), now: Timestamp(seconds: 1))
        let first = try #require(try content("t1", world))
        try world.queue(world.step("gone", nil, .removeTodo(TodoID("t1"), digest: file.digest)))
        let step = try #require(try world.store.journal.openSteps(of: work).first)
        var before = StepOutcome()
        before.pathBefore = first.path
        before.contentBefore = first.bytes
        let row = try #require(step.id)
        try world.store.journal.resolve([StepResult(id: row, state: .ready, outcome: before)])
        try world.store.journal.markIssued([row])
        try world.tasks.remove(TodoID("t1"), digest: file.digest)
        try world.reopen()
        try await world.drain()
        #expect(try world.state("gone") == .confirmed)
        #expect(try outcome("gone", world)?.contentBefore == first.bytes)
    }

    @Test func `a task edited in the meantime is not removed, and the step fails at once`() async throws {
        let world = try await DrainWorld(["m1"])
        _ = try world.tasks.create(
            Todo(id: TodoID("t1"), list: .next, summary: "t1"), now: Timestamp(seconds: 1))
        try world.queue(world.step("gone", nil, .removeTodo(TodoID("t1"), digest: "another")))
        try await world.drain()
        #expect(try world.state("gone") == .rejected)
        #expect(try content("t1", world) != nil)
    }
}
