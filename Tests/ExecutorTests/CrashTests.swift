import MailStore
import Models
import Testing

@testable import Executor

/// The process is killed, or the connection lost, at every call to the account; then the journal is drained again.
@Suite("Crash at every call")
struct CrashTests {
    enum Ending: String, CaseIterable, Sendable {
        /// The call never arrived.
        case lostBefore
        /// The call was carried out, its answer was lost.
        case lostAfter
        case killedBefore
        case killedAfter
    }

    private static let messages = ["m1", "m2", "m3", "m4", "m5"]

    /// Something of everything.
    private func queue(_ world: DrainWorld) throws {
        try world.queue(
            world.task("t1", for: "m1"), world.mark("m1", add: [.seen]), world.move("m1"),
            world.move("m2"),
            world.task("t3", for: "m3"), world.append("d3", for: "m3"), world.move("m3"),
            world.submit("s4", for: "m4"), world.append("s4", for: "m4", to: sent), world.move("m4"),
            world.mark("m5", add: [.flagged], words: [Keyword("reading")]))
    }

    private func calls(provingMoves: Bool) async throws -> Int {
        let world = try await DrainWorld(Self.messages)
        if !provingMoves { await world.sink.hideCOPYUID() }
        try queue(world)
        try await world.drain()
        return await world.sink.calls
    }

    @Test(
        "after a crash at any call, every message, task and copy exists once, and mail is sent once",
        arguments: Ending.allCases, [true, false])
    func everyCall(ending: Ending, provingMoves: Bool) async throws {
        let count = try await calls(provingMoves: provingMoves)
        try #require(count > 10)
        for number in 1...count {
            let world = try await DrainWorld(Self.messages)
            if !provingMoves { await world.sink.hideCOPYUID() }
            try queue(world)
            let lost = SinkError.lost("at call \(number)")
            switch ending {
            case .lostBefore: await world.sink.failCall(number, .before(lost))
            case .lostAfter: await world.sink.failCall(number, .after(lost))
            case .killedBefore: await world.sink.failCall(number, .before(lost), kill: world.kill)
            case .killedAfter: await world.sink.failCall(number, .after(lost), kill: world.kill)
            }
            _ = try? await world.drain()
            try world.reopen()
            try await world.drain()
            // After a crash, sending is paused until the user confirms; the following steps wait too.
            let planned = try world.store.journal.openSteps(of: work).filter { $0.state == .planned }
            if !planned.isEmpty {
                #expect(ending == .killedBefore || ending == .killedAfter)
                try world.store.journal.approve(planned.compactMap(\.id))
                try await world.drain()
            }
            try await check(world, "\(ending) at call \(number)")
        }
    }

    private func check(_ world: DrainWorld, _ when: Comment) async throws {
        #expect(try world.journal().filter { !$0.hasSuffix(": confirmed") } == [], when)
        #expect(await world.subjects(inbox) == ["m5"], when)
        #expect(await world.subjects(archive).sorted() == ["m1", "m2", "m3", "m4"], when)
        #expect(await world.subjects(drafts) == ["d3"], when)
        #expect(await world.subjects(sent) == ["s4"], when)
        #expect(await world.submitter.tries == 1, when)
        #expect(try world.taskFiles() == ["t1", "t3"], when)
        #expect(try world.known(inbox) == ["m5@5"], when)
        #expect(try world.known(archive).map { $0.prefix(2) }.sorted() == ["m1", "m2", "m3", "m4"], when)
        let marked = await world.sink.boxes[inbox.name]?.messages[5]
        #expect(marked?.flags == [.flagged], when)
        #expect(marked?.keywords == [Keyword("reading")], when)

        await world.sink.forgetTroubles()
        let second = try await world.drain()
        #expect(second.confirmed.isEmpty, when)
        #expect(await world.sink.log.isEmpty, when)
    }
}
