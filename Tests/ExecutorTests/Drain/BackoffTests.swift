import MailStore
import Models
import Testing

@testable import Executor

/// When a refused step is tried again, what waits with it, and when it is given up.
@Suite("Backoff")
struct BackoffTests {
    @Test("a refused step waits 30 s, then 1, 2 and 4 minutes, and the fifth refusal is final")
    func refusals() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(world.move("m1"))
        await world.sink.fail(.move, .before(.refused("NO later")), times: 5)
        var time: Int64 = 10_000
        for wait: Int64 in [30, 60, 120, 240] {
            let report = try await world.drain(at: time)
            #expect(report.waiting.map(\.error) == ["NO later"])
            #expect(try due(world) == [time + wait])
            let early = try await world.drain(at: time + wait - 1)
            #expect(early.failures.isEmpty && early.confirmed.isEmpty)
            #expect(early.later.map(\.idempotencyKey) == ["move m1"])
            time += wait
        }
        let last = try await world.drain(at: time)
        #expect(last.rejected.map(\.error) == ["NO later"])
        #expect(await world.sink.changes.count == 5)
    }

    @Test("a refusal before the step was issued counts too")
    func refusedLooks() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"))
        await world.sink.fail(.look, .before(.refused("NO later")), times: 9)
        for _ in 1...5 { try await world.drain() }
        #expect(try world.state("move m1") == .rejected)
        #expect(await world.sink.changes == [])
    }

    @Test("a step that is not due delays only the later steps of its message")
    func notDue() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        var mark = try world.mark("m1", add: [.seen])
        mark.dueAt = Timestamp(seconds: 500)
        try world.queue(mark, world.move("m1"), world.move("m2"))
        let early = try await world.drain(at: 499)
        #expect(early.later.map(\.idempotencyKey) == ["mark m1", "move m1"])
        #expect(early.failures.isEmpty)
        #expect(await world.sink.changes == ["move INBOX 2 Archive"])
        try await world.drain(at: 500)
        #expect(try world.journal().allSatisfy { $0.hasSuffix(": confirmed") })
    }

    @Test("a step is due if its due time is further away than any wait")
    func wrongClock() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        var mark = try world.mark("m1", add: [.seen])
        mark.dueAt = Timestamp(seconds: 4_070_908_800)
        var other = try world.mark("m2", add: [.seen])
        other.dueAt = Timestamp(seconds: 1_000 + Step.longestWait)
        try world.queue(mark, other)
        let report = try await world.drain(at: 1_000)
        #expect(report.confirmed.map(\.idempotencyKey) == [mark.idempotencyKey])
        #expect(report.later.map(\.idempotencyKey) == [other.idempotencyKey])
    }

    @Test("a planned step waits for approval, and delays the steps that follow it")
    func planned() async throws {
        let world = try await DrainWorld(["m1"])
        var submit = world.submit("s1", for: nil)
        submit.state = .planned
        try world.queue(submit, world.append("s1", for: nil, to: sent), world.move("m1"))
        for _ in 1...3 { try await world.drain() }
        #expect(await world.submitter.tries == 0)
        #expect(await world.subjects(sent) == [])
        #expect(await world.subjects(archive) == ["m1"])
        try world.store.journal.approve(
            try world.store.journal.openSteps(of: work).prefix(1).compactMap(\.id))
        try await world.drain()
        #expect(await world.submitter.delivered.count == 1)
        #expect(await world.subjects(sent) == ["s1"])
    }

    @Test("a task that is not due delays the moves of its conversation")
    func conversation() async throws {
        let world = try await DrainWorld()
        try await world.add(["m1", "m2"], thread: "one")
        var task = world.task("t1", for: "m1")
        task.dueAt = Timestamp(seconds: 500)
        try world.queue(task, world.move("m2"))
        try await world.drain(at: 499)
        #expect(await world.sink.changes == [])
        try await world.drain(at: 500)
        #expect(await world.subjects(archive) == ["m2"])
    }

    @Test("refused mail waits 30 s, 2 and 8 minutes and longer, and fails after a day")
    func submissions() async throws {
        let world = try await DrainWorld()
        try world.queue(world.submit("s1", for: nil), world.append("s1", for: nil, to: sent))
        let refused = FakeSubmitter.Reply.refused(.notSent("452 later"), afterDot: false)
        await world.submitter.answer(refused, refused, refused, refused, refused, refused, refused, refused)
        var time: Int64 = 10_000
        for wait: Int64 in [30, 120, 480, 1_800, 3_600, 7_200] {
            try await world.drain(at: time)
            #expect(try due(world) == [time + wait, nil])
            time += wait
        }
        #expect(try world.state("submit s1") == .ready)
        let report = try await world.drain(at: 10_000 + 86_400)
        #expect(report.rejected.first?.error == "timed out after 24 hours: 452 later")
        #expect(try world.journal() == ["submit s1: rejected", "append s1: cancelled"])
        #expect(await world.subjects(sent) == [])
    }

    private func due(_ world: DrainWorld) throws -> [Int64?] {
        try world.store.journal.openSteps(of: work).map { $0.dueAt?.seconds }
    }

    @Test("after three lost connections a step waits, longer each time, and it is never given up")
    func lostConnections() {
        let now = Timestamp(seconds: 1_000)
        let waits = (1...12).map { Backoff.afterLosses($0, now: now).map { $0 - now } }
        #expect(waits.prefix(6) == [nil, nil, 30, 60, 120, 240])
        #expect(waits.suffix(3) == [900, 900, 900])
    }

    @Test("a command has fewer steps each time the connection was lost at it")
    func smallerGroups() {
        #expect((0...4).map { Backoff.groupSize(1_000, attempts: $0) } == [1_000, 1_000, 125, 1, 1])
        #expect(Backoff.groupSize(3, attempts: 2) == 1)
    }
}
