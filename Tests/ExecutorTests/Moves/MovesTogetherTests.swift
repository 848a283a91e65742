import Models
import Synchronization
import Testing

@testable import Executor
@testable import MailStore

/// Moves from one mailbox into several: one look, one note in the journal, a command for each destination.
@Suite("Moves together")
struct MovesTogetherTests {
    private let later = mailbox("Later")
    private let work2 = mailbox("Projects")

    private func world() async throws -> DrainWorld {
        let world = try await DrainWorld(["a", "b", "c", "d"])
        for box in [later, work2] { try await world.sink.create(box) }
        try world.store.sync.saveMailboxes([inbox, archive, drafts, sent, later, work2], of: work)
        try world.queue(
            world.move("a"), world.move("b", to: later), world.move("c"), world.move("d", to: work2))
        await world.sink.forgetTroubles()
        return world
    }

    @Test("one check covers all moves, and each destination has one command")
    func commands() async throws {
        let world = try await world()
        let before = world.store.file.commits.load(ordering: .relaxed)
        let report = try await world.drain()
        #expect(report.confirmed.count == 4)
        #expect(
            world.store.file.commits.load(ordering: .relaxed) - before <= 8,
            "recovery, one issue, one a destination")
        let log = await world.sink.log
        #expect(log.count { $0.hasPrefix("look") } == 1, "\(log)")
        #expect(
            log.filter { $0.hasPrefix("move") } == [
                "move INBOX 1,3 Archive", "move INBOX 2 Later", "move INBOX 4 Projects",
            ])
        #expect(await world.subjects(archive) == ["a", "c"])
        #expect(try world.known(later) == ["b@1"])
    }

    @Test("after a lost reply, the sent move is checked and the unsent ones count no attempt")
    func lost() async throws {
        let world = try await world()
        await world.sink.fail(.move, .after(.lost("cut")), times: 1)
        let first = try await world.drain()
        #expect(first.confirmed.isEmpty)
        #expect(
            try world.journal() == [
                "move a: unknown", "move b: ready", "move c: unknown", "move d: ready",
            ])
        #expect(try world.error("move b") == "not sent: cut")
        let open = try world.store.journal.openSteps(of: work)
        #expect(open.map(\.attempts) == [1, 0, 1, 0])
        let second = try await world.drain()
        #expect(second.confirmed.count == 4)
        #expect(await world.subjects(archive) == ["a", "c"], "moved once")
        #expect(await world.subjects(inbox) == [])
    }

    @Test("a proven move stays confirmed when the connection is lost later")
    func lostLater() async throws {
        let world = try await world()
        await world.sink.failCall(try await call(ofMove: 1), .before(.lost("cut")))
        let report = try await world.drain()
        #expect(report.confirmed.count == 2)
        #expect(
            try world.journal() == [
                "move a: confirmed", "move b: unknown", "move c: confirmed", "move d: ready",
            ])
        #expect(try await world.drain().confirmed.count == 2)
        #expect(await world.subjects(inbox) == [])
    }

    @Test("a refusal affects only its own destination")
    func refused() async throws {
        let world = try await world()
        await world.sink.fail(.move, .before(.refused("over quota")))
        let report = try await world.drain()
        #expect(report.confirmed.count == 2)
        #expect(
            try world.journal() == [
                "move a: ready", "move b: confirmed", "move c: ready", "move d: confirmed",
            ])
        #expect(try world.error("move a") == "over quota")
        #expect(try await world.drain().confirmed.count == 2)
    }

    @Test("without COPYUID each move is verified before it counts as done")
    func unproven() async throws {
        let world = try await world()
        await world.sink.hideCOPYUID()
        let report = try await world.drain()
        #expect(report.confirmed.count == 4)
        #expect(try world.evidence("move a") == "already in Archive")
        #expect(report.alreadyDone == 0, "it was we who moved it")
    }

    @Test("a missing or replaced message is rejected, and the other moves continue")
    func unusual() async throws {
        let world = try await world()
        await world.sink.change(inbox.name) { box in
            box.messages[2] = nil
            box.messages[4] = box.messages[1]
        }
        let report = try await world.drain()
        #expect(report.confirmed.count == 2)
        #expect(
            try world.journal() == [
                "move a: confirmed", "move b: rejected", "move c: confirmed", "move d: rejected",
            ])
        #expect(try world.error("move d") == "another message is in its place")
    }

    @Test("a batch has at most a thousand messages")
    func batches() {
        let group = { (from: Mailbox, to: Mailbox, count: Int) in
            (
                MoveGroup(mailbox: from.name, destination: to),
                (0..<count).map { number in
                    let key = MessageKey(
                        account: work, mailbox: from.name, uidValidity: 7, uid: UInt32(number + 1))
                    return PlacedStep(
                        step: Step(
                            idempotencyKey: "\(to.displayName) \(number)", message: nil, cause: .rule("r"),
                            kind: .move(key, to: to)), key: key)
                }
            )
        }
        let batches = MovesTogether.batches(
            [
                group(inbox, archive, 1_000), group(inbox, archive, 500), group(inbox, later, 500),
                group(inbox, work2, 1), group(sent, archive, 1),
            ], of: 1_000)
        #expect(batches.map { $0.map(\.members.count) } == [[1_000], [500, 500], [1], [1]])
    }

    @Test("the next batch is checked once, before its moves")
    func ahead() async throws {
        let world = try await world()
        let report = try await world.drain(groupSize: 2)
        #expect(report.confirmed.count == 4)
        let log = await world.sink.log
        #expect(
            log.filter { $0.hasPrefix("look") || $0.hasPrefix("move") } == [
                "look INBOX 1,3", "move INBOX 1,3 Archive", "look INBOX 2,4", "move INBOX 2 Later",
                "move INBOX 4 Projects",
            ])
        #expect(await world.subjects(inbox) == [])
    }

    @Test(
        "after a search for single messages, the next batch is checked again before its moves")
    func againAfterQuestions() async throws {
        let world = try await world()
        await world.sink.hideCOPYUID()
        let report = try await world.drain(groupSize: 2)
        #expect(report.confirmed.count == 4)
        let log = await world.sink.log
        let next = try #require(log.firstIndex(of: "move INBOX 2 Later"))
        #expect(
            log[..<next].last { $0.hasPrefix("look") || $0.hasPrefix("find") } == "look INBOX 2,4", "\(log)")
    }

    @Test(
        "an unverified move is unknown after a lost connection, and a refused one stays ready"
    )
    func unprovenAndLost() async throws {
        let world = try await world()
        await world.sink.hideCOPYUID()
        await world.sink.failCall(try await call(ofMove: 1), .before(.refused("over quota")))
        await world.sink.failCall(try await call(ofMove: 2) + 1, .before(.lost("cut")))
        let first = try await world.drain()
        #expect(first.interruption == "cut")
        #expect(
            try world.journal() == [
                "move a: unknown", "move b: ready", "move c: unknown", "move d: confirmed",
            ])
        #expect(try await world.drain().confirmed.count == 3)
        #expect(await world.subjects(inbox) == [])
        #expect(await world.subjects(archive) == ["a", "c"], "moved once")
    }

    @Test("a missing or replaced message in a later batch is rejected, and the other moves continue")
    func unusualAhead() async throws {
        let world = try await world()
        await world.sink.change(inbox.name) { box in
            box.messages[2] = nil
            box.messages[4] = box.messages[1]
        }
        let report = try await world.drain(groupSize: 2)
        #expect(report.confirmed.count == 2)
        #expect(
            try world.journal() == [
                "move a: confirmed", "move b: rejected", "move c: confirmed", "move d: rejected",
            ])
    }

    /// Which of the calls of a drain is this MOVE, counted from 0.
    private func call(ofMove number: Int) async throws -> Int {
        let world = try await world()
        try await world.drain()
        let log = await world.sink.log
        return log.indices.filter { log[$0].hasPrefix("move") }[number] + 1
    }
}
