import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

@Suite struct ResponseTests {
    @Test(
        "every response is read the same, whole and in pieces of 1 and 7 bytes",
        arguments: statusRows + mailboxRows + fetchRows + extensionRows)
    func table(_ row: ResponseRow) throws {
        for pieces in [Int.max, 1, 7] {
            let (responses, decoder) = try decode(bytes(row.raw), pieces: pieces)
            #expect(responses == row.expected, "in pieces of \(pieces)")
            #expect(decoder.isEmpty)
            #expect(decoder.quirks.seen == [])
        }
    }

    @Test(
        "a response that cannot be parsed is counted and skipped, and the session continues",
        arguments: [
            ("* LIST (\\Noselect \"/\" x", Unparsable.Reason.expected("flag")),
            ("* 1 FETCH (UID 5", .unbalancedParentheses),
            ("* 1 FETCH (ENVELOPE ((NIL NIL)", .unbalancedParentheses), ("* QUOTA", .expected("quota root")),
            ("* 1 FETCH (BODYSTRUCTURE (\"text", .expected("closing quote")),
            ("* 1 FETCH UID 5", .expected("(")),
            ("* SEARCH 1 two", .expected("number")),
            ("* SEARCH 4294967296", .numberTooLarge),
            ("* 99999999999999999999 EXISTS", .numberTooLarge),
            ("* VANISHED 1:*", .expected("number")),
            ("* VANISHED", .expected("number")),
            ("* ESEARCH (TAG \"a\" UID", .expected(")")),
            ("* LIST () \"/\" \"open", .expected("closing quote")),
            ("* STATUS", .expected("mailbox name")),
            ("* ID (\"a\"", .expected("field value")),
            ("* NAMESPACE (\"a\")", .expected("(")),
            ("*", .expected("space")),
            ("A1", .expected("OK, NO or BAD")),
            ("A1 PREAUTH x", .expected("OK, NO or BAD")),
            ("A\"1 OK x", .expected("tag")),
            (" OK done", .expected("tag")),
            ("* (", .expected("keyword")),
        ] as [(String, Unparsable.Reason)])
    func unparsable(_ line: String, _ reason: Unparsable.Reason) throws {
        let (responses, decoder) = try decode(bytes(line + "\r\n* 3 EXISTS\r\n"))
        guard case .untagged(.unparsable(let found)) = responses.first else {
            Issue.record("\(line) was read as \(responses)")
            return
        }
        #expect(found.reason == reason)
        #expect(responses.dropFirst() == [.exists(3)])
        #expect(decoder.unparsableCount == 1)
    }

    @Test("a line end in a quoted string loses only that response and the rest of its line")
    func brokenString() throws {
        let raw = "* 1 FETCH (UID 5 ENVELOPE (NIL \"a\r\nb\" NIL))\r\n* 3 EXISTS\r\n"
        let (responses, decoder) = try decode(bytes(raw))
        guard case .untagged(.unparsable(let lost)) = responses.first else {
            Issue.record("read a string with a line end")
            return
        }
        #expect(lost.keyword == "FETCH" && lost.uid == 5)
        #expect(decoder.unparsableCount == 2)
        #expect(responses.last == .exists(3))
    }

    @Test("message data is a slice of the received data, not a copy")
    func literalIsSlice() throws {
        var decoder = ResponseDecoder()
        let chunk = ByteBuffer(string: "* 1 FETCH (BODY[] {5}\r\nhello)\r\n")
        decoder.feed(chunk)
        guard case .untagged(.fetch(let fetch)) = try decoder.next(),
            case .bytes(let body) = fetch.section("")?.content
        else {
            Issue.record("no body")
            return
        }
        let inside = chunk.withUnsafeReadableBytes { whole in
            body.withUnsafeReadableBytes { part in
                guard let start = whole.baseAddress, let place = part.baseAddress else { return false }
                return place >= start && place < start + whole.count
            }
        }
        #expect(inside)
    }

    @Test("a later response about the same message replaces its items one by one")
    func merge() throws {
        let responses = try decode(
            "* 1 FETCH (UID 5 FLAGS (a) RFC822.SIZE 1)\r\n* 1 FETCH (FLAGS (b) MODSEQ (2))\r\n")
        guard case .untagged(.fetch(var first)) = responses[0],
            case .untagged(.fetch(let second)) = responses[1]
        else { return }
        first.merge(second)
        #expect(first.uid == 5)
        #expect(first.flags == ["b"])
        #expect(first.size == 1)
        #expect(first.modSeq == 2)
    }

    @Test("the server's text is kept unchanged, up to 500 bytes")
    func boundedText() throws {
        let long = String(repeating: "ä", count: 400)
        let responses = try decode("* NO \u{1B}[31m\u{7}\r\n* NO \(long)\r\n")
        #expect(responses.first == .status(StatusResponse(.no, text: "\u{1B}[31m\u{7}")))
        #expect(
            responses.last == .status(StatusResponse(.no, text: String(repeating: "ä", count: 250) + "…")))
    }
}
