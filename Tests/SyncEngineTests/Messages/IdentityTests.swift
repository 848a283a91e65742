import MailStore
import Models
import SyncEngine
import Testing

/// Which messages are one message, and which conversation they belong to.
@Suite("Identity of messages")
struct IdentityTests {
    @Test("the same message in two mailboxes is one message with two places")
    func twoMailboxes() async throws {
        let world = try SyncWorld()
        await world.source.deliver([mail("Hello", id: "h")])
        await world.source.deliver([mail("Hello", id: "h")], to: archive)
        #expect(try await world.sync().added == 2)
        let ids = try world.ids()["Hello"] ?? []
        #expect(ids.count == 1)
        let places = try ids.first.map { try world.store.messages.places(of: $0) } ?? []
        #expect(places.map(\.mailbox.displayName).sorted() == ["Archive", "INBOX"])
    }

    @Test("the same message twice in one mailbox is one message with two places")
    func twiceInOneMailbox() async throws {
        let world = try SyncWorld()
        await world.source.deliver([mail("Hello", id: "h"), mail("Hello", id: "h")])
        let report = try await world.sync()
        #expect(report.added == 2)
        #expect(report.problems.isEmpty)
        #expect(try world.ids()["Hello"]?.count == 1)
        #expect(try world.list() == ["Hello@1", "Hello@2"])
    }

    @Test("other line ends do not make another message")
    func lineEnds() async throws {
        let world = try SyncWorld()
        let bytes = mail("Hello", id: "h")
        await world.source.deliver([bytes])
        await world.source.deliver([bytes.filter { $0 != 13 }], to: archive)
        try await world.sync()
        #expect(try world.ids()["Hello"]?.count == 1)
    }

    @Test("two messages with one Message-ID have different ids", arguments: [false, true])
    func sameMessageID(acrossSyncs: Bool) async throws {
        let world = try SyncWorld()
        await world.source.deliver([mail("Real", id: "same")])
        if acrossSyncs { try await world.sync() }
        await world.source.deliver([mail("Forged", id: "same")])
        try await world.sync()
        let real = try #require(try world.ids()["Real"])
        let forged = try #require(try world.ids()["Forged"])
        #expect((real.count, forged.count) == (1, 1))
        #expect(real != forged)
        let byMessageID = EmailIdentity.id(account: work, messageID: MessageID("same@x"))
        #expect((real + forged).contains(byMessageID))
    }

    @Test("messages without a Message-ID are distinguished by their headers")
    func withoutMessageID() async throws {
        let world = try SyncWorld()
        await world.source.deliver([mail("One"), mail("Two"), mail("One")])
        try await world.sync()
        #expect(try world.ids().mapValues(\.count) == ["One": 1, "Two": 1])
        #expect(try world.list() == ["One@1", "Two@2", "One@3"])
    }

    @Test(
        "two messages with equal headers are two messages, in one sync or in two", arguments: [false, true])
    func equalHeaders(acrossSyncs: Bool) async throws {
        let world = try SyncWorld()
        // A Message-ID and a Received field, and another size; neither, and the same size.
        await world.source.deliver([mail("Scan", body: "one\r\n"), mail("Sent", id: "s", body: "short\r\n")])
        if acrossSyncs { try await world.sync() }
        await world.source.deliver(
            [mail("Scan", body: "two\r\n"), mail("Sent", id: "s", body: "longer\r\n")], to: archive)
        try await world.sync()
        let ids = try world.ids()
        #expect(ids.mapValues(\.count) == ["Scan": 2, "Sent": 2])
        let texts = try world.store.messages.facts(.everything(work), including: .text).compactMap(\.text)
        #expect(Set(texts.map { $0.filter { !$0.isWhitespace } }) == ["one", "two", "short", "longer"])
    }

    @Test("a moved message is recognised by its header only if the header identifies it")
    func movedHeader() async throws {
        let world = try SyncWorld(modSeq: 10)
        await world.source.deliver([mail("Scan", body: "one\r\n"), mail("Known", id: "k")])
        try await world.sync()
        await world.source.forgetRequests()
        await world.source.remove([1, 2])
        await world.source.deliver([mail("Scan", body: "two\r\n"), mail("Known", id: "k")], to: archive)
        try await world.sync()
        #expect(await world.source.fetched == ["Archive 1"])
        #expect(try world.ids().mapValues(\.count) == ["Scan": 1, "Known": 1])
        let texts = try world.store.messages.facts(.everything(work), including: .text).compactMap(\.text)
        #expect(texts.contains { $0.hasPrefix("two") } && !texts.contains { $0.hasPrefix("one") })
    }

    @Test("header fields that a server adds do not make another message")
    func rewrittenFields() async throws {
        let world = try SyncWorld()
        func marked(_ number: Int) -> [UInt8] {
            Array("Status: R\(number)\r\nX-UID: \(number)\r\nX-Keywords: a\r\n  b\(number)\r\n".utf8)
                + mail("Hello", id: "h")
        }
        await world.source.deliver([marked(1)])
        try await world.sync()
        await world.source.deliver([marked(22), mail("Hello", id: "h")], to: archive)
        try await world.sync()
        #expect(try world.ids()["Hello"]?.count == 1)
    }

    @Test("an id is the same after the store is lost")
    func storeLost() async throws {
        let first = try SyncWorld()
        let second = try SyncWorld()
        await first.source.deliver([mail("One"), mail("Two", id: "two")])
        await second.source.deliver([mail("Two", id: "two")], to: archive)
        await second.source.deliver([mail("One")])
        try await first.sync()
        try await second.sync()
        #expect(try first.ids() == second.ids())
    }

    @Test("a later reply joins its thread, and a missing link joins two threads")
    func threadsMergeAcrossBatches() async throws {
        let world = try SyncWorld()
        await world.source.deliver([
            mail("root", id: "root"), mail("leaf", id: "leaf", references: ["middle"]),
            mail("other", id: "other"),
        ])
        try await world.sync()
        var threads = try world.threads()
        #expect(threads["root"] != threads["leaf"])

        await world.source.deliver([mail("middle", id: "middle", references: ["root"])], to: archive)
        try await world.sync()
        threads = try world.threads()
        #expect(threads["root"] == threads["middle"])
        #expect(threads["leaf"] == threads["middle"])
        #expect(threads["other"] != threads["middle"])

        await world.source.deliver([mail("late", id: "late", references: ["leaf"])])
        try await world.sync()
        #expect(try world.threads()["late"] == threads["root"])
    }

    @Test("a thread longer than one batch is one thread")
    func longThread() async throws {
        let world = try SyncWorld([mailbox("INBOX", .inbox)])
        await world.source.deliver(
            (1...600).map { mail("m\($0)", id: "m\($0)", references: $0 == 1 ? [] : ["m\($0 - 1)"]) })
        try await world.sync()
        #expect(try Set(world.threads().values).count == 1)
    }
}
