import DialectServer
import IMAPClient
import MailStore
import Models
import Synchronization
import Testing

@testable import Executor

/// Moves into three mailboxes over a real connection, all on the wire at once: what the server hears, and where everything
/// is when the connection ends in the middle.
@Suite("Pipelined moves")
struct PipelinedMovesTests {
    private let boxes = [mailbox("Archive", .archive), mailbox("Projects"), mailbox("Later")]
    private let names = ["m1", "m2", "m3", "m4", "m5", "m6"]

    private func with(_ body: (SinkWorld) async throws -> Void) async throws {
        try await SinkWorld.with(.dovecot) { world in
            for box in boxes { try await world.sink.create(box) }
            let keys = try world.deliver(names)
            for (index, (name, key)) in zip(names, keys).enumerated() {
                try world.queue("k\(index)", name, .move(key, to: boxes[index % 3]))
            }
            try await body(world)
        }
    }

    private func isSettled(_ world: SinkWorld) -> Bool {
        world.subjects("INBOX").isEmpty && world.subjects("Archive") == ["m1", "m4"]
            && world.subjects("Projects") == ["m2", "m5"] && world.subjects("Later") == ["m3", "m6"]
    }

    @Test(
        "all destinations are checked before the first move, with one move command for each"
    )
    func together() async throws {
        try await with { world in
            #expect(try await world.drain().confirmed.count == 6)
            #expect(isSettled(world))
            #expect(
                world.changes.filter { $0.hasPrefix("UID MOVE") } == [
                    "UID MOVE 1,4 Archive", "UID MOVE 2,5 Projects", "UID MOVE 3,6 Later",
                ])
            let heard = world.server.transcript.map(\.name)
            let first = try #require(heard.firstIndex(of: "UID MOVE"))
            #expect(heard[first...].prefix(3) == ["UID MOVE", "UID MOVE", "UID MOVE"])
            #expect(world.server.violations == [])
        }
    }

    @Test(
        "after a lost connection during moves, the next drain finds every message once",
        arguments: [
            Fault.Effect.closeBeforeReply, .closeAfterDoing, .closeBeforeEnd, .closeAfterOctets(20), .bye,
        ], [(0, 6), (1, 6), (2, 6), (0, 2), (1, 2), (2, 2)])
    func cut(_ effect: Fault.Effect, _ place: (skipping: Int, groupSize: Int)) async throws {
        let skipping = place.skipping
        try await with { world in
            world.server.arm(Fault(effect, at: "UID MOVE", skipping: skipping))
            let first = try await world.drain(groupSize: place.groupSize)
            #expect(first.confirmed.count == 2 * skipping, "what was proven before stays proven")
            #expect(first.rejected.isEmpty && first.undecided.isEmpty)
            try await world.reconnect()
            let second = try await world.drain(groupSize: place.groupSize)
            #expect(first.confirmed.count + second.confirmed.count == 6)
            #expect(isSettled(world))
            #expect(world.server.violations == [])
        }
    }

    @Test("after a lost connection during a check, nothing counts as sent")
    func cutLooking() async throws {
        try await with { world in
            world.server.arm(Fault(.closeBeforeReply, at: "UID FETCH", skipping: 1))
            let first = try await world.drain(groupSize: 2)
            #expect(first.confirmed.count == 2)
            #expect(first.interruption != nil)
            let open = try world.store.journal.openSteps(of: work)
            #expect(open.allSatisfy { $0.state == .ready && $0.issuedAt == nil }, "nothing was sent of them")
            try await world.reconnect()
            #expect(try await world.drain(groupSize: 2).confirmed.count == 4)
            #expect(isSettled(world))
        }
    }

    @Test("a destination that refuses delays its own messages only")
    func refused() async throws {
        try await with { world in
            world.server.arm(
                Fault(.refuse(status: "NO", code: "OVERQUOTA"), at: "UID MOVE", skipping: 1))
            let first = try await world.drain()
            #expect(first.confirmed.count == 4)
            #expect(world.subjects("INBOX") == ["m2", "m5"])
            let second = try await world.drain()
            #expect(second.confirmed.count == 2)
            #expect(isSettled(world))
        }
    }

    @Test("if the mailbox cannot be opened, each move reports the refusal")
    func unopened() async throws {
        try await with { world in
            _ = try await world.client.mailboxes.select(boxes[0].name.bytes)
            world.server.arm(Fault(.refuse(status: "NO", code: nil), at: "SELECT"))
            let refused = Mutex<[Int]>([])
            let orders = boxes.map { MoveOrder(targets: [Target(uid: 1)], destination: $0) }
            await world.sink.move(orders, from: .inbox) { answer in
                if case .failure(.refused) = answer.result { refused.withLock { $0.append(answer.order) } }
            }
            let indices = refused.withLock(\.self)
            #expect(indices == [0, 1, 2])
            #expect(world.changes.allSatisfy { !$0.hasPrefix("UID MOVE") })
        }
    }
}
