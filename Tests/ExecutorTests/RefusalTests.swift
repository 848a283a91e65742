import IMAPClient
import IMAPProtocol
import Models
import Testing

@testable import Executor

/// What a server's NO means: one table, and what becomes of a batch.
@Suite("Refusals")
struct RefusalTests {
    @Test(
        "every response code leads to its kind of refusal",
        arguments: [
            ("NOPERM", "UID MOVE", Refusal.never), ("CANNOT", "APPEND", .never),
            ("LIMIT", "UID STORE", .never),
            ("LIMIT", "UID MOVE", .later), ("INUSE", "UID MOVE", .whenFree),
            ("OVERQUOTA", "APPEND", .whenFree),
            ("UNAVAILABLE", "UID MOVE", .later), ("UNAVAILABLE", "UID STORE", .whenFree),
            ("THROTTLED", "UID STORE", .whenFree), ("UNAVAILABLE", "SELECT", .whenFree),
            ("EXPUNGEISSUED", "UID MOVE", .perMessage),
            ("NONEXISTENT", "UID STORE", .perMessage), ("NONEXISTENT", "STATUS", .noMailbox),
            ("NONEXISTENT", "SELECT", .never), ("UNAVAILABLE", "STATUS", .later),
            ("ALREADYEXISTS", "CREATE", .done),
            ("ODD", "UID MOVE", .perMessage), ("", "UID MOVE", .perMessage), ("", "APPEND", .later),
            ("", "STATUS", .noMailbox),
        ])
    func table(_ code: String, _ command: String, _ refusal: Refusal) {
        let name = code.isEmpty ? nil : ResponseCodeName(rawValue: code)
        #expect(RefusalTable.refusal(name, RefusalTable.Wish(command: command)) == refusal)
    }

    @Test(
        "a server that has no space left may say so only in its text",
        arguments: [
            ("ALERT", "APPEND", "You exceeded your mail quota.", true), ("", "UID COPY", "Over quota", true),
            ("", "APPEND", "not now", false), ("UNAVAILABLE", "APPEND", "quota service is down", false),
            ("", "CREATE", "quota", false),
        ])
    func full(_ code: String, _ command: String, _ text: String, _ isFull: Bool) {
        let name = code.isEmpty ? nil : ResponseCodeName(rawValue: code)
        #expect(RefusalTable.saysFull(name, text, RefusalTable.Wish(command: command)) == isFull)
    }

    @Test("a missing message does not delay the others")
    func gone() async throws {
        let world = try await DrainWorld(["m1", "m2", "m3"])
        for name in ["m1", "m2", "m3"] { try world.queue(world.move(name)) }
        await world.sink.fail(.move, .before(.refusedSome("NO some are gone")))
        let report = try await world.drain(at: 10_000)
        #expect(report.confirmed.count == 3)
        #expect(report.waiting.isEmpty)
    }

    @Test("a message that is refused alone waits alone")
    func alone() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        for name in ["m1", "m2"] { try world.queue(world.move(name)) }
        await world.sink.fail(.move, .before(.refusedSome("NO")), times: 2)
        let report = try await world.drain(at: 10_000)
        #expect(report.confirmed.count == 1)
        #expect(report.waiting.map(\.error) == ["NO"])
    }

    @Test("if the server refuses everything, opus does not try each message")
    func all() async throws {
        let names = (1...200).map { "m\($0)" }
        let world = try await DrainWorld(names)
        for name in names { try world.queue(world.move(name)) }
        await world.sink.fail(.move, .before(.refusedSome("NO")), times: 1_000)
        let report = try await world.drain(at: 10_000)
        #expect(report.waiting.count == 200)
        let changes = await world.sink.changes.count
        #expect(changes <= 20)
    }

    @Test("if the server never accepts a label, the other marks are set and the message is moved")
    func label() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.mark("m1", add: [.seen], words: [Keyword("work")]), world.move("m1"))
        await world.sink.fail(.store, .before(.unsupported("NO [LIMIT]")))
        let report = try await world.drain(at: 10_000)
        #expect(report.rejected.map(\.error) == ["NO [LIMIT]; the rest was done without the label work"])
        #expect(await world.subjects(archive) == ["m1"])
        #expect(await world.sink.changes.count { $0.hasPrefix("store") } == 2)
    }

    @Test("a label that the server refuses again and again is left out at last")
    func labelAgain() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.mark("m1", words: [Keyword("work")]), world.move("m1"))
        await world.sink.fail(.store, .before(.refused("BAD")), times: 4)
        for number in 1...4 {
            let report = try await world.drain(at: 10_000 * Int64(number))
            #expect(report.waiting.count == 2)
        }
        let report = try await world.drain(at: 50_000)
        #expect(report.rejected.map(\.error) == ["BAD; the rest was done without the label work"])
        #expect(await world.subjects(archive) == ["m1"])
    }

    @Test("a flag that the server refuses, at once or each time, does not stop the move", arguments: [1, 5])
    func flag(tries: Int) async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.mark("m1", add: [.flagged]), world.move("m1"))
        let refusal = tries == 1 ? SinkError.unsupported("NO [NOPERM]") : .refused("NO")
        await world.sink.fail(.store, .before(refusal), times: tries)
        for number in 1..<tries {
            let report = try await world.drain(at: 10_000 * Int64(number))
            #expect(report.waiting.count == 2)
        }
        let report = try await world.drain(at: 100_000)
        #expect(report.rejected.count == 1)
        #expect(await world.subjects(archive) == ["m1"])
    }
}
