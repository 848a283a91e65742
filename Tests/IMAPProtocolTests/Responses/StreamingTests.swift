import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

@Suite struct StreamingTests {
    private func events(_ raw: String, pieces size: Int, from threshold: Int?) throws -> [DecodedEvent] {
        var decoder = ResponseDecoder()
        decoder.streamThreshold = threshold
        var events: [DecodedEvent] = []
        var rest = bytes(raw)[...]
        while !rest.isEmpty {
            decoder.feed(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let event = try decoder.nextEvent() { events.append(event) }
        }
        return events
    }

    private func bodies(_ raw: String) throws -> [BodyChunk] {
        try events(raw, pieces: 1, from: 4).compactMap {
            guard case .body(let chunk) = $0 else { return nil }
            return chunk
        }
    }

    @Test(
        "long message data arrives in pieces that join to the whole, and is never collected",
        arguments: [Int.max, 1, 7, 64])
    func stream(pieces: Int) throws {
        let body = String(repeating: "0123456789)\r\n", count: 40)
        let raw =
            "* 3 FETCH (UID 9 ENVELOPE (NIL \" UID 77 \" NIL NIL NIL NIL NIL NIL NIL NIL) BODY[HEADER] {4}\r\na: b "
            + "BODY[1.2]<0> {\(body.utf8.count)}\r\n\(body) FLAGS (\\Seen))\r\n* 4 EXISTS\r\n"
        let events = try events(raw, pieces: pieces, from: 100)
        var joined: [UInt8] = []
        for case .body(let chunk) in events {
            #expect(chunk.uid == 9 && chunk.sequenceNumber == 3)
            #expect(chunk.section == "1.2" && chunk.origin == 0)
            #expect(chunk.offset == joined.count && chunk.total == body.utf8.count)
            joined += Array(chunk.bytes.readableBytesView)
            #expect(chunk.isLast == (joined.count == body.utf8.count))
        }
        #expect(joined == bytes(body))
        guard case .response(.untagged(.fetch(let fetch))) = events.dropLast().last else {
            Issue.record("no FETCH after its data")
            return
        }
        #expect(fetch.flags == ["\\Seen"])
        #expect(fetch.section("1.2")?.content == .omitted(size: body.utf8.count))
        #expect(fetch.section("HEADER")?.content == .bytes(ByteBuffer(string: "a: b")))
        #expect(events.last == .response(.exists(4)))
    }

    @Test("without a threshold a body is one event, and data outside a message has no number")
    func whole() throws {
        let raw = "* 3 FETCH (BODY[] {5}\r\nhello UID 9)\r\n"
        #expect(try events(raw, pieces: 1, from: nil).count == 1)
        let chunks = try bodies(raw)
        #expect(!chunks.isEmpty && chunks.allSatisfy { $0.uid == nil })
        let outside = try bodies("* X BODY[] {5}\r\nhello\r\n")
        #expect(!outside.isEmpty && outside.allSatisfy { $0.sequenceNumber == 0 })
    }

    @Test("a body of more than 2 GiB ends the session also when it is streamed")
    func bound() {
        #expect(throws: FramingError.literalTooLong(actual: 3_000_000_000, maximum: 2_147_483_648)) {
            try events("* 1 FETCH (BODY[] {3000000000}\r\n", pieces: 9, from: 10)
        }
    }
}
