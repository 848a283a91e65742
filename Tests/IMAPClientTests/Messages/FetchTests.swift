import IMAPProtocol
import NIOCore
import TestSupport
import Testing
import Transport

@testable import IMAPClient

@Suite struct FetchTests {
    static let body = FetchItems(flags: true, body: .whole(maximum: 100))

    @Test("messages are delivered in the order of their data, and missing items are named")
    func messages() async throws {
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5:9 (UID FLAGS BODY.PEEK[])"),
                .raw("* 2 FETCH (UID 7 FLAGS (\\Seen) BODY[] {4}\r\na: b)\r\n"),
                .server("* 1 FETCH (FLAGS (\\Answered) UID 5)"),
                .server("* 1 FETCH (FLAGS (x) UID 99)"),
                .raw("* 1 FETCH (UID 5 BODY[] {4}\r\nc: d)\r\n"),
                .server("* 2 FETCH (UID 7 FLAGS ())"),
                .server("* 3 FETCH (UID 8 FLAGS (y) BODY[] NIL)"),
                .server("* 4 FETCH (UID 9 FLAGS (z))"),
                .server("A5 OK done"),
            ]
        ) { client in
            var seen: [FetchedMessage] = []
            try await client.messages.fetch(UIDSet(5...9), Self.body) { seen.append($0) }
            #expect(
                seen == [
                    FetchedMessage(uid: 7, flags: ["\\Seen"], body: ByteBuffer(string: "a: b")),
                    FetchedMessage(uid: 5, flags: ["\\Answered"], body: ByteBuffer(string: "c: d")),
                    FetchedMessage(uid: 8, flags: ["y"], missing: [.body]),
                    FetchedMessage(uid: 9, flags: ["z"], missing: [.body]),
                ])
        }
    }

    @Test("a message longer than the caller's limit is reported without its body, and the next one follows")
    func tooLong() async throws {
        let long = String(repeating: "x", count: 300)
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5:6 (UID FLAGS BODY.PEEK[])"),
                .raw("* 1 FETCH (UID 5 FLAGS () BODY[] {300}\r\n\(long))\r\n"),
                .raw("* 2 FETCH (UID 6 FLAGS () BODY[] {1}\r\ny)\r\n"),
                .server("A5 OK done"),
            ]
        ) { client in
            var seen: [FetchedMessage] = []
            try await client.messages.fetch([5, 6], Self.body) { seen.append($0) }
            #expect(
                seen == [
                    FetchedMessage(uid: 5, missing: [.body], omittedSize: 300),
                    FetchedMessage(uid: 6, body: ByteBuffer(string: "y")),
                ])
        }
    }

    @Test("a body longer than the requested start is cut")
    func partial() async throws {
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5 (UID BODY.PEEK[HEADER] BODY.PEEK[]<0.3>)"),
                .raw("* 1 FETCH (UID 5 BODY[HEADER] {2}\r\nab BODY[]<0> {6}\r\nabcdef)\r\n"),
                .server("A5 OK done"),
            ]
        ) { client in
            var seen: [FetchedMessage] = []
            try await client.messages.fetch([5], FetchItems(header: true, body: .first(3))) {
                seen.append($0)
            }
            #expect(
                seen == [
                    FetchedMessage(
                        uid: 5, header: ByteBuffer(string: "ab"), body: ByteBuffer(string: "abc"))
                ])
        }
    }

    @Test("a long set is split into commands of at most 8,000 bytes, several at once")
    func pipelining() async throws {
        let uids = UIDSet((1...3_000).map { UInt32($0 * 2 + 1_000_000) })
        let parts = uids.split(maximumBytes: 6_000)
        #expect(parts.count == 4)
        let commands = parts.enumerated().map { "A\($0.offset + 5) UID FETCH \($0.element) (UID FLAGS)" }
        #expect(commands.allSatisfy { $0.utf8.count <= 8_000 })
        let first = parts[0].first ?? 0
        try await talkInMailbox(
            .selected() + [
                .client(commands[0]), .client(commands[1]),
                .server("* 1 FETCH (UID \(first) FLAGS ())"), .server("A5 OK done"),
                .client(commands[2]),
                .server("A6 OK done"),
                .client(commands[3]),
                .server("A7 OK done"), .server("* 2 FETCH (UID \(parts[3].first ?? 0) FLAGS ())"),
                .server("A8 OK done"),
            ]
        ) { client in
            var seen: [UInt32] = []
            try await client.messages.fetch(uids, .flags, pipelineDepth: 2) { seen.append($0.uid) }
            #expect(seen == [first, parts[3].first ?? 0])
        }
    }

    @Test("a refused fetch delivers the messages before the refusal, and the connection stays usable")
    func refused() async throws {
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5:6 (UID FLAGS)"),
                .server("* 1 FETCH (UID 5 FLAGS ())"),
                .server("A5 NO [UNAVAILABLE] one is broken"),
                .client("A6 NOOP"),
                .server("A6 OK done"),
            ]
        ) { client in
            var seen: [UInt32] = []
            let refusal = IMAPClientError.refused(
                command: "UID FETCH", status: .no, code: .unavailable, text: "one is broken")
            await #expect(throws: refusal) {
                try await client.messages.fetch([5, 6], .flags) { seen.append($0.uid) }
            }
            #expect(seen == [5])
            try await client.noop()
        }
    }

    @Test("an unreadable message is found by halving the set, and only it is left out")
    func oneIsBroken() async throws {
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5:8 (UID BODY.PEEK[])"),
                .server("* 1 FETCH (UID 5 BODY[] {1}\r\na)"),
                .server("A5 NO the set holds a broken message"),
                .client("A6 UID FETCH 7:8 (UID BODY.PEEK[])"),
                .server("* 3 FETCH (UID 7 BODY[] {1}\r\nc)"),
                .server("* 4 FETCH (UID 8 BODY[] {1}\r\nd)"),
                .server("A6 OK done"),
                .client("A7 UID FETCH 6 (UID BODY.PEEK[])"),
                .server("A7 NO broken"),
                .client("A8 NOOP"),
                .server("A8 OK done"),
            ]
        ) { client in
            var seen: [UInt32] = []
            try await client.messages.fetch(
                inOrder: [[5, 6, 7, 8]], FetchItems(body: .whole(maximum: 9)), pipelineDepth: 1,
                skipsUnreadable: true
            ) { seen.append($0.uid) }
            #expect(seen == [5, 7, 8])
            try await client.noop()
        }
    }

    @Test("if the server refuses everything, opus does not try each message")
    func everythingIsRefused() async throws {
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5:6 (UID BODY.PEEK[])"), .server("A5 NO out of order"),
                .client("A6 UID FETCH 6 (UID BODY.PEEK[])"), .server("A6 NO out of order"),
                .client("A7 UID FETCH 5 (UID BODY.PEEK[])"), .server("A7 NO out of order"),
            ]
        ) { client in
            let refusal = IMAPClientError.refused(
                command: "UID FETCH", status: .no, code: nil, text: "out of order")
            await #expect(throws: refusal) {
                try await client.messages.fetch(
                    inOrder: [[5, 6]], FetchItems(body: .whole(maximum: 9)), pipelineDepth: 1,
                    skipsUnreadable: true
                ) { _ in }
            }
        }
    }

    @Test("if the connection ends inside a message, that message is not delivered and the client is closed")
    func cutOff() async throws {
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5:6 (UID FLAGS BODY.PEEK[])"),
                .raw("* 1 FETCH (UID 5 FLAGS () BODY[] {1}\r\ny)\r\n"),
                .raw("* 2 FETCH (UID 6 FLAGS () BODY[] {50}\r\nhalf of it"),
                .hangUp,
            ]
        ) { client in
            var seen: [UInt32] = []
            let ended = await IMAPClientError.transport(
                TransportError(.closedByPeer, endpoint: client.connection.endpoint))
            await #expect(throws: ended) {
                try await client.messages.fetch([5, 6], Self.body) { seen.append($0.uid) }
            }
            #expect(seen == [5])
            await #expect(throws: ended) { try await client.noop() }
        }
    }

    @Test("an error of the callback ends the connection and is thrown")
    func callbackFails() async throws {
        struct DiskFull: Error {}
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5:6 (UID FLAGS)"), .server("* 1 FETCH (UID 5 FLAGS ())"),
            ]
        ) { client in
            await #expect(throws: DiskFull.self) {
                try await client.messages.fetch([5, 6], .flags) { _ in throw DiskFull() }
            }
            await #expect(throws: IMAPClientError.abandoned) { try await client.noop() }
        }
    }

    @Test("the client does not read from the server while the callback runs")
    func backPressure() async throws {
        let sent = Counter()
        let megabyte = String(repeating: "x", count: 1_000_000)
        let messages = (1...60).flatMap { uid in
            [.raw("* \(uid) FETCH (UID \(uid) BODY[] {1000000}\r\n\(megabyte))\r\n"), .count(sent)] as [Line]
        }
        let transcript: [Line] =
            .selected() + [.client("A5 UID FETCH 1:60 (UID BODY.PEEK[])")] + messages + [
                .server("A5 OK done")
            ]
        try await talkInMailbox(transcript) { client in
            var count = 0
            try await client.messages.fetch(UIDSet(1...60), FetchItems(body: .whole(maximum: 1_000_000))) {
                message in
                if count == 0 {
                    try await Task.sleep(for: .milliseconds(300))
                    #expect(sent.value < 40)
                }
                #expect(message.body?.readableBytes == 1_000_000)
                count += 1
            }
            #expect(count == 60)
            #expect(sent.value == 60)
        }
    }

    @Test("later changes of flags do not deliver a message again")
    func changedMeanwhile() async throws {
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5:6 (UID FLAGS INTERNALDATE RFC822.SIZE)"),
                .server(
                    #"* 1 FETCH (UID 5 FLAGS () INTERNALDATE "01-Jan-1970 00:00:01 +0000" RFC822.SIZE 3)"#),
                .server(#"* 1 FETCH (UID 5 FLAGS (\Seen))"#),
                .server(#"* 2 FETCH (UID 6 FLAGS () INTERNALDATE "never" RFC822.SIZE -1)"#),
                .server("A5 OK done"),
            ]
        ) { client in
            var seen: [FetchedMessage] = []
            try await client.messages.fetch([5, 6], .listing) { seen.append($0) }
            #expect(
                seen == [
                    FetchedMessage(uid: 5, internalDate: 1, size: 3),
                    FetchedMessage(uid: 6, missing: [.internalDate, .size]),
                ])
        }
    }

    @Test("identifiers, labels, structure and sections are delivered with the message")
    func identities() async throws {
        var items = FetchItems(flags: true)
        items.bodyStructure = true
        items.objectIDs = true
        items.gmailIDs = true
        items.gmailLabels = true
        items.sections = [
            SectionRequest("1", count: 10), SectionRequest("2", .mime, offset: 0, count: 3),
        ]
        let asked = items
        try await talkInMailbox(
            .selected("IMAP4rev1 OBJECTID X-GM-EXT-1") + [
                .client(
                    "A5 UID FETCH 5:7 (UID FLAGS BODYSTRUCTURE EMAILID THREADID X-GM-MSGID X-GM-THRID "
                        + "X-GM-LABELS BODY.PEEK[1] BODY.PEEK[2.MIME]<0.3>)"),
                .server(
                    #"* 1 FETCH (UID 5 FLAGS (\Seen) EMAILID (M5) THREADID (T1) X-GM-MSGID 1278455344230334865 "#
                        + #"X-GM-THRID 12 X-GM-LABELS (\Inbox) "#
                        + #"BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" 4 1))"#),
                .raw("* 1 FETCH (UID 5 BODY[1] {4}\r\nbody BODY[2.MIME]<0> {5}\r\nabcde)\r\n"),
                .raw("* 2 FETCH (UID 6 FLAGS () BODY[1] {11}\r\nelevenbytes BODY[2.MIME]<0> NIL)\r\n"),
                .server("A5 OK done"),
            ]
        ) { client in
            var seen: [FetchedMessage] = []
            try await client.messages.fetch([5, 6, 7], asked) { seen.append($0) }
            #expect(seen.map(\.uid) == [5, 6])
            let first = seen[0]
            #expect(first.emailID == "M5")
            #expect(first.gmailID == 1_278_455_344_230_334_865)
            #expect(first.labels == [bytes("\\Inbox")])
            #expect(first.structure?.parts.first?.subtype == "plain")
            #expect(first.sections["1"] == ByteBuffer(string: "body"))
            #expect(first.sections["2.MIME"] == ByteBuffer(string: "abc"))
            #expect(first.missing == [])
            #expect(seen[1].missing == [.labels, .structure, .sections])
            #expect(seen[1].sections.isEmpty)
            #expect(seen[1].omittedSize == 11)
        }
    }

    @Test("a piece of a message is used only if the server confirms its start")
    func pieces() async throws {
        var items = FetchItems()
        items.sections = [SectionRequest("", offset: 4, count: 3)]
        let asked = items
        try await talkInMailbox(
            .selected() + [
                .client("A5 UID FETCH 5:7 (UID BODY.PEEK[]<4.3>)"),
                .raw("* 1 FETCH (UID 5 BODY[]<4> {3}\r\nefg)\r\n"),
                // A server that does not know partial fetches, and one that counts from another place.
                .raw("* 2 FETCH (UID 6 BODY[] {7}\r\nabcdefg)\r\n"),
                .raw("* 3 FETCH (UID 7 BODY[]<0> {3}\r\nabc)\r\n"),
                .server("A5 OK done"),
            ]
        ) { client in
            var seen: [UInt32: ByteBuffer?] = [:]
            try await client.messages.fetch([5, 6, 7], asked) { seen[$0.uid] = $0.sections[""] }
            #expect(seen == [5: ByteBuffer(string: "efg"), 6: nil, 7: nil])
        }
    }

    @Test("sets are requested in the given order, several at a time")
    func inOrder() async throws {
        try await talkInMailbox(
            .selected() + [
                .clientBytes("A5 UID FETCH 8:9 (UID FLAGS)\r\nA6 UID FETCH 5:7 (UID FLAGS)\r\n"),
                .server("* 1 FETCH (UID 9 FLAGS ())"), .server("A5 OK done"),
                .server("* 1 FETCH (UID 5 FLAGS ())"), .server("A6 OK done"),
            ]
        ) { client in
            var seen: [UInt32] = []
            try await client.messages.fetch(inOrder: [UIDSet(8...9), [], UIDSet(5...7)], .flags) {
                seen.append($0.uid)
            }
            #expect(seen == [9, 5])
        }
    }

    @Test("identifiers are not requested from a server without them")
    func noIdentities() async throws {
        try await talkInMailbox(.selected()) { client in
            var items = FetchItems()
            items.objectIDs = true
            let objectIDs = items
            await #expect(throws: IMAPClientError.missingCapability(.objectID)) {
                try await client.messages.fetch([5], objectIDs) { _ in }
            }
            items.objectIDs = false
            items.gmailLabels = true
            let labels = items
            await #expect(throws: IMAPClientError.missingCapability(.gmail)) {
                try await client.messages.fetch([5], labels) { _ in }
            }
        }
    }

    @Test("an empty set sends no command")
    func empty() async throws {
        try await talkInMailbox(.selected()) { client in
            try await client.messages.fetch([], .flags) { _ in Issue.record("a message of nothing") }
        }
    }
}
