import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

/// What a hostile server can do to us: nothing, within bounds that each error names.
@Suite struct LimitTests {
    static func limited(_ change: (inout ResponseLimits) -> Void) -> ResponseLimits { ResponseLimits(change) }

    @Test(
        "a line of the maximum length is read, and one byte more ends the session",
        arguments: [Int.max, 1, 7])
    func line(pieces: Int) throws {
        let limits = Self.limited { $0.line = 100 }
        let longest = bytes("* OK " + String(repeating: "x", count: 95) + "\r\n")
        #expect(try decode(longest, pieces: pieces, limits: limits).responses.count == 1)
        let tooLong = bytes("* OK " + String(repeating: "x", count: 97) + "\r\n")
        #expect(throws: FramingError.self) { try decode(tooLong, pieces: pieces, limits: limits) }
    }

    @Test("an endless line is refused as soon as it is too long, with its size and the maximum")
    func endlessLine() throws {
        var decoder = ResponseDecoder()
        let chunk = ByteBuffer(repeating: UInt8(ascii: "x"), count: 16_384)
        for _ in 0..<4 {
            decoder.feed(chunk)
            #expect(try decoder.next() == nil)
        }
        decoder.feed(chunk)
        #expect(throws: FramingError.lineTooLong(actual: 81_920, maximum: 65_536)) { try decoder.next() }
    }

    @Test("a search result may be longer than other lines")
    func numberLine() throws {
        let numbers = Array(UInt32(1)...100_000)
        let raw = bytes("* SEARCH " + numbers.map(String.init).joined(separator: " ") + "\r\n")
        #expect(try decode(raw, pieces: 1_000).responses == [.search(numbers, highestModSeq: nil)])
        let limits = Self.limited { $0.numbers = 1_000 }
        guard case .untagged(.unparsable(let found)) = try decode(raw, limits: limits).responses.first else {
            Issue.record("a list beyond the limit was read")
            return
        }
        #expect(found.reason == .tooManyItems(actual: 1_001, maximum: 1_000))
    }

    @Test("a list of numbers may be long, in whatever pieces it arrives", arguments: [Int.max, 7, 1])
    func spacedNumberLine(pieces: Int) throws {
        let limits = Self.limited { $0.line = 100 }
        let numbers = Array(UInt32(1_000)...1_100)
        let list = numbers.map(String.init).joined(separator: " ")
        let spaced = bytes("*" + String(repeating: " ", count: 10) + "SEARCH " + list + "\r\n")
        let found = Response.search(numbers, highestModSeq: nil)
        #expect(try decode(spaced, pieces: pieces, limits: limits).responses == [found])
        let hidden = bytes("*" + String(repeating: " ", count: 40) + "SEARCH " + list + "\r\n")
        #expect(throws: FramingError.self) { try decode(hidden, pieces: pieces, limits: limits) }
    }

    @Test(
        "only the requested start of a longer body is kept",
        arguments: [Int.max, 7, 1])
    func keptStart(pieces: Int) throws {
        var decoder = ResponseDecoder()
        decoder.bodyLimit = 4
        decoder.keepsStart = true
        let raw = bytes(
            "* 1 FETCH (UID 5 BODY[]<0.4> {10}\r\n0123456789 BODY[1] {2}\r\nab)\r\n* 2 EXISTS\r\n")
        var found: [Response] = []
        for start in stride(from: 0, to: raw.count, by: min(pieces, raw.count)) {
            decoder.feed(ByteBuffer(bytes: raw[start..<min(raw.count, start + min(pieces, raw.count))]))
            while let response = try decoder.next() { found.append(response) }
        }
        var fetch = FetchResponse(sequenceNumber: 1)
        fetch.uid = 5
        fetch.sections = [
            BodySection(name: "", origin: 0, content: .bytes(ByteBuffer(string: "0123"))),
            BodySection(name: "1", content: .omitted(size: 2)),
        ]
        #expect(found == [.fetch(fetch), .exists(2)])
    }

    @Test("literals other than message data are limited, each and together")
    func literal() throws {
        #expect(throws: FramingError.literalTooLong(actual: 1_048_577, maximum: 1_048_576)) {
            try decode("* LIST () \"/\" {1048577}\r\n")
        }
        let limits = Self.limited { $0.literal = 10 }
        #expect(throws: FramingError.literalTooLong(actual: 12, maximum: 10)) {
            try decode("* ID ({6}\r\nabcdef {6}\r\n", limits: limits)
        }
        #expect(throws: FramingError.literalTooLong(actual: .max, maximum: 2 * 1_024 * 1_024 * 1_024)) {
            try decode("* LIST () \"/\" {99999999999999999999}\r\n")
        }
    }

    @Test(
        "message data beyond the limit is skipped in any pieces, and the session continues",
        arguments: [Int.max, 1, 7])
    func omitted(pieces: Int) throws {
        let limits = Self.limited { $0.body = 10 }
        let big = String(repeating: ")", count: 500)
        let raw = "* 1 FETCH (BODY[HEADER] {4}\r\na: b BODY[] {500}\r\n\(big) UID 7)\r\n* 2 EXISTS\r\n"
        let (responses, decoder) = try decode(bytes(raw), pieces: pieces, limits: limits)
        var expected = FetchResponse(sequenceNumber: 1)
        expected.uid = 7
        expected.sections = [
            BodySection(name: "HEADER", content: .bytes(ByteBuffer(string: "a: b"))),
            BodySection(name: "", content: .omitted(size: 500)),
        ]
        #expect(responses == [.fetch(expected), .exists(2)])
        #expect(decoder.parsedBytes < 100)
    }

    @Test("a literal after a label that ends in a bracket is not message data")
    func bracketLabel() throws {
        let limits = Self.limited { $0.body = 0 }
        var expected = FetchResponse(sequenceNumber: 1)
        expected.gmailLabels = [bytes("[x]"), bytes("a>"), bytes("y\"")]
        let raw = "* 1 FETCH (X-GM-LABELS ([x] {2}\r\na> {2}\r\ny\"))\r\n"
        #expect(try decode(raw, limits: limits) == [.fetch(expected)])
    }

    @Test("a body of more than 2 GiB ends the session")
    func giantBody() {
        #expect(throws: FramingError.literalTooLong(actual: 3_000_000_000, maximum: 2_147_483_648)) {
            try decode("* 1 FETCH (BODY[] {3000000000}\r\n")
        }
    }

    @Test("an announced body waits for its octets")
    func announcedOnly() throws {
        var decoder = ResponseDecoder()
        for _ in 0..<1_000 {
            var fresh = ResponseDecoder()
            fresh.feed(ByteBuffer(string: "* 1 FETCH (BODY[] {52428800}\r\n"))
            #expect(try fresh.next() == nil)
            decoder = fresh
        }
        #expect(!decoder.isEmpty)
    }

    @Test("the number of literals and the text between them are limited")
    func manyLiterals() {
        let limits = Self.limited { $0.responseText = 70_000 }
        #expect(throws: FramingError.tooManyLiterals(actual: 1_001, maximum: 1_000)) {
            try decode("* ID (" + String(repeating: "{0}\r\n", count: 1_001))
        }
        let line = String(repeating: "x", count: 60_000) + " {0}\r\n"
        #expect(throws: FramingError.responseTooLong(actual: 120_011, maximum: 70_000)) {
            try decode("* X " + line + line, limits: limits)
        }
    }

    @Test(
        "whether FETCH lines between literals are too long does not depend on how they arrive",
        arguments: [1, 7, 4_096])
    func longLinesOfFetch(piece: Int) throws {
        let limits = Self.limited {
            $0.line = 64; $0.responseText = 400
        }
        func read(_ second: Int) throws -> Response? {
            let text = "* 1 FETCH (X {1}\r\na \"" + String(repeating: "x", count: second) + "\")\r\n"
            var decoder = ResponseDecoder(limits: limits)
            for start in stride(from: 0, to: text.utf8.count, by: piece) {
                decoder.feed(ByteBuffer(bytes: Array(text.utf8.dropFirst(start).prefix(piece))))
                if let response = try decoder.next() { return response }
            }
            return nil
        }
        #expect(try read(370) != nil)
        #expect(throws: FramingError.self) { try read(390) }
    }

    @Test("parentheses may nest up to the limit, without recursion")
    func nesting() throws {
        func response(_ depth: Int) -> String {
            let open = String(repeating: "(", count: depth)
            let close = String(repeating: ")", count: depth)
            return "* 1 FETCH (X \(open)\(close) UID 5)\r\n"
        }
        var expected = FetchResponse(sequenceNumber: 1)
        expected.uid = 5
        #expect(try decode(response(64)) == [.fetch(expected)])
        guard case .untagged(.unparsable(let found)) = try decode(response(30_000)).first else {
            Issue.record("a tower of parentheses was read")
            return
        }
        #expect(found.reason == .nesting(actual: 65, maximum: 64))
    }

    @Test("lists may have items up to the limit")
    func items() throws {
        let limits = Self.limited { $0.items = 50 }
        for raw in [
            "* FLAGS (" + String(repeating: "a ", count: 51) + ")\r\n",
            "* 1 FETCH (X (" + String(repeating: "a ", count: 51) + "))\r\n",
            "* ID (" + String(repeating: "\"a\" NIL ", count: 51) + ")\r\n",
            "* NAMESPACE (" + String(repeating: "(\"\" NIL)", count: 51) + ") NIL NIL\r\n",
            "* STATUS x (" + String(repeating: "X 1 ", count: 51) + ")\r\n",
        ] {
            guard case .untagged(.unparsable(let found)) = try decode(raw, limits: limits).first else {
                Issue.record("read: \(raw)")
                continue
            }
            #expect(found.reason == .tooManyItems(actual: 51, maximum: 50))
        }
    }

    @Test("a COPYUID that names every UID is not accepted as proof")
    func copyUID() throws {
        let responses = try decode("* OK [COPYUID 1 1:4294967295 1:4294967295] x\r\n")
        let arguments = "1 1:4294967295 1:4294967295"
        #expect(
            responses == [
                .status(StatusResponse(.ok, code: .other(name: "COPYUID", arguments: arguments), text: "x"))
            ])
    }
}
