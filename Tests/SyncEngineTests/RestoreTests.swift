import MailStore
import Models
import SyncEngine
import SyncPlanner
import Testing

private typealias Stored = FakeMailSource.Stored

/// A mailbox that was restored from a backup: its UIDs are given a second time, under the same UIDVALIDITY.
@Suite("Restored mailboxes")
struct RestoreTests {
    private static let day: Int64 = 25 * 3_600

    /// `m1`…`m6` are known; the backup has `m1`…`m4`.
    private func world(_ tracking: ChangeTracking) async throws -> SyncWorld {
        let world = try SyncWorld(modSeq: tracking == .none ? nil : 10, tracking: tracking)
        await world.source.deliver(mails(1...6))
        try await world.sync()
        return world
    }

    /// New mail takes the UIDs from 5 on: `n5`, `n6`, … Each is as long as what had its UID before.
    private func restore(_ world: SyncWorld, new: Int, modSeq: UInt64) async {
        await world.source.change { box in
            box.messages = box.messages.filter { $0.key < 5 }
            box.uidNext = 5
            for number in 5..<(5 + new) {
                box.messages[UInt32(number)] = Stored(bytes: mail("n\(number)", id: "n\(number)"))
                box.uidNext += 1
            }
            if box.modSeq != nil {
                box.modSeq = modSeq - 1
                box.changedAt = [:]
                box.goneAt = [:]
            }
        }
    }

    @Test("a decreased UIDNEXT is noticed at once", arguments: ChangeTracking.allCases)
    func wentBack(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking)
        let ids = try world.ids()
        await restore(world, new: 1, modSeq: 30)
        try await world.sync()
        #expect(try world.list() == ["m1@1", "m2@2", "m3@3", "m4@4", "n5@5"])
        #expect(try world.ids()["m1"] == ids["m1"])
        await world.source.forgetRequests()
        try await world.sync()
        #expect(await world.source.headed.isEmpty)
        #expect(await world.source.fetched.isEmpty)
    }

    @Test(
        "after HIGHESTMODSEQ decreased, the new messages are synced at once",
        arguments: [ChangeTracking.condstore, .qresync])
    func modSeqWentBack(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking)
        await restore(world, new: 2, modSeq: 9)
        try await world.sync()
        #expect(try world.list() == ["m1@1", "m2@2", "m3@3", "m4@4", "n5@5", "n6@6"])
    }

    @Test(
        "numbers that grew past the old ones are noticed within a day", arguments: ChangeTracking.allCases)
    func climbed(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking)
        await restore(world, new: 3, modSeq: 30)
        try await world.sync()
        try await world.sync(at: 5_000 + Self.day)
        #expect(try world.list() == ["m1@1", "m2@2", "m3@3", "m4@4", "n5@5", "n6@6", "n7@7"])
    }

    @Test("a mailbox that a step found wrong is checked by the next sync")
    func doubted() async throws {
        let world = try await world(.qresync)
        await restore(world, new: 3, modSeq: 30)
        try world.store.sync.doubt(.inbox, of: work)
        try await world.sync()
        #expect(try world.list().contains("n5@5"))
    }

    @Test("if a server changes the times of restored messages, headers are fetched once")
    func changedTimes() async throws {
        let world = try SyncWorld(modSeq: 10)
        await world.source.deliver(mails(1...40))
        await world.source.deliver(
            mails(1...40).map { Stored(bytes: $0, received: 77) }, to: archive)
        try await world.sync()
        await world.source.forgetRequests()
        try await world.sync(at: 5_000 + Self.day)
        #expect(await world.source.headed.count { $0.hasPrefix("Archive") } == 40)
        await world.source.forgetRequests()
        try await world.sync(at: 5_000 + 2 * Self.day)
        #expect(await world.source.headed.count == 40, "the newest twenty of each mailbox")
        #expect(await world.source.fetched.isEmpty)
    }

    @Test("a mailbox whose UIDNEXT is below its UIDs is not read again each time")
    func understated() async throws {
        let world = try SyncWorld()
        await world.source.deliver(mails(1...6))
        await world.source.claim { $0.uidNext = 3 }
        for _ in 1...3 { try await world.sync() }
        #expect(await world.source.headed.isEmpty)
    }
}
