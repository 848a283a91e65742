import MailStore
import Models
import Testing

@testable import Executor

/// The data of a step that its undo needs.
@Suite("Outcomes")
struct OutcomeTests {
    @Test("the earlier marks are recorded as found right before the change")
    func marks() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.mark("m1", add: [.seen], words: [Keyword("reading")]))
        await world.sink.change(inbox.name) {
            $0.messages[1]?.flags = [.flagged]
            $0.messages[1]?.keywords = [Keyword("old")]
        }
        try await world.drain()
        let outcome = try outcome(world, "mark m1")
        #expect(outcome?.flagsBefore == [.flagged])
        #expect(outcome?.keywordsBefore == [Keyword("old")])
    }

    @Test("the marks recorded before the first attempt are kept")
    func firstLook() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.mark("m1", add: [.seen]))
        await world.sink.fail(.store, .after(.lost("closed")))
        try await world.drain()
        try await world.drain()
        #expect(try world.state("mark m1") == .confirmed)
        #expect(try outcome(world, "mark m1")?.flagsBefore == [])
    }

    @Test("a step that was already done records the present marks, so undo changes nothing")
    func alreadyDone() async throws {
        let world = try await DrainWorld()
        try await world.add(["m1"], flags: [.seen])
        try world.queue(world.mark("m1", add: [.seen]))
        try await world.drain()
        #expect(try outcome(world, "mark m1")?.flagsBefore == [.seen])
    }

    @Test("a move and an append record the new place of the message")
    func places() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"), world.append("d1", for: nil))
        try await world.drain()
        let archived = MessageKey(account: work, mailbox: archive.name, uidValidity: 7, uid: 1)
        #expect(try outcome(world, "move m1")?.place == archived)
        #expect(try outcome(world, "move m1")?.destinationUIDNext == 1)
        let draft = MessageKey(account: work, mailbox: drafts.name, uidValidity: 7, uid: 1)
        #expect(try outcome(world, "append d1")?.place == draft)
    }

    @Test("an append that is found later records its place too")
    func foundAgain() async throws {
        let world = try await DrainWorld()
        try world.queue(world.append("d1", for: nil))
        await world.sink.fail(.append, .after(.lost("closed")))
        try await world.drain()
        try await world.drain()
        #expect(try outcome(world, "append d1")?.place?.uid == 1)
    }

    private func outcome(_ world: DrainWorld, _ key: String) throws -> StepOutcome? {
        try world.store.runs.runs(limit: 9).flatMap { try world.store.runs.run($0.id)?.steps ?? [] }
            .first { $0.idempotencyKey == key }?.outcome
    }
}
