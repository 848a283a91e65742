import MailStore
import Models
import SyncEngine
import Synchronization
import Testing

/// The first sync of several mailboxes over two connections: each message once, whatever becomes of the second.
@Suite("Lanes of a first sync") struct LaneTests {
    private static let boxes = [mailbox("INBOX", .inbox), mailbox("Archive", .archive), mailbox("Lists")]

    /// Two views of one account: each remembers what was asked of it.
    private func account() async throws -> (world: SyncWorld, other: FakeMailSource) {
        let world = try SyncWorld(Self.boxes, modSeq: 1)
        let other = FakeMailSource(Self.boxes, modSeq: 1)
        for source in [world.source, other] {
            await source.deliver(mails(1...3))
            await source.deliver(mails(1_001...2_100), to: archive)
            await source.deliver(
                (1...5).map { mail("l\($0)", id: "l\($0)", references: ["m1001"]) }, to: MailboxName("Lists"))
        }
        return (world, other)
    }

    @discardableResult
    private func sync(
        _ world: SyncWorld, from source: any MailSource, spare: SpareSource?
    ) async throws -> SyncReport {
        let report = try await AccountSync(
            account: work, source: source, spare: spare, store: world.store, logger: SyncWorld.silent,
            now: Timestamp(seconds: 5_000)
        ).run()
        #expect(report.problems == [])
        #expect(report.mailboxes.map(\.mailbox.displayName) == ["INBOX", "Archive", "Lists"])
        #expect(try world.list().count == 3)
        #expect(try world.list(archive).count == 1_100)
        #expect(try world.list(MailboxName("Lists")).count == 5)
        return report
    }

    @Test("both connections work, and no message is fetched twice") func both() async throws {
        let (world, other) = try await account()
        let gate = Gate()
        let report = try await sync(world, from: GatedSource(source: world.source, gate: gate)) { body in
            try await body(OpeningSource(source: other, gate: gate))
        }
        #expect(report.added == 1_108)
        let (first, second) = (await world.source.fetched, await other.fetched)
        #expect(!first.isEmpty)
        #expect(!second.isEmpty)
        #expect(Set(first).isDisjoint(with: second))
        #expect(first.count + second.count == 1_108)
        #expect(Set(try world.threads().filter { $0.key.hasPrefix("l") }.values).count == 1)
        #expect(try world.threads()["l1"] == world.threads()["m1001"])
    }

    @Test("a second connection that breaks loses nothing") func broken() async throws {
        let (world, other) = try await account()
        await other.breakFetch(after: 1)
        let gate = Gate()
        try await sync(world, from: GatedSource(source: world.source, gate: gate)) { body in
            try await body(OpeningSource(source: other, gate: gate))
        }
        #expect(await world.source.fetched.count >= 1_107)
    }

    @Test("a second connection that cannot be opened delays nothing") func absent() async throws {
        let (world, _) = try await account()
        try await sync(world, from: world.source) { _ in try await Task.sleep(for: .seconds(3_600)) }
        let (another, _) = try await account()
        try await sync(another, from: another.source) { _ in throw FakeMailSource.Trouble() }
    }

    @Test("a few messages are fetched with one connection") func few() async throws {
        let world = try SyncWorld(Self.boxes, modSeq: 1)
        await world.source.deliver(mails(1...3), to: archive)
        let asked = Mutex(false)
        _ = try await AccountSync(
            account: work, source: world.source, spare: { _ in asked.withLock { $0 = true } },
            store: world.store, logger: SyncWorld.silent, now: Timestamp(seconds: 5_000)
        ).run()
        #expect(!asked.withLock { $0 })
    }
}

/// Opens once; whoever waits goes on then.
private final class Gate: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    func open() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}

/// The first connection, which fetches nothing before the second one has begun.
private struct GatedSource: MailSource {
    let source: any MailSource
    let gate: Gate

    func mailboxes() async throws -> [Mailbox] { try await source.mailboxes() }
    func survey() async throws -> AccountSurvey { try await source.survey() }
    func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox {
        try await source.open(mailbox, since: known)
    }
    func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) async throws -> MessageListing {
        try await source.listing(of: mailbox, uids: uids, detail: detail)
    }
    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        await gate.wait()
        try await source.fetch(messages, of: mailbox, limit: limit, deliver: deliver)
    }
}

/// The second connection, which lets the first one go on.
private struct OpeningSource: MailSource {
    let source: any MailSource
    let gate: Gate

    func mailboxes() async throws -> [Mailbox] { try await source.mailboxes() }
    func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox {
        gate.open()
        return try await source.open(mailbox, since: known)
    }
    func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) async throws -> MessageListing {
        try await source.listing(of: mailbox, uids: uids, detail: detail)
    }
    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        try await source.fetch(messages, of: mailbox, limit: limit, deliver: deliver)
    }
}
