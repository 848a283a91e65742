import MailStore
import Models
import Testing

@testable import Executor

/// Logins that are refused, servers that are not there: what stops, what goes on, and what counts.
@Suite("Halts")
struct HaltTests {
    @Test(
        "a login refused for sending stops the outbox without counting an attempt, and the rest of the account continues"
    )
    func loginRefused() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.submit("s1", for: nil), world.submit("s2", for: nil), world.move("m1"))
        let refusal = FakeSubmitter.Reply.refused(.loginRefused("535 no"), afterDot: false)
        await world.submitter.answer(
            refusal, refusal, refusal, refusal, refusal, refusal)
        for _ in 1...6 {
            let report = try await world.drain()
            #expect(report.halt == nil && report.interruption == nil)
            #expect(report.refusedSending == "535 no")
            #expect(report.rejected.isEmpty)
        }
        #expect(await world.submitter.tries == 6)
        #expect(await world.subjects(archive) == ["m1"])
        #expect(try world.store.journal.openSteps(of: work).map(\.attempts) == [0, 0])
        try await world.drain()
        #expect(await world.submitter.delivered.count == 2)
    }

    @Test("an unreachable mail server is tried once per drain, and the rest of the account continues")
    func unreachable() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(
            world.submit("s1", for: nil), world.submit("s2", for: nil),
            world.append("s2", for: nil, to: sent),
            world.move("m1"))
        await world.submitter.answer(.refused(.unreachable("refused"), afterDot: false))
        let report = try await world.drain()
        #expect(report.waiting.map(\.idempotencyKey) == ["submit s1", "submit s2", "append s2"])
        #expect(await world.submitter.tries == 1)
        // Each mail that was due has had its attempt, so each is given up after the same time.
        #expect(try world.store.journal.openSteps(of: work).map(\.attempts) == [1, 1, 0])
        #expect(
            try world.store.journal.openSteps(of: work).map { $0.triedSince != nil } == [true, true, false])
        #expect(await world.subjects(archive) == ["m1"])
        try await world.drain()
        #expect(await world.submitter.delivered.count == 2)
    }

    @Test("offline, task files are written, and everything else waits untried")
    func offline() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.task("t1", for: "m1"), world.mark("m1", add: [.seen]), world.move("m1"))
        for _ in 1...7 {
            let report = try world.offline().runOffline(because: "no route", .offline)
            #expect(report.halt == .offline)
            #expect(report.waiting.map(\.idempotencyKey) == ["mark m1", "move m1"])
        }
        #expect(try world.taskFiles() == ["t1"])
        #expect(try world.store.journal.openSteps(of: work).map(\.attempts) == [0, 0])
        #expect(await world.sink.log == [])
        try await world.drain()
        #expect(try world.journal().allSatisfy { $0.hasSuffix(": confirmed") })
    }
}
