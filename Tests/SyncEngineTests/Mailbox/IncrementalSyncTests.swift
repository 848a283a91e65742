import MailStore
import Models
import SyncEngine
import SyncPlanner
import Testing

private let inbox = [mailbox("INBOX", .inbox)]
private let both: [ChangeTracking] = [.condstore, .qresync]

/// A world whose INBOX holds `m1`… and was synchronised once.
private func world(_ count: Int = 3, _ tracking: ChangeTracking) async throws -> SyncWorld {
    let world = try SyncWorld(inbox, modSeq: tracking == .none ? nil : 10, tracking: tracking)
    await world.source.deliver(mails(1...count))
    try await world.sync()
    await world.source.forgetRequests()
    return world
}

private func remembered(_ world: SyncWorld) throws -> UInt64? {
    try world.store.sync.syncState(of: work, mailbox: .inbox)?.highestModSeq
}

@Suite("Sync of what changed")
struct IncrementalSyncTests {
    @Test(
        "flags, deletions and new mail are synced with every kind of change tracking",
        arguments: ChangeTracking.allCases)
    func everything(_ tracking: ChangeTracking) async throws {
        let world = try await world(5, tracking)
        await world.source.change { $0.messages[2]?.flags = [.flagged] }
        await world.source.remove([1, 4])
        await world.source.deliver(mails(6...7), flags: [.seen])
        await world.source.change { $0.messages[7]?.keywords = [Keyword("late")] }
        let report = try await world.sync()
        #expect((report.added, report.changed, report.removed) == (2, 1, 2))
        #expect(report.problems.isEmpty)
        #expect(try world.list() == ["m2@2 flagged", "m3@3", "m5@5", "m6@6 seen", "m7@7 seen late"])
        #expect(await world.source.fetched.sorted() == ["INBOX 6", "INBOX 7"])
        let second = try await world.sync()
        #expect((second.added, second.changed, second.removed) == (0, 0, 0))
    }

    @Test("an unchanged message is not reported", arguments: both)
    func proportional(_ tracking: ChangeTracking) async throws {
        let world = try await world(400, tracking)
        await world.source.change { $0.messages[17]?.flags = [.seen] }
        try await world.sync()
        #expect(await world.source.reportedMarks == 1)
        #expect(try world.list().count { $0.hasSuffix("seen") } == 1)
    }

    @Test("a mailbox is not opened if its numbers prove that nothing changed", arguments: both)
    func notOpened(_ tracking: ChangeTracking) async throws {
        let world = try await world(3, tracking)
        try await world.sync()
        #expect(await world.source.opened.isEmpty)
    }

    @Test("without numbers, a sync with QRESYNC still finds the changes")
    func withoutNumbers() async throws {
        let world = try await world(3, .qresync)
        await world.source.tellNoNumbers()
        await world.source.remove([2])
        await world.source.deliver(mails(4...4))
        try await world.sync()
        #expect(try world.list() == ["m1@1", "m3@3", "m4@4"])
        #expect(await world.source.searches == 0)
    }

    @Test("a deletion that only the count of messages shows is found by the list of UIDs")
    func condstoreDeletion() async throws {
        let world = try await world(3, .condstore)
        await world.source.remove([2])
        #expect(try await world.sync().removed == 1)
        #expect(await world.source.searches == 1)
        #expect(await world.source.listings == 0)
        #expect(try world.list() == ["m1@1", "m3@3"])
    }

    @Test("messages that opus placed itself are neither doubled nor fetched", arguments: both)
    func ownPlacements(_ tracking: ChangeTracking) async throws {
        let world = try await world(3, tracking)
        let moved = try #require(try world.ids()["m2"]?.first)
        await world.source.change { box in
            box.messages[4] = box.messages[2]
            box.messages[4]?.flags = [.flagged]
            box.messages[2] = nil
            box.uidNext = 5
        }
        var batch = SyncBatch(account: work, mailbox: .inbox, uidValidity: 7)
        batch.placed = [Placement(message: moved, uid: 4)]
        _ = try world.store.sync.apply(batch)
        try await world.sync()
        #expect(try world.list() == ["m1@1", "m3@3", "m2@4 flagged"])
        #expect(await world.source.fetched.isEmpty)
    }

    @Test("a message that opus placed and another program removed is removed", arguments: both)
    func ownPlacementGone(_ tracking: ChangeTracking) async throws {
        let world = try await world(3, tracking)
        let moved = try #require(try world.ids()["m2"]?.first)
        await world.source.change { box in
            box.messages[2] = nil
            box.uidNext = 5
        }
        var batch = SyncBatch(account: work, mailbox: .inbox, uidValidity: 7)
        batch.placed = [Placement(message: moved, uid: 4)]
        _ = try world.store.sync.apply(batch)
        try await world.sync()
        #expect(try world.list() == ["m1@1", "m3@3"])
    }

    @Test("HIGHESTMODSEQ is stored only after all its changes are", arguments: both)
    func interrupted(_ tracking: ChangeTracking) async throws {
        let world = try await world(3, tracking)
        let before = try remembered(world)
        await world.source.change { $0.messages[1]?.flags = [.seen] }
        await world.source.remove([2])
        await world.source.deliver(mails(4...6))
        await world.source.breakFetch(after: 1)
        await #expect(throws: FakeMailSource.Trouble.self) { try await world.sync() }
        #expect(try remembered(world) == before)
        await world.source.breakFetch(after: nil)
        try await world.sync()
        #expect(try world.list() == ["m1@1 seen", "m3@3", "m4@4", "m5@5", "m6@6"])
        #expect(try remembered(world) != before)
    }

    @Test("everything is compared once a day, even with proof of no change", arguments: both)
    func daily(_ tracking: ChangeTracking) async throws {
        let world = try await world(3, tracking)
        try await world.sync(at: 5_000 + 86_399)
        #expect(await world.source.listings == 0)
        try await world.sync(at: 5_000 + 86_400)
        #expect(await world.source.listings == 1)
        try await world.sync(at: 5_000 + 86_401)
        #expect(await world.source.listings == 1)
    }
}

/// All mailboxes that changed, followed at once.
@Suite("Pass over all mailboxes")
struct AccountPassTests {
    private func world() async throws -> SyncWorld {
        let world = try SyncWorld(modSeq: 10, tracking: .qresync)
        await world.source.deliver(mails(1...5))
        await world.source.deliver(mails(11...13), to: archive)
        try await world.sync()
        await world.source.forgetRequests()
        return world
    }

    @Test("all changed mailboxes are synced in one pass, without opening them one by one")
    func onePass() async throws {
        let world = try await world()
        await world.source.deliver(mails(6...6))
        await world.source.change(archive) { $0.messages[2]?.flags = [.flagged] }
        let report = try await world.sync()
        #expect((report.added, report.changed) == (1, 1))
        #expect(await world.source.passed.sorted() == ["Archive", "INBOX"])
        #expect(await world.source.opened.isEmpty)
        #expect(await world.source.listings == 0)
        #expect(try world.list(archive) == ["m11@1", "m12@2 flagged", "m13@3"])
        await world.source.forgetRequests()
        try await world.sync()
        #expect(await world.source.passed.isEmpty)
    }

    @Test("a message moved by another program is recognised by its header, and not fetched again")
    func moved() async throws {
        let world = try await world()
        let ids = try world.ids()
        await world.source.remove([2, 3])
        await world.source.deliver(mails(2...3), to: archive, flags: [.seen])
        let report = try await world.sync()
        #expect(report.removed == 2)
        #expect(report.problems.isEmpty)
        #expect(await world.source.fetched.isEmpty)
        #expect(await world.source.opened.isEmpty)
        #expect(try world.list() == ["m1@1", "m4@4", "m5@5"])
        #expect(try world.list(archive) == ["m11@1", "m12@2", "m13@3", "m2@4 seen", "m3@5 seen"])
        #expect(try world.ids() == ids)
    }

    @Test("of moved and new messages, only the new ones are fetched")
    func movedAndNew() async throws {
        let world = try await world()
        await world.source.remove([2])
        await world.source.deliver(mails(2...2) + mails(7...7), to: archive)
        try await world.sync()
        #expect(await world.source.fetched == ["Archive 5"])
        #expect(try world.list(archive) == ["m11@1", "m12@2", "m13@3", "m2@4", "m7@5"])
    }

    @Test("a message that the pass cannot read is fetched alone, and then reported")
    func unreadable() async throws {
        let world = try await world()
        await world.source.deliver(mails(6...7))
        await world.source.makeUnreadable([6])
        let report = try await world.sync()
        #expect(report.added == 1)
        #expect(report.mailboxes.map(\.skipped) == [1, 0])
        await world.source.makeUnreadable([])
        #expect(try await world.sync().added == 1)
        #expect(try world.list().suffix(2) == ["m6@6", "m7@7"])
    }

    @Test("a mailbox refused in the pass is opened alone, and its refusal is reported")
    func refused() async throws {
        let world = try await world()
        await world.source.deliver(mails(6...6))
        await world.source.deliver(mails(14...14), to: archive)
        await world.source.failToOpen(archive, with: FakeMailSource.Trouble())
        let report = try await world.sync()
        #expect(report.mailboxes.map(\.problem) == [nil, "Trouble()"])
        #expect(try world.list().last == "m6@6")
    }

    @Test("much new mail is fetched by the sync of its own mailbox, newest first")
    func muchNewMail() async throws {
        let world = try await world()
        await world.source.deliver(mails(101...601))
        #expect(try await world.sync().added == 501)
        #expect(await world.source.passed.isEmpty)
        #expect(await world.source.fetched.first == "INBOX 506")
    }
}

/// What a server says that cannot be true.
@Suite("Sync with a server that errs")
struct DoubtTests {
    @Test("a VANISHED that names almost everything is checked against the list of all UIDs")
    func lyingVanished() async throws {
        let world = try await world(200, .qresync)
        await world.source.remove([7])
        await world.source.claim { $0.vanished = [1...198, 200...200] }
        let report = try await world.sync()
        #expect(report.removed == 1)
        #expect(await world.source.searches == 1)
        #expect(try world.list().count == 199)
        #expect(try !world.list().contains("m7@7"))
    }

    @Test("many true deletions are applied", arguments: ChangeTracking.allCases)
    func manyDeletions(_ tracking: ChangeTracking) async throws {
        let world = try await world(200, tracking)
        await world.source.remove(Array(1...150))
        #expect(try await world.sync().removed == 150)
        #expect(await world.source.searches == 1)
        #expect(try world.list().count == 50)
    }

    @Test("a false VANISHED is found by the count of messages")
    func smallLie() async throws {
        let world = try await world(100, .qresync)
        await world.source.change { $0.messages[1]?.flags = [.seen] }
        await world.source.claim { $0.vanished = [5...6] }
        #expect(try await world.sync().removed == 0)
        #expect(try world.list().count == 100)
    }

    @Test("a missing VANISHED is found by the count of messages")
    func silence() async throws {
        let world = try await world(100, .qresync)
        await world.source.remove([5])
        await world.source.claim { $0.vanished = [] }
        #expect(try await world.sync().removed == 1)
        #expect(try world.list().count == 99)
    }

    @Test("a VANISHED with UIDs that never existed needs no check")
    func neverWere() async throws {
        let world = try await world(100, .qresync)
        await world.source.remove([5])
        await world.source.claim { $0.vanished = [5...5, 1_000...4_000_000_000] }
        #expect(try await world.sync().removed == 1)
        #expect(await world.source.searches == 0)
    }

    @Test(
        "an unreadable response removes nothing, and the next sync reads it",
        arguments: ChangeTracking.allCases)
    func unreadable(_ tracking: ChangeTracking) async throws {
        let world = try await world(100, tracking)
        await world.source.remove([5])
        await world.source.change { $0.messages[1]?.flags = [.seen] }
        await world.source.claim { claims in
            claims.isUnreadable = true
            claims.vanished = []
            claims.unlisted = [40]
        }
        let first = try await world.sync()
        #expect(first.removed == 0)
        #expect(first.problems.count == 1)
        #expect(try remembered(world) == nil)
        await world.source.claim { $0 = .init() }
        #expect(try await world.sync().removed == 1)
        #expect(try world.list().count == 99)
        #expect(try world.list().first == "m1@1 seen")
    }

    @Test("an incomplete listing does not remove messages that exist")
    func cutOff() async throws {
        let world = try await world(200, .none)
        await world.source.claim { $0.unlisted = Set(50...200) }
        let report = try await world.sync()
        #expect(report.removed == 0)
        let searches = await world.source.searches
        #expect(searches <= 2, "once for the short range, once for the whole one")
        #expect(try world.list().count == 200)
    }

    @Test("a list of all UIDs that is too short is ignored")
    func shortList() async throws {
        let world = try await world(200, .none)
        await world.source.claim { claims in
            claims.unlisted = Set(50...200)
            claims.unfound = Set(50...200)
        }
        let report = try await world.sync()
        #expect(report.removed == 0)
        #expect(report.problems.count == 1)
        #expect(try world.list().count == 200)
    }

    @Test(
        "if HIGHESTMODSEQ or UIDNEXT decreases, the headers are read and no message is lost",
        arguments: both)
    func goesBack(_ tracking: ChangeTracking) async throws {
        let world = try await world(3, tracking)
        await world.source.change { $0.messages[1]?.flags = [.seen] }
        await world.source.claim { $0.highestModSeq = 2 }
        #expect(try await world.sync().rebound == 3)
        #expect(try world.list().count { $0.hasSuffix("seen") } == 1)
        await world.source.claim { $0 = .init() }
        try await world.sync()
        await world.source.forgetRequests()
        await world.source.change { $0.messages[2]?.flags = [.seen] }
        await world.source.claim { $0.uidNext = 2 }
        #expect(try await world.sync().rebound == 3)
        #expect(try world.list().count { $0.hasSuffix("seen") } == 2)
        #expect(await world.source.fetched.isEmpty)
    }
}
