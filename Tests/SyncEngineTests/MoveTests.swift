import MailStore
import Models
import SyncEngine
import SyncPlanner
import Testing

private typealias Stored = FakeMailSource.Stored

/// `m1`… as a server shows them that gives each message a name.
private func named(_ range: ClosedRange<Int>) -> [Stored] {
    range.map { Stored(bytes: mail("m\($0)", id: "m\($0)"), remoteID: "E\($0)") }
}

/// What another program moved is not read again.
@Suite("Moved messages")
struct MoveTests {
    /// INBOX with `m1`…`m5` and Archive with `m11`…`m13`, synchronised once.
    private func world(
        _ tracking: ChangeTracking, _ messages: (ClosedRange<Int>) -> [Stored]
    ) async throws -> SyncWorld {
        let world = try SyncWorld(modSeq: tracking == .none ? nil : 10, tracking: tracking)
        await world.source.deliver(messages(1...5))
        await world.source.deliver(messages(11...13), to: archive)
        try await world.sync()
        await world.source.forgetRequests()
        return world
    }

    private func unnamed(_ range: ClosedRange<Int>) -> [Stored] {
        mails(range).map { Stored(bytes: $0) }
    }

    @Test(
        "a moved message is recognised by the server's id, without reading it",
        arguments: [ChangeTracking.none, .condstore])
    func byName(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking, named)
        await world.source.remove([2, 3])
        await world.source.deliver(named(2...3), to: archive)
        let report = try await world.sync()
        #expect(report.problems.isEmpty)
        #expect(report.removed == 2)
        #expect(await world.source.fetched.isEmpty)
        #expect(await world.source.headed.isEmpty)
        #expect(try world.list(archive) == ["m11@1", "m12@2", "m13@3", "m2@4", "m3@5"])
    }

    @Test(
        "without server ids, a moved message is recognised by its header, and new mail is read",
        arguments: ChangeTracking.allCases)
    func byHeader(_ tracking: ChangeTracking) async throws {
        let world = try await world(tracking, unnamed)
        let ids = try world.ids()
        await world.source.remove([2, 3])
        await world.source.deliver(unnamed(2...3) + unnamed(7...7), to: archive)
        let report = try await world.sync()
        #expect(report.problems.isEmpty)
        #expect(await world.source.fetched == ["Archive 6"])
        #expect(try world.list(archive) == ["m11@1", "m12@2", "m13@3", "m2@4", "m3@5", "m7@6"])
        #expect(try world.ids().filter { $0.key != "m7" } == ids)
    }

    @Test("if no message is missing elsewhere, new mail is read at once")
    func noDetour() async throws {
        let world = try await world(.condstore, unnamed)
        await world.source.deliver(unnamed(6...7))
        try await world.sync()
        #expect(await world.source.headed.isEmpty)
        #expect(await world.source.fetched.sorted() == ["INBOX 6", "INBOX 7"])
    }

    @Test("after a new UIDVALIDITY, server ids find every message, and nothing is read")
    func reboundByName() async throws {
        let world = try await world(.condstore, named)
        let ids = try world.ids()
        await renumber(world)
        #expect(try await world.sync().rebound == 5)
        #expect(await world.source.fetched.isEmpty)
        #expect(await world.source.headed.isEmpty)
        #expect(try world.ids() == ids)
    }

    @Test("after a new UIDVALIDITY, headers are read, and only unknown messages completely")
    func reboundByHeader() async throws {
        let world = try await world(.none, unnamed)
        await renumber(world)
        await world.source.deliver(unnamed(6...6))
        #expect(try await world.sync().rebound == 5)
        #expect(await world.source.headed.count == 6)
        #expect(await world.source.fetched == ["INBOX 106"])
        #expect(try world.list() == (1...6).map { "m\($0)@\($0 + 100)" })
    }

    @Test("an interrupted rebinding continues with headers")
    func reboundAgain() async throws {
        let world = try await world(.condstore, unnamed)
        await renumber(world)
        await world.source.breakFetch(after: 2)
        await #expect(throws: FakeMailSource.Trouble.self) { try await world.sync() }
        await world.source.breakFetch(after: nil)
        #expect(try await world.sync().problems.isEmpty)
        #expect(await world.source.fetched.isEmpty)
        #expect(try world.list() == (1...5).map { "m\($0)@\($0 + 100)" })
    }

    private func renumber(_ world: SyncWorld) async {
        await world.source.change { box in
            box.uidValidity = 8
            box.messages = Dictionary(uniqueKeysWithValues: box.messages.map { ($0.key + 100, $0.value) })
            box.uidNext += 100
        }
    }
}

/// Gmail shows every message once more in All Mail, and some in Starred and Important.
@Suite("A mailbox that shows all messages again")
struct AllMailTests {
    private static let all = MailboxName("All Mail")
    private static let boxes = [
        mailbox("All Mail", .all), mailbox("INBOX", .inbox), mailbox("Starred", .flagged),
        mailbox("Important"), mailbox("Work"),
    ]

    private func world() async throws -> SyncWorld {
        let world = try SyncWorld(Self.boxes, modSeq: 10)
        await world.source.nameMessages(views: [MailboxName("Important")])
        await world.source.deliver(named(1...3))
        await world.source.deliver(named(4...4), to: MailboxName("Work"))
        await world.source.deliver(named(1...6), to: Self.all)
        return world
    }

    @Test("a view of all mail is synced last, and only unknown messages are read")
    func onlyArchived() async throws {
        let world = try await world()
        let report = try await world.sync()
        #expect(await world.source.opened == ["INBOX", "Work", "All Mail"])
        #expect(
            await world.source.fetched == [
                "INBOX 3", "INBOX 2", "INBOX 1", "Work 1", "All Mail 6", "All Mail 5",
            ])
        #expect(try world.list(Self.all) == (1...6).map { "m\($0)@\($0)" })
        #expect(report.problems.isEmpty)
        #expect(try world.ids().values.allSatisfy { $0.count == 1 })
    }

    @Test("new mail is read once, and an archived message is not read again")
    func later() async throws {
        let world = try await world()
        try await world.sync()
        await world.source.forgetRequests()
        await world.source.deliver(named(7...7))
        await world.source.deliver(named(7...7), to: Self.all)
        await world.source.remove([2])
        try await world.sync()
        #expect(await world.source.fetched == ["INBOX 4"])
        #expect(try world.list() == ["m1@1", "m3@3", "m7@4"])
        #expect(try world.list(Self.all).last == "m7@7")
    }

    @Test("without server ids, a view of all mail is skipped")
    func withoutNames() async throws {
        let world = try SyncWorld(Self.boxes)
        await world.source.deliver(mails(1...2), to: Self.all)
        try await world.sync()
        #expect(await world.source.fetched.isEmpty)
    }
}
