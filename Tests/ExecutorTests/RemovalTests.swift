import MailStore
import Models
import Testing

@testable import Executor

/// A draft of ours goes: exactly that one, after its header was read again.
@Suite("Removals")
struct RemovalTests {
    private func world() async throws -> DrainWorld {
        let world = try await DrainWorld()
        _ = await world.sink.put(.init(bytes: mail("d1")), in: drafts.name)
        _ = await world.sink.put(.init(bytes: mail("d2")), in: drafts.name)
        return world
    }

    private func removal(_ world: DrainWorld, uid: UInt32 = 1, validity: UInt32 = 7, of name: String = "d1")
        -> Step
    {
        let key = MessageKey(account: work, mailbox: drafts.name, uidValidity: validity, uid: uid)
        let versions = DraftVersions(own: [MessageDigest.of(mail(name))])
        return world.step(
            "remove \(name)", nil, .remove(key, token: token(name), versions: versions))
    }

    @Test("only the draft with the Message-ID is removed")
    func removed() async throws {
        let world = try await world()
        try world.queue(removal(world))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d2"])
        #expect(try world.evidence("remove d1") == "removed UID 1")
    }

    @Test("another message at the UID is kept, and the draft is found in its place")
    func another() async throws {
        let world = try await world()
        try world.queue(removal(world, uid: 2))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d2"])
    }

    @Test("a version that another program saved under the same Message-ID is kept")
    func savedAgain() async throws {
        let world = try await world()
        await world.sink.change(drafts.name) {
            $0.messages[1]?.bytes += Array("a newer line\r\n".utf8)
        }
        try world.queue(removal(world))
        let report = try await world.drain()
        #expect(report.rejected.isEmpty)
        #expect(await world.subjects(drafts) == ["d1", "d2"])
        #expect(
            try world.evidence("remove d1")
                == "another program saved it again: that version stays in Drafts")
        #expect(await world.sink.changes == [])
    }

    @Test("if two versions exist, only the known one is removed")
    func both() async throws {
        let world = try await world()
        _ = await world.sink.put(
            .init(bytes: mail("d1") + Array("a newer line\r\n".utf8)), in: drafts.name)
        try world.queue(removal(world))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d2", "d1"])
    }

    @Test("without a digest nothing is removed")
    func unknown() async throws {
        let world = try await world()
        let key = MessageKey(account: work, mailbox: drafts.name, uidValidity: 7, uid: 1)
        try world.queue(world.step("remove d1", nil, .remove(key, token: token("d1"), versions: nil)))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d1", "d2"])
    }

    @Test("after a new UIDVALIDITY the draft is found by its Message-ID")
    func renumbered() async throws {
        let world = try await world()
        try world.queue(removal(world, uid: 2, validity: 3))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d2"])
    }

    @Test("removing a missing message is already done")
    func gone() async throws {
        let world = try await world()
        await world.sink.change(drafts.name) { $0.messages[1] = nil }
        try world.queue(removal(world))
        try await world.drain()
        #expect(try world.evidence("remove d1") == "already gone")
        #expect(await world.sink.changes == [])
    }

    @Test("a draft that cannot be removed alone moves to the trash, and stays if there is no trash")
    func trash() async throws {
        let world = try await world()
        await world.sink.removeNothingAlone()
        try world.queue(removal(world))
        let report = try await world.drain()
        #expect(report.rejected.count == 1)
        #expect(await world.subjects(drafts) == ["d1", "d2"])

        let bin = mailbox("Trash", .trash)
        try world.store.sync.saveMailboxes([inbox, archive, drafts, sent, bin], of: work)
        try await world.sink.create(bin)
        try world.queue(removal(world))
        try await world.drain()
        #expect(await world.subjects(bin) == ["d1"])
        #expect(await world.subjects(drafts) == ["d2"])
    }

    @Test("a draft is kept until its mail is sent, and also if the mail is refused")
    func notSent() async throws {
        let world = try await world()
        try world.queue(world.submit("d1", for: nil), removal(world))
        await world.submitter.answer(
            .refused(.notSent("452 later"), afterDot: false), .refused(.rejected("550 no"), afterDot: false))
        try await world.drain()
        try await world.drain()
        #expect(try world.journal() == ["submit d1: rejected", "remove d1: cancelled"])
        #expect(await world.subjects(drafts) == ["d1", "d2"])
    }
}
