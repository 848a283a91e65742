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

    @Test("the draft with that Message-ID is removed, and no other")
    func removed() async throws {
        let world = try await world()
        try world.queue(removal(world))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d2"])
        #expect(try world.evidence("remove d1") == "removed UID 1")
    }

    @Test("another message in its place is left alone, and the draft is found where it is")
    func another() async throws {
        let world = try await world()
        try world.queue(removal(world, uid: 2))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d2"])
    }

    @Test("what another program saved under the same Message-ID stays")
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

    @Test("where both versions are there only the known one goes")
    func both() async throws {
        let world = try await world()
        _ = await world.sink.put(
            .init(bytes: mail("d1") + Array("a newer line\r\n".utf8)), in: drafts.name)
        try world.queue(removal(world))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d2", "d1"])
    }

    @Test("without a digest nothing goes")
    func unknown() async throws {
        let world = try await world()
        let key = MessageKey(account: work, mailbox: drafts.name, uidValidity: 7, uid: 1)
        try world.queue(world.step("remove d1", nil, .remove(key, token: token("d1"), versions: nil)))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d1", "d2"])
    }

    @Test("under another UIDVALIDITY it is found by its Message-ID")
    func renumbered() async throws {
        let world = try await world()
        try world.queue(removal(world, uid: 2, validity: 3))
        try await world.drain()
        #expect(await world.subjects(drafts) == ["d2"])
    }

    @Test("removing a message that is gone is done")
    func gone() async throws {
        let world = try await world()
        await world.sink.change(drafts.name) { $0.messages[1] = nil }
        try world.queue(removal(world))
        try await world.drain()
        #expect(try world.evidence("remove d1") == "already gone")
        #expect(await world.sink.changes == [])
    }

    @Test("where one message cannot be removed alone it goes to the trash, and stays where there is none")
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

    @Test("a draft stays while its mail is not sent, and when it is refused")
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
