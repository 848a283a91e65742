import MailStore
import Models
import TaskStore
import Testing

@testable import Executor

/// Refusals, lost answers, and what the next drain makes of them.
@Suite("Drain with failures")
struct DrainFailureTests {
    @Test("a refused step is tried again, and fails after five attempts")
    func fiveRefusals() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"))
        await world.sink.fail(.move, .before(.refused("NO over quota")), times: 9)
        for attempt in 1...5 {
            let report = try await world.drain()
            #expect((attempt < 5 ? report.waiting : report.rejected).map(\.error) == ["NO over quota"])
        }
        #expect(try world.state("move m1") == .rejected)
        #expect(await world.sink.changes.count == 5)
        #expect(await world.subjects(inbox) == ["m1"])
    }

    @Test("a step succeeds after a refusal that was temporary")
    func refusedOnce() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"))
        await world.sink.fail(.move, .before(.refused("NO try later")))
        try await world.drain()
        try await world.drain()
        #expect(try world.state("move m1") == .confirmed)
        #expect(await world.subjects(archive) == ["m1"])
    }

    @Test("a label that the account does not support is not tried again, and the rest of the rule is done")
    func unsupportedLabel() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.mark("m1", words: [Keyword("reading")]), world.move("m1"))
        await world.sink.fail(.store, .before(.unsupported("no new keywords here")))
        let report = try await world.drain()
        #expect(
            report.rejected.map(\.error)
                == ["no new keywords here; the rest was done without the label reading"])
        #expect(try world.journal() == ["mark m1: rejected", "move m1: confirmed"])
        #expect(await world.subjects(archive) == ["m1"])
    }

    @Test("a move that the account does not support is not tried again")
    func unsupportedMove() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"))
        await world.sink.fail(.move, .before(.unsupported("no moves here")))
        #expect(try await world.drain().rejected.map(\.error) == ["no moves here"])
        #expect(try world.state("move m1") == .rejected)
        #expect(await world.subjects(inbox) == ["m1"])
    }

    @Test("marks for a place that the message has left do not delay its next move")
    func leftMeanwhile() async throws {
        let world = try await DrainWorld(["m1"])
        let mark = world.step(
            "mark m1", "m1",
            .store(
                MessageKey(account: work, mailbox: drafts.name, uidValidity: 7, uid: 99), addFlags: [.seen],
                removeFlags: [],
                addKeywords: [], removeKeywords: []))
        try world.queue(mark, world.move("m1"))
        try await world.drain()
        let journal = try world.journal()
        #expect(journal == ["mark m1: rejected", "move m1: confirmed"])
    }

    @Test("a move whose reply was lost is found, and confirmed without a second command")
    func lostAfterMove() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(world.move("m1"), world.move("m2"))
        await world.sink.fail(.move, .after(.lost("closed")))
        let report = try await world.drain()
        #expect(report.interruption == "closed")
        #expect(report.waiting.map(\.state) == [.unknown, .unknown])
        await world.sink.forgetTroubles()
        try await world.drain()
        #expect(await world.sink.changes.isEmpty)
        #expect(try world.journal() == ["move m1: confirmed", "move m2: confirmed"])
        #expect(try world.known(archive) == ["m1@1", "m2@2"])
    }

    @Test("a move that did not reach the server is made once")
    func lostBeforeMove() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"))
        await world.sink.fail(.move, .before(.lost("closed")))
        try await world.drain()
        #expect(try world.state("move m1") == .unknown)
        try await world.drain()
        #expect(try world.state("move m1") == .confirmed)
        #expect(await world.subjects(archive) == ["m1"])
    }

    @Test(
        "after a lost reply, an existing copy is kept and the original is removed"
    )
    func halfMoved() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"))
        await world.sink.fail(.move, .halfway)
        try await world.drain()
        await world.sink.forgetTroubles()
        let report = try await world.drain()
        #expect(report.confirmed.map(\.idempotencyKey) == ["move m1"])
        #expect(await world.sink.changes == ["remove INBOX 1"])
        #expect(await world.subjects(inbox) == [])
        #expect(await world.subjects(archive) == ["m1"])
        #expect(try world.known(archive) == ["m1@1"])
    }

    @Test(
        "if the two copies differ or cannot be removed alone, both stay and the user decides",
        arguments: [false, true])
    func halfMovedUnsure(_ differs: Bool) async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"))
        await world.sink.fail(.move, .halfway)
        try await world.drain()
        await world.sink.forgetTroubles()
        if differs {
            await world.sink.change(archive.name) { $0.messages[1]?.bytes += Array("more\r\n".utf8) }
        } else {
            await world.sink.removeNothingAlone()
        }
        let report = try await world.drain()
        #expect(report.undecided.map(\.idempotencyKey) == ["move m1"])
        #expect(try world.error("move m1") == "it is in INBOX and in Archive: remove one of them")
        #expect(await world.sink.changes == [])
    }

    @Test("after a lost connection, the next drain makes the rest")
    func interruption() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(world.mark("m1", add: [.seen]), world.move("m1"), world.move("m2"))
        await world.sink.fail(.store, .after(.lost("closed")))
        let report = try await world.drain()
        #expect(report.waiting.map(\.idempotencyKey).sorted() == ["mark m1", "move m1", "move m2"])
        await world.sink.forgetTroubles()
        try await world.drain()
        #expect(await world.sink.changes == ["move INBOX 1,2 Archive"])
    }

    @Test("marks that the server ignored are set again")
    func marksNotTaken() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.mark("m1", add: [.seen]))
        await world.sink.fail(.store, .before(.refused("NO read only")))
        try await world.drain()
        try await world.drain()
        #expect(await world.sink.boxes[inbox.name]?.messages[1]?.flags == [.seen])
        #expect(try world.state("mark m1") == .confirmed)
    }

    @Test("an append whose reply was lost is found by its token, not repeated")
    func lostAfterAppend() async throws {
        let world = try await DrainWorld()
        try world.queue(world.append("d1", for: nil))
        await world.sink.fail(.append, .after(.lost("closed")))
        try await world.drain()
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d1"])
        #expect(try world.evidence("append d1") == "found as UID 1")
    }

    @Test("an append that did not reach the server is made once")
    func lostBeforeAppend() async throws {
        let world = try await DrainWorld()
        try world.queue(world.append("d1", for: nil))
        await world.sink.fail(.append, .before(.lost("closed")))
        try await world.drain()
        try await world.drain()
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d1"])
    }

    @Test("a task file written before a crash is not written twice")
    func killedAfterTask() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.task("t1", for: "m1"), world.move("m1"))
        let steps = try world.store.journal.openSteps(of: work)
        try world.store.journal.markIssued(steps.prefix(1).compactMap(\.id))
        _ = try world.tasks.create(
            Todo(id: TodoID("t1"), list: .next, summary: "t1"), now: Timestamp(seconds: 1))
        try await world.drain()
        #expect(try world.taskFiles() == ["t1"])
        #expect(try world.journal() == ["task t1: confirmed", "move m1: confirmed"])
    }

    @Test("a change of a missing task fails after five attempts")
    func updateOfNothing() async throws {
        let world = try await DrainWorld()
        try world.queue(
            world.step("update", nil, .updateTodo(TodoID("nobody"), TodoPatch(status: .completed))))
        for _ in 1...5 { try await world.drain() }
        #expect(try world.state("update") == .rejected)
        #expect(try world.error("update") == "no task file has the UID nobody")
    }
}
