import DialectServer
import IMAPClient
import IMAPProtocol
import NIOCore
import Testing

/// The server itself: it is who it says it is, and it answers as its model says.
@Suite struct DialectProfileTests {
    private static let kinds: [String: ServerProfile.Kind] = [
        "gmail": .gmail, "outlook": .outlook, "icloud": .icloud, "yahoo": .yahoo, "exchange2010": .exchange,
        "proton": .proton, "zimbra": .zimbra, "qq": .qq, "netease": .netease, "courier": .courier,
        "cyrus": .cyrus, "stalwart": .stalwart, "dovecot": .dovecot, "plain RFC 3501": .unknown,
    ]

    @Test("a dialect is recognised for what it imitates", arguments: DialectProfile.all)
    func recognised(_ profile: DialectProfile) async throws {
        try await withWorld(profile) { world in
            let client = try await world.client()
            #expect(await client.profile.kind == Self.kinds[profile.name])
            _ = try await client.mailboxes.list()
            #expect(await client.unparsableCount == 0)
        }
    }

    @Test("there are at least twelve dialects, each with a name of its own")
    func names() {
        #expect(Set(DialectProfile.all.map(\.name)).count >= 12)
    }

    @Test("a wrong password is refused")
    func wrongPassword() async throws {
        try await withWorld(.dovecot) { world in
            await #expect(throws: IMAPClientError.self) {
                _ = try await world.client(password: "wrong")
            }
        }
    }

    @Test("a message is fetched byte for byte, whole, in part and by section")
    func sections() async throws {
        try await withWorld(.dovecot) { world in
            let bytes = TestMail.withAttachment("one")
            world.server.act { _ = $0.deliver(bytes) }
            let client = try await world.client()
            _ = try await client.mailboxes.select(Array("INBOX".utf8), readOnly: true)
            var items = FetchItems(body: .whole(maximum: 10_000))
            items.bodyStructure = true
            items.sections = [
                SectionRequest("1", count: 1_000), SectionRequest("2", .mime, count: 1_000),
                SectionRequest("1", .mime, offset: 3, count: 5),
            ]
            var seen: [FetchedMessage] = []
            try await client.messages.fetch(UIDSet(1...1), items) { seen.append($0) }
            let message = try #require(seen.first)
            #expect(message.body.map { Array($0.readableBytesView) } == bytes)
            #expect(message.sections["1"].map { String(buffer: $0) } == "This is one.")
            #expect(message.sections["2.MIME"].map { String(buffer: $0) }?.contains("data.bin") == true)
            // The whole, and its two parts.
            #expect(message.structure?.parts.count == 3)
        }
    }

    @Test("a silent session ends after a time, and the next one continues")
    func autologout() async throws {
        try await withWorld(.dovecot) { world in
            world.server.act { fill(&$0) }
            try await world.sync()
            world.server.advance(seconds: 31 * 60)
            // It fails, or learns of the end in time and connects again.
            _ = try? await world.sync()
            try await world.sync()
            try await world.expectConverged()
        }
    }
}
