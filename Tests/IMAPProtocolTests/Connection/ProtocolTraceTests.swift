import NIOCore
import SASL
import Testing

@testable import IMAPProtocol

@Suite struct ProtocolTraceTests {
    private func received(_ text: String, after sent: String? = nil) throws -> [String] {
        var trace = ProtocolTrace()
        if let sent { _ = trace.sent(ByteBuffer(string: sent)) }
        var framer = ResponseFramer()
        framer.feed(ByteBuffer(string: text))
        var lines: [String] = []
        while let frame = try framer.next() { lines.append(trace.received(frame)) }
        return lines
    }

    @Test("no line shows the password, in any form")
    func secrets() {
        var trace = ProtocolTrace()
        trace.hide(Secret("hunter2"))
        #expect(trace.sent(ByteBuffer(string: "A1 LOGIN ann \"hunter2\"\r\n")) == ["A1 LOGIN •••"])
        #expect(
            trace.sent(ByteBuffer(string: "A2 AUTHENTICATE PLAIN AGFubgBodW50ZXIy\r\n"))
                == ["A2 AUTHENTICATE PLAIN •••"])
        #expect(trace.sent(ByteBuffer(string: "AGFubgBodW50ZXIy\r\n")) == ["•••"])
    }

    @Test("server responses during a login are left out")
    func challenge() throws {
        let lines = try received(
            "+ eyJzdGF0dXMiOiI0MDEifQ==\r\nA2 NO no\r\n+ idling\r\n", after: "A2 AUTHENTICATE XOAUTH2 abc\r\n"
        )
        #expect(lines == ["+ •••", "A2 NO no", "+ idling"])
    }

    @Test("a trace shows mail only as its size")
    func mail() throws {
        #expect(
            try received("* 1 FETCH (UID 4 BODY[] {12}\r\nSubject: xyz FLAGS (\\Seen))\r\n")
                == ["* 1 FETCH (UID 4 BODY[] {12} FLAGS (\\Seen))"])
        #expect(
            try received("* 1 FETCH (INTERNALDATE \"10-Mar-2026\" BODY[1] \"a \\\"b\\\" c\")\r\n")
                == ["* 1 FETCH (INTERNALDATE \"10-Mar-2026\" BODY[1] \"•••\")"])
    }

    @Test("an appended message is shown by its size, with and without a continuation")
    func append() {
        var trace = ProtocolTrace()
        #expect(
            trace.sent(ByteBuffer(string: "A3 APPEND Drafts {5+}\r\nhello\r\nA4 NOOP\r\n"))
                == ["A3 APPEND Drafts {5+} (5 bytes)", "A4 NOOP"])
        #expect(trace.sent(ByteBuffer(string: "A5 APPEND Drafts {5}\r\n")) == ["A5 APPEND Drafts {5}"])
        #expect(trace.sent(ByteBuffer(string: "hello\r\n")) == ["(5 bytes)"])
    }

    @Test("search terms are left out")
    func search() {
        var trace = ProtocolTrace()
        #expect(
            trace.sent(ByteBuffer(string: "A3 UID SEARCH HEADER Message-ID \"<a@b>\"\r\n"))
                == ["A3 UID SEARCH HEADER Message-ID \"•••\""])
    }
}
