import MailStore
import Models
import SyncEngine
import Testing

/// What a sync that did not come to its end leaves, and how the next one goes on.
@Suite("Interrupted and impossible syncs")
struct InterruptionTests {
    @Test(
        "messages fetched before the connection was lost are kept and not fetched again",
        arguments: [0, 1, 249, 250, 251, 599])
    func goesOn(after count: Int) async throws {
        let world = try SyncWorld([mailbox("INBOX", .inbox)])
        await world.source.deliver(mails(1...600))
        await world.source.breakFetch(after: count)
        await #expect(throws: FakeMailSource.Trouble.self) { try await world.sync() }
        #expect(try world.list().count == count)

        await world.source.breakFetch(after: nil)
        await world.source.forgetRequests()
        #expect(try await world.sync().added == 600 - count)
        #expect(await world.source.fetched.count == 600 - count)
        #expect(try world.list() == (1...600).map { "m\($0)@\($0)" })
    }

    @Test(
        "a mark that changed after an interrupted sync is found by the next one",
        arguments: [nil, 10] as [UInt64?])
    func markChangedMeanwhile(modSeq: UInt64?) async throws {
        let world = try SyncWorld([mailbox("INBOX", .inbox)], modSeq: modSeq)
        await world.source.deliver(mails(1...3))
        await world.source.breakFetch(after: 2)
        await #expect(throws: FakeMailSource.Trouble.self) { try await world.sync() }
        // Newest first: 3 and 2 are here.
        await world.source.change { $0.messages[3]?.flags = [.flagged] }
        await world.source.remove([2])
        await world.source.breakFetch(after: nil)
        try await world.sync()
        #expect(try world.list() == ["m1@1", "m3@3 flagged"])
    }

    @Test("an unreadable message is skipped and reported, and tried again by the next sync")
    func unreadable() async throws {
        let world = try SyncWorld([mailbox("INBOX", .inbox)], modSeq: 10)
        await world.source.deliver(mails(1...3))
        await world.source.makeUnreadable([2])
        let report = try await world.sync()
        #expect(report.added == 2)
        #expect(report.mailboxes.map(\.skipped) == [1])
        #expect(
            report.problems == ["INBOX: 1 of 3 messages could not be read; the next sync tries again"])

        await world.source.makeUnreadable([])
        await world.source.forgetRequests()
        let second = try await world.sync()
        #expect(second.added == 1)
        #expect(second.problems.isEmpty)
        #expect(await world.source.fetched == ["INBOX 2"])
    }

    @Test("after a new UIDVALIDITY, messages, ids and remembered matches are kept, and nothing is doubled")
    func rebinding() async throws {
        let world = try SyncWorld([mailbox("INBOX", .inbox)])
        await world.source.deliver(mails(1...3) + [mail("without an id")])
        try await world.sync()
        let ids = try world.ids()
        let message = try #require(ids["m2"]?.first)
        _ = try world.store.journal.queue(
            NewRun(account: work, startedAt: Timestamp(seconds: 1), command: "triage"),
            QueuedWork(
                remembered: [RememberedMatch(rule: "once", message: message)],
                deferrals: [.init(message: message, until: .time(Timestamp(seconds: 9_000)))]))

        await world.source.change { box in
            box.uidValidity = 8
            box.messages = Dictionary(
                uniqueKeysWithValues: box.messages.map { ($0.key + 100, $0.value) })
            box.uidNext += 100
        }
        let report = try await world.sync()
        #expect(report.problems.isEmpty)
        #expect(try world.ids() == ids)
        #expect(try world.list() == ["m1@101", "m2@102", "m3@103", "without an id@104"])
        #expect(try world.store.messages.places(of: message).map(\.key.uidValidity) == [8])
        #expect(
            try world.store.rules.rememberedMatches(account: work, of: .role(work, .inbox)) == [
                message: ["once"]
            ])
        #expect(try world.store.deferrals.all(account: work).map(\.message) == [message])
    }

    @Test("an interrupted rebinding is finished by the next sync")
    func rebindingInterrupted() async throws {
        let world = try SyncWorld([mailbox("INBOX", .inbox)], modSeq: 10)
        await world.source.deliver(mails(1...5))
        try await world.sync()
        let ids = try world.ids()
        await world.source.change { $0.uidValidity = 8 }
        await world.source.breakFetch(after: 2)
        await #expect(throws: FakeMailSource.Trouble.self) { try await world.sync() }
        await world.source.breakFetch(after: nil)
        try await world.sync()
        #expect(try world.list() == ["m1@1", "m2@2", "m3@3", "m4@4", "m5@5"])
        #expect(try world.ids() == ids)
    }
}

/// A folder suddenly empty is an unmounted disk more often than a tidy person.
@Suite("Suddenly empty mailboxes")
struct SuddenlyEmptyTests {
    private func world(_ count: Int, _ role: MailboxRole = .inbox, modSeq: UInt64? = nil) async throws
        -> SyncWorld
    {
        let world = try SyncWorld([mailbox("INBOX", role)], modSeq: modSeq)
        await world.source.deliver(mails(1...count))
        try await world.sync()
        return world
    }

    @Test(
        "a suddenly empty mailbox is ignored the first time, but not the second",
        arguments: [nil, 10] as [UInt64?])
    func secondTime(modSeq: UInt64?) async throws {
        let world = try await world(51, modSeq: modSeq)
        await world.source.remove(Array(1...51))
        let first = try await world.sync()
        #expect(first.removed == 0)
        #expect(
            first.problems == [
                "INBOX: empty, but 51 messages were here; nothing was changed; if it is still empty, the "
                    + "next sync removes them"
            ])
        #expect(try world.list().count == 51)

        let second = try await world.sync()
        #expect(second.removed == 51)
        #expect(try world.list().isEmpty)
    }

    @Test(
        "a mailbox that was full again in between is ignored again when it is empty",
        arguments: [nil, 10] as [UInt64?])
    func fullAgain(modSeq: UInt64?) async throws {
        let world = try await world(51, modSeq: modSeq)
        for _ in 1...3 {
            let messages = await world.source.swap([:])
            #expect(try await world.sync().removed == 0)
            _ = await world.source.swap(messages)
            #expect(try await world.sync().problems.isEmpty)
        }
        #expect(try world.list().count == 51)
    }

    @Test("an empty mailbox with a new UIDVALIDITY is ignored too")
    func emptyWithNewUIDValidity() async throws {
        let world = try await world(51)
        await world.source.change { box in
            box.uidValidity = 8
            box.messages = [:]
        }
        #expect(try await world.sync().problems.count == 1)
        #expect(try world.list().count == 51)
        #expect(try await world.sync().problems.isEmpty)
        #expect(try world.list().isEmpty)
    }

    @Test(
        "a few removed messages and an emptied trash are accepted at once",
        arguments: [MailboxRole.inbox, .trash])
    func believed(role: MailboxRole) async throws {
        let count = role == .trash ? 60 : 50
        let world = try await world(count, role)
        await world.source.remove((1...count).map(UInt32.init))
        #expect(try await world.sync().removed == count)
    }
}
