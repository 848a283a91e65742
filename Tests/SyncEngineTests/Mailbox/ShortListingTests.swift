import MailStore
import Models
import SyncEngine
import SyncPlanner
import Testing

/// A server that leaves messages out of a listing, although its list of all UIDs names them.
@Suite("Listings that lack messages")
struct ShortListingTests {
    private static let day: Int64 = 25 * 3_600

    private func world(_ count: Int, _ tracking: ChangeTracking) async throws -> SyncWorld {
        let world = try SyncWorld(
            [mailbox("INBOX", .inbox)], modSeq: tracking == .none ? nil : 10, tracking: tracking)
        await world.source.deliver(mails(1...count))
        try await world.sync()
        await world.source.forgetRequests()
        return world
    }

    @Test(
        "a message that a listing lacks keeps its place and is reported", arguments: ChangeTracking.allCases)
    func leftOut(_ tracking: ChangeTracking) async throws {
        let world = try await world(4, tracking)
        await world.source.claim { $0.unlisted = [2] }
        let report = try await world.sync(at: 5_000 + Self.day)
        #expect(report.removed == 0)
        #expect(report.problems.isEmpty)
        #expect(report.mailboxes.map(\.notices).joined().count { $0.contains("(UID 2)") } == 1)
        #expect(try world.list() == ["m1@1", "m2@2", "m3@3", "m4@4"])
        await world.source.claim { $0 = .init() }
        await world.source.forgetRequests()
        let next = try await world.sync(at: 5_001 + Self.day)
        #expect(next.mailboxes.map(\.notices).joined().isEmpty)
        #expect(await world.source.listings == 1, "a listing that lacked a message is repeated")
    }

    @Test("of two missing messages, only the removed one is removed", arguments: ChangeTracking.allCases)
    func oneIsGone(_ tracking: ChangeTracking) async throws {
        let world = try await world(4, tracking)
        await world.source.remove([3])
        await world.source.claim { $0.unlisted = [2] }
        #expect(try await world.sync(at: 5_000 + Self.day).removed == 1)
        #expect(try world.list() == ["m1@1", "m2@2", "m4@4"])
    }

    @Test("if both lists lack a message, it is removed, even if EXISTS counts it")
    func overstatedExists() async throws {
        let world = try await world(4, .none)
        await world.source.remove([3])
        await world.source.claim { $0.exists = 4 }
        let report = try await world.sync()
        #expect(report.removed == 1)
        #expect(report.problems.isEmpty)
        #expect(try world.list() == ["m1@1", "m2@2", "m4@4"])
    }

    @Test("a new message that a listing lacks comes with the next one", arguments: ChangeTracking.allCases)
    func newMessage(_ tracking: ChangeTracking) async throws {
        let world = try await world(2, tracking)
        await world.source.deliver(mails(3...4))
        await world.source.claim { $0.unlisted = [4] }
        let report = try await world.sync()
        #expect(report.mailboxes.map(\.notices).joined().count == 1)
        #expect(try world.list() == ["m1@1", "m2@2", "m3@3"])
        await world.source.claim { $0 = .init() }
        try await world.sync()
        #expect(try world.list() == ["m1@1", "m2@2", "m3@3", "m4@4"])
    }

    @Test("UIDNEXT 1 removes nothing and hides nothing", arguments: ChangeTracking.allCases)
    func uidNextOfOne(_ tracking: ChangeTracking) async throws {
        let world = try await world(4, tracking)
        await world.source.claim { $0.uidNext = 1 }
        await world.source.deliver(mails(5...5))
        for round in 0..<3 {
            let report = try await world.sync(at: 5_000 + Int64(round) * Self.day)
            #expect(report.removed == 0)
            #expect(try world.list() == ["m1@1", "m2@2", "m3@3", "m4@4", "m5@5"])
        }
        #expect(await world.source.fetched == ["INBOX 5"])
    }

    @Test("after a new UIDVALIDITY, a message that the listing lacks is still expected")
    func rebinding() async throws {
        let world = try await world(4, .condstore)
        await world.source.change { $0.uidValidity = 8 }
        await world.source.claim { $0.unlisted = [2] }
        #expect(try await world.sync().rebound == 3)
        #expect(try world.store.sync.notes(of: work, mailbox: .inbox).isRebinding)
        await world.source.claim { $0 = .init() }
        try await world.sync()
        #expect(try world.list() == ["m1@1", "m2@2", "m3@3", "m4@4"])
        #expect(await world.source.fetched.isEmpty, "its header identifies it")
        #expect(try !world.store.sync.notes(of: work, mailbox: .inbox).isRebinding)
    }

    @Test("a slice of a large mailbox that lacks a message is not complete")
    func slice() async throws {
        let world = try SyncWorld([mailbox("INBOX", .inbox)])
        await world.source.deliver(mails(1...5_001))
        await world.source.claim { $0.unlisted = [3] }
        let report = try await world.sync()
        #expect(report.mailboxes.map(\.notices).joined().count { $0.contains("(UID 3)") } == 1)
        #expect(try world.list().count == 5_000)
    }
}
