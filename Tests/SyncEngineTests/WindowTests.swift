import MailStore
import Models
import SyncEngine
import SyncPlanner
import Testing

/// Mail older than the window stays on the server, and is neither missing nor gone.
@Suite("Sync within a window")
struct WindowTests {
    private static let day: Int64 = 86_400
    private static let now = 1_000 * day

    /// `m1`…`m9`: `m9` came today, each one before it a hundred days earlier.
    private func world(_ tracking: ChangeTracking) async throws -> SyncWorld {
        let world = try SyncWorld(
            [mailbox("INBOX", .inbox)], modSeq: tracking == .none ? nil : 10, tracking: tracking)
        await world.source.deliver(
            (1...9).map { number in
                FakeMailSource.Stored(
                    bytes: mail("m\(number)", id: "m\(number)"),
                    received: Self.now - Int64(9 - number) * 100 * Self.day)
            })
        try await world.sync(at: Self.now, window: .days(250))
        return world
    }

    @Test("only mail within the window is fetched", arguments: ChangeTracking.allCases)
    func first(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking)
        #expect(try world.list() == ["m7@7", "m8@8", "m9@9"])
        #expect(await world.source.fetched == ["INBOX 9", "INBOX 8", "INBOX 7"])
    }

    @Test("a later sync neither fetches nor misses older mail", arguments: ChangeTracking.allCases)
    func later(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking)
        await world.source.forgetRequests()
        await world.source.change { $0.messages[8]?.flags = [.seen] }
        await world.source.deliver([mail("m10", id: "m10")])
        let report = try await world.sync(at: Self.now + 10, window: .days(250))
        #expect((report.added, report.changed, report.removed) == (1, 1, 0))
        #expect(report.problems.isEmpty)
        #expect(await world.source.searches == 0)
        #expect(try world.list() == ["m7@7", "m8@8 seen", "m9@9", "m10@10"])
        #expect(await world.source.fetched == ["INBOX 10"])
        await world.source.forgetRequests()
        try await world.sync(at: Self.now + 20, window: .days(250))
        #expect(await world.source.fetched.isEmpty)
        #expect(await world.source.opened.count == (tracking == .none ? 1 : 0))
    }

    @Test("removing an old message has no effect", arguments: ChangeTracking.allCases)
    func oldOneGoes(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking)
        await world.source.forgetRequests()
        await world.source.remove([2])
        let report = try await world.sync(at: Self.now + 10, window: .days(250))
        #expect((report.added, report.changed, report.removed) == (0, 0, 0))
        #expect(report.problems.isEmpty)
        #expect(await world.source.fetched.isEmpty)
        await world.source.forgetRequests()
        try await world.sync(at: Self.now + 20, window: .days(250))
        #expect(await world.source.searches == 0)
    }

    @Test("a message that leaves the window is kept, and one removed within it is removed")
    func timePasses() async throws {
        let world = try await world(.condstore)
        await world.source.remove([8])
        try await world.sync(at: Self.now + 100 * Self.day, window: .days(250))
        #expect(try world.list() == ["m7@7", "m9@9"])
    }

    @Test("a wider window fetches only the older mail", arguments: ChangeTracking.allCases)
    func wider(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking)
        await world.source.forgetRequests()
        try await world.sync(at: Self.now + 10, window: .days(450))
        #expect(await world.source.fetched == ["INBOX 6", "INBOX 5"])
        await world.source.forgetRequests()
        try await world.sync(at: Self.now + 20)
        #expect(await world.source.fetched == ["INBOX 4", "INBOX 3", "INBOX 2", "INBOX 1"])
        #expect(try world.list().count == 9)
        await world.source.forgetRequests()
        try await world.sync(at: Self.now + 30, window: .days(250))
        #expect(await world.source.fetched.isEmpty)
        #expect(try world.list().count == 9)
    }

    @Test("the daily comparison leaves older mail alone", arguments: ChangeTracking.allCases)
    func compared(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking)
        await world.source.forgetRequests()
        let report = try await world.sync(at: Self.now + 2 * Self.day, window: .days(250))
        #expect((report.added, report.removed) == (0, 0))
        #expect(await world.source.fetched.isEmpty)
        #expect(await world.source.listings == 1)
    }
}
