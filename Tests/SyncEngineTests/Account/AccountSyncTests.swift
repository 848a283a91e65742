import MailStore
import Models
import SyncEngine
import Testing

@Suite("Account sync")
struct AccountSyncTests {
    @Test("a first sync fetches everything, and a second one changes nothing")
    func firstSync() async throws {
        let world = try SyncWorld()
        await world.source.deliver(mails(1...3), flags: [.seen])
        #expect(try await world.sync().added == 3)
        #expect(try world.list() == ["m1@1 seen", "m2@2 seen", "m3@3 seen"])

        await world.source.forgetRequests()
        let second = try await world.sync()
        #expect((second.added, second.changed, second.removed) == (0, 0, 0))
        #expect(await world.source.fetched.isEmpty)
    }

    @Test("the list is not read if the server proves that nothing changed")
    func provenUnchanged() async throws {
        let world = try SyncWorld(modSeq: 10)
        await world.source.deliver(mails(1...2))
        try await world.sync()
        await world.source.forgetRequests()
        try await world.sync()
        #expect(await world.source.listings == 0)
    }

    @Test("only new mail is fetched", arguments: [nil, 10] as [UInt64?])
    func newMail(modSeq: UInt64?) async throws {
        let world = try SyncWorld(modSeq: modSeq)
        await world.source.deliver(mails(1...3))
        try await world.sync()
        await world.source.forgetRequests()
        await world.source.deliver(mails(4...5))
        #expect(try await world.sync().added == 2)
        #expect(await world.source.fetched.sorted() == ["INBOX 4", "INBOX 5"])
        #expect(try world.list() == ["m1@1", "m2@2", "m3@3", "m4@4", "m5@5"])
    }

    @Test("marks that another program set or removed are taken over", arguments: [nil, 10] as [UInt64?])
    func marks(modSeq: UInt64?) async throws {
        let world = try SyncWorld(modSeq: modSeq)
        await world.source.deliver(mails(1...3), flags: [.seen])
        try await world.sync()
        await world.source.change { box in
            box.messages[1]?.flags = []
            box.messages[3]?.keywords = [Keyword("reading")]
        }
        #expect(try await world.sync().changed == 2)
        #expect(try world.list() == ["m1@1", "m2@2 seen", "m3@3 seen reading"])
    }

    @Test("a removed message is no longer listed, but stays in the store")
    func vanished() async throws {
        let world = try SyncWorld()
        await world.source.deliver(mails(1...3))
        try await world.sync()
        let gone = try #require(try world.ids()["m2"]?.first)
        await world.source.remove([2])
        #expect(try await world.sync().removed == 1)
        #expect(try world.list() == ["m1@1", "m3@3"])
        #expect(try world.store.messages.detail(of: gone)?.places.isEmpty == true)
    }

    @Test("the inbox is synced first, and views of all mail are left out")
    func order() async throws {
        let boxes = [
            mailbox("Archive", .archive), mailbox("All Mail", .all), mailbox("INBOX", .inbox),
            mailbox("Starred", .flagged), mailbox("Zoo"),
        ]
        let world = try SyncWorld(boxes)
        try await world.sync()
        #expect(await world.source.opened == ["INBOX", "Archive", "Zoo"])
    }

    @Test("a mailbox that fails is reported, and the others are synced")
    func oneFails() async throws {
        let world = try SyncWorld()
        await world.source.deliver(mails(1...1), to: archive)
        await world.source.failToOpen(.inbox, with: FakeMailSource.Trouble())
        let report = try await world.sync()
        #expect(report.mailboxes.map(\.problem) == ["Trouble()", nil])
        #expect(try world.list(archive) == ["m1@1"])
    }

    @Test("a lost connection ends the sync and gives the reason")
    func connectionLost() async throws {
        let world = try SyncWorld()
        await world.source.deliver(mails(1...1))
        await world.source.deliver(mails(2...2), to: archive)
        await world.source.failToOpen(.inbox, with: SourceUnavailable(FakeMailSource.Trouble()))
        await #expect(throws: FakeMailSource.Trouble.self) { try await world.sync() }
        #expect(await world.source.opened.isEmpty)
        #expect(try world.list(archive).isEmpty)
    }

    @Test("a mailbox without a UIDVALIDITY is read and reported")
    func noUIDValidity() async throws {
        let world = try SyncWorld([mailbox("INBOX", .inbox)])
        await world.source.change { $0.uidValidity = 0 }
        await world.source.deliver(mails(1...1))
        let report = try await world.sync()
        #expect(report.problems == ["INBOX: the server gives it no UIDVALIDITY"])
        #expect(try world.list() == ["m1@1"])
    }

    @Test("the progress begins at nothing and ends at everything")
    func progress() async throws {
        let world = try SyncWorld([mailbox("INBOX", .inbox)])
        await world.source.deliver(mails(1...120))
        let log = ProgressLog()
        _ = try await AccountSync(
            account: work, source: world.source, store: world.store, logger: SyncWorld.silent,
            now: Timestamp(seconds: 1), progress: log.add
        ).run()
        #expect(log.lines == ["INBOX 0/120", "INBOX 50/120", "INBOX 100/120", "INBOX 120/120"])
    }
}
