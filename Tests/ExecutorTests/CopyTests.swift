import MailStore
import Models
import Testing

@testable import Executor

/// Moves on a server without MOVE: each half is in the journal before the next one begins.
@Suite("Copy, then remove")
struct CopyTests {
    private func world() async throws -> DrainWorld {
        let world = try await DrainWorld(["m1", "m2"])
        await world.sink.copyAndRemove()
        try world.queue(world.move("m1"), world.move("m2"))
        return world
    }

    @Test("only the copied message is removed")
    func both() async throws {
        let world = try await world()
        _ = try await world.drain()
        #expect(await world.sink.changes == ["copy INBOX 1,2 Archive", "remove INBOX 1,2"])
        #expect(try world.known(archive) == ["m1@1", "m2@2"])
    }

    @Test("the UIDs of the copies are stored before the originals are removed")
    func noted() async throws {
        let world = try await world()
        await world.sink.fail(.remove, .before(.lost("closed")))
        try await world.drain()
        let copied = try world.store.journal.openSteps(of: work).map { $0.outcome.copied?.uid }
        #expect(copied == [1, 2])
        await world.sink.forgetTroubles()
        try await world.drain()
        #expect(await world.sink.changes == ["remove INBOX 1", "remove INBOX 2"])
        #expect(try world.journal() == ["move m1: confirmed", "move m2: confirmed"])
        #expect(await world.subjects(archive) == ["m1", "m2"])
    }

    @Test(
        "without COPYUID the original stays until the next drain finds the copy and compares it"
    )
    func unproven() async throws {
        let world = try await world()
        await world.sink.hideCOPYUID()
        let first = try await world.drain()
        #expect(first.waiting.map(\.state) == [.unknown, .unknown])
        #expect(await world.subjects(inbox) == ["m1", "m2"])
        try await world.drain()
        #expect(await world.subjects(inbox) == [])
        #expect(await world.subjects(archive) == ["m1", "m2"])
    }

    @Test("a refused copy removes nothing")
    func refused() async throws {
        let world = try await world()
        await world.sink.fail(.copy, .before(.refused("NO over quota")))
        try await world.drain()
        #expect(await world.sink.changes == ["copy INBOX 1,2 Archive"])
        #expect(await world.subjects(inbox) == ["m1", "m2"])
    }

    @Test("an older copy in the destination is not taken for the new one")
    func olderCopy() async throws {
        let world = try await DrainWorld(["m1"])
        try await world.add(["m1"], to: archive)
        try world.queue(world.move("m1"))
        await world.sink.fail(.move, .before(.lost("closed")))
        try await world.drain()
        try await world.drain()
        #expect(try world.state("move m1") == .confirmed)
        #expect(await world.subjects(inbox) == [])
        #expect(await world.subjects(archive) == ["m1", "m1"])
    }

    @Test("if another program moved the message, the error names its new mailbox", arguments: [true, false])
    func elsewhere(_ isInTrash: Bool) async throws {
        let world = try await DrainWorld(["m1"])
        let trash = mailbox("Trash", .trash)
        try world.store.sync.saveMailboxes([inbox, archive, drafts, sent, trash], of: work)
        try world.queue(world.move("m1"))
        await world.sink.change(inbox.name) { $0.messages = [:] }
        if isInTrash { _ = await world.sink.put(.init(bytes: mail("m1")), in: trash.name) }
        let report = try await world.drain()
        let words = isInTrash ? "it to Trash" : "or removed it"
        #expect(report.rejected.map(\.error) == ["no longer in INBOX: another program moved \(words)"])
    }

    enum Hidden: CaseIterable {
        case noMessageID
        case lateSearch
        case newUIDValidity
    }

    @Test("after a lost answer to COPY nothing is copied again", arguments: Hidden.allCases)
    func copiedOnce(_ hidden: Hidden) async throws {
        let world = try await DrainWorld()
        try await world.add(["old"], to: archive)
        try await world.add(["m1", "m2"], hasMessageID: hidden != .noMessageID)
        await world.sink.copyAndRemove()
        if hidden == .lateSearch { await world.sink.findNothing() }
        try world.queue(world.move("m1"), world.move("m2"))
        await world.sink.fail(.copy, .after(.lost("closed")))
        try await world.drain()
        if hidden == .newUIDValidity {
            // The server numbers the messages anew: lower than UIDNEXT was before.
            await world.sink.change(archive.name) { box in
                let old = box.messages.sorted { $0.key < $1.key }.map(\.value)
                box = .init(uidValidity: 8)
                for stored in old[1...] + old[..<1] {
                    box.messages[box.uidNext] = stored
                    box.uidNext += 1
                }
            }
        }
        try await world.drain()
        #expect(await world.sink.changes == ["copy INBOX 1,2 Archive", "remove INBOX 1", "remove INBOX 2"])
        #expect(await world.subjects(archive).sorted() == ["m1", "m2", "old"])
        #expect(await world.subjects(inbox) == [])
        #expect(try world.journal() == ["move m1: confirmed", "move m2: confirmed"])
    }

    @Test("MOVE without COPYUID is found in the destination", arguments: [Hidden.noMessageID, .lateSearch])
    func movedOnce(_ hidden: Hidden) async throws {
        let world = try await DrainWorld()
        try await world.add(["m1"], hasMessageID: hidden != .noMessageID)
        await world.sink.hideCOPYUID()
        await world.sink.findNothing()
        try world.queue(world.move("m1"))
        let report = try await world.drain()
        #expect(report.rejected.isEmpty)
        #expect(try world.known(archive) == ["m1@1"])
    }

    @Test("while the server cannot remove the originals, they are not copied again")
    func busyRemoval() async throws {
        let world = try await world()
        await world.sink.fail(.remove, .before(.busy("NO [INUSE] locked")), times: 3)
        for _ in 1...3 { try await world.drain() }
        #expect(await world.subjects(inbox) == ["m1", "m2"])
        try await world.drain()
        #expect(await world.sink.changes.filter { $0.hasPrefix("copy") } == ["copy INBOX 1,2 Archive"])
        #expect(await world.subjects(inbox) == [])
        #expect(await world.subjects(archive) == ["m1", "m2"])
        #expect(try world.journal() == ["move m1: confirmed", "move m2: confirmed"])
    }

    @Test("if the copy is gone, the mark of the original is not copied")
    func markedOriginal() async throws {
        let world = try await DrainWorld(["m1"])
        await world.sink.copyAndRemove()
        try world.queue(world.move("m1"))
        await world.sink.fail(.remove, .before(.busy("NO [INUSE] locked")))
        try await world.drain()
        await world.sink.change(inbox.name) { $0.messages[1]?.flags = [.deleted] }
        await world.sink.change(archive.name) { $0.messages = [:] }
        try await world.drain()
        #expect(await world.sink.boxes[archive.name]?.messages.values.map(\.flags) == [[]])
        #expect(await world.subjects(inbox) == [])
    }

    @Test("messages that a server copied although it answered NO are not copied again")
    func copiedAndRefused() async throws {
        let world = try await world()
        await world.sink.fail(.copy, .after(.refusedSome("NO not now")))
        try await world.drain()
        #expect(await world.sink.changes.filter { $0.hasPrefix("copy") } == ["copy INBOX 1,2 Archive"])
        #expect(await world.subjects(archive) == ["m1", "m2"])
        #expect(await world.subjects(inbox) == [])
    }

    @Test(
        "a message that the server does not return waits, and is neither gone nor moved",
        arguments: [WayToMove.atOnce, .copyThenRemove])
    func unreadable(_ way: WayToMove) async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try await world.add(["m1"], to: archive)
        if case .copyThenRemove = way { await world.sink.copyAndRemove() }
        try world.queue(world.move("m1"), world.move("m2"))
        await world.sink.returnNothing(of: 1)
        let report = try await world.drain()
        #expect(report.waiting.map(\.error) == [View.notReturned])
        #expect(report.confirmed.map(\.idempotencyKey) == ["move m2"])
        #expect(await world.subjects(inbox) == ["m1"])
        await world.sink.returnNothing(of: nil)
        try await world.drain()
        #expect(await world.subjects(inbox) == [])
        #expect(try world.journal() == ["move m1: confirmed", "move m2: confirmed"])
    }
}
