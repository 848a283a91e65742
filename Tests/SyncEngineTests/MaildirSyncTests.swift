import Foundation
import MaildirClient
import Models
import SyncEngine
import Testing

/// A Maildir under the hands of other programs.
@Suite("Maildir sync")
struct MaildirSyncTests {
    @Test("a first sync fetches everything with its marks, and a second one changes nothing")
    func firstSync() async throws {
        let world = try MaildirWorld()
        try world.append("m1", flags: [.seen])
        try world.append("m2")
        #expect(try await world.sync().added == 2)
        #expect(
            try world.sync.list() == ["m2@1", "m1@2 seen"] || world.sync.list() == ["m1@1 seen", "m2@2"])
        let second = try await world.sync()
        #expect((second.added, second.changed, second.removed) == (0, 0, 0))
    }

    @Test("a file that another program marks between listing and reading is read")
    func renamedMeanwhile() async throws {
        let world = try MaildirWorld()
        try world.append("m1")
        try world.append("m2")
        let report = try await world.sync {
            _ = try $0.setFlags(.inbox, unique: "100.m1", add: [.seen, .flagged])
        }
        #expect(report.added == 2)
        #expect(report.problems.isEmpty)
        try await world.sync()
        #expect(try world.sync.list().contains { $0.hasPrefix("m1@") && $0.hasSuffix(" flagged seen") })
    }

    @Test("a file removed between listing and reading is skipped, and the next sync has no problem")
    func goneMeanwhile() async throws {
        let world = try MaildirWorld()
        try world.append("m1")
        try world.append("m2")
        let report = try await world.sync {
            _ = try $0.move(unique: "100.m1", from: .inbox, to: archive)
        }
        #expect(report.mailboxes.first?.skipped == 1)
        let second = try await world.sync()
        #expect(second.problems.isEmpty)
        #expect(try world.sync.list().map { String($0.prefix(2)) } == ["m2"])
        #expect(try world.sync.list(archive).map { String($0.prefix(2)) } == ["m1"])
    }

    @Test("a message that another program moved keeps its id")
    func moved() async throws {
        let world = try MaildirWorld()
        try world.append("m1")
        try await world.sync()
        let ids = try world.sync.ids()
        _ = try world.client.move(unique: "100.m1", from: .inbox, to: archive)
        try await world.sync()
        #expect(try world.sync.ids() == ids)
        #expect(try world.sync.list().isEmpty)
        #expect(try world.sync.list(archive) == ["m1@1"])
    }

    @Test("a message that returns to a mailbox gets a new UID")
    func comesBack() async throws {
        let world = try MaildirWorld()
        try world.append("m1")
        try await world.sync()
        _ = try world.client.move(unique: "100.m1", from: .inbox, to: archive)
        try await world.sync()
        _ = try world.client.move(unique: "100.m1", from: archive, to: .inbox)
        try await world.sync()
        #expect(try world.sync.list() == ["m1@2"])
    }

    @Test("marks set by another program are taken over")
    func marks() async throws {
        let world = try MaildirWorld()
        try world.append("m1")
        try await world.sync()
        _ = try world.client.setFlags(
            .inbox, unique: "100.m1", add: [.flagged], addKeywords: [Keyword("reading")])
        #expect(try await world.sync().changed == 1)
        #expect(try world.sync.list() == ["m1@1 flagged reading"])
    }

    @Test("an unmounted disk ends the sync, and nothing in the store is lost")
    func unmounted() async throws {
        let world = try MaildirWorld()
        try world.append("m1")
        try await world.sync()
        try FileManager.default.moveItem(atPath: world.path, toPath: world.path + "-away")
        defer { try? FileManager.default.removeItem(atPath: world.path + "-away") }
        await #expect(throws: MaildirError.self) { try await world.sync() }
        #expect(try world.sync.list() == ["m1@1"])
    }
}

/// A Maildir in a folder of its own, and a store to synchronise it into.
final class MaildirWorld: Sendable {
    let path: String
    let client: Maildir
    let sync: SyncWorld

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/opus-maildir-\(UUID().uuidString)"
        client = Maildir(root: path, account: work)
        try client.createRoot()
        try client.create(archive)
        sync = try SyncWorld()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func append(_ subject: String, flags: Set<Flag> = [], to mailbox: MailboxName = .inbox) throws {
        _ = try client.addMessage(
            to: mailbox, message: mail(subject, id: subject), flags: flags, unique: "100.\(subject)",
            received: Timestamp(seconds: 100))
    }

    @discardableResult
    func sync(meddling: (@Sendable (Maildir) throws -> Void)? = nil) async throws -> SyncReport {
        try await sync.sync(
            from: MeddledSource(inner: MaildirMailSource(client: client), client: client, meddling: meddling))
    }
}

/// A Maildir source, and another program that acts between listing and reading.
private struct MeddledSource: MailSource {
    let inner: MaildirMailSource
    let client: Maildir
    let meddling: (@Sendable (Maildir) throws -> Void)?

    func mailboxes() async throws -> [Mailbox] { try await inner.mailboxes() }
    func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox {
        try await inner.open(mailbox, since: known)
    }

    func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) async throws -> MessageListing {
        try await inner.listing(of: mailbox, uids: uids, detail: detail)
    }

    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        if mailbox.role == .inbox { try meddling?(client) }
        try await inner.fetch(messages, of: mailbox, limit: limit, deliver: deliver)
    }
}
