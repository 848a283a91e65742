import Models
import Testing

@testable import MIMEParser

@Suite struct HeaderBlockTests {
    @Test("fields are decoded in order, each on one line")
    func fields() {
        let fields = HeaderBlock.fields(
            of: Array("Subject : =?utf-8?q?a?=\r\n =?utf-8?q?b?=\r\nX-A:1\r\nX-A: 2\r\n\r\nNot: one".utf8))
        #expect(
            fields == [
                HeaderField(name: "Subject", body: "ab"), HeaderField(name: "X-A", body: "1"),
                HeaderField(name: "X-A", body: "2"),
            ])
    }

    @Test("the canonical block is the same for CRLF, LF, CR and mbox")
    func canonical() {
        let expected = Array("A: b\n c\nD: e\n".utf8)
        for text in [
            "A: b\r\n c\r\nD: e\r\n\r\nbody", "A: b\n c\nD: e\n\nbody", "A: b\r c\rD: e\r\rbody",
            "From x\nA: b\n c\nD: e\n\n", "A: b\r\n c\r\nD: e",
        ] {
            #expect(HeaderBlock.canonical(Array(text.utf8)) == expected, "\(text)")
            #expect(read(text).canonicalHeaderBlock == expected, "\(text)")
        }
    }

    @Test("the envelope is read from the header block")
    func envelope() {
        let envelope = HeaderBlock.envelope(
            of: Array(
                """
                From: Ana <ana@x.org>
                To: b@x.org
                To: c@x.org
                Subject: first
                Subject: second
                Date: Thu, 05 Mar 2026 10:00:00 +0000
                Message-ID: <m@x.org>
                In-Reply-To: <p@x.org>
                References: <r@x.org> <p@x.org>
                Reply-To: list@x.org

                """.utf8))
        #expect(envelope.from.map(\.description) == ["Ana <ana@x.org>"])
        #expect(envelope.to.map(\.addrSpec) == ["b@x.org", "c@x.org"])
        #expect(envelope.subject == "first")
        #expect(envelope.date?.rfc3339 == "2026-03-05T10:00:00Z")
        #expect(envelope.messageID == MessageID("m@x.org"))
        #expect(envelope.inReplyTo == [MessageID("p@x.org")])
        #expect(envelope.references == [MessageID("r@x.org"), MessageID("p@x.org")])
        #expect(envelope.replyTo.map(\.addrSpec) == ["list@x.org"])
    }

    @Test("fields are found by name in any case, raw and decoded")
    func byName() {
        let message = read("List-Id: <a.b>\nX: 1\nLIST-ID: =?utf-8?q?c?=\n\n")
        #expect(message.header("list-id") == ["<a.b>", "c"])
        #expect(
            message.rawHeader("List-ID").map { String(decoding: $0, as: UTF8.self) } == [
                " <a.b>", " =?utf-8?q?c?=",
            ])
        #expect(message.header("y").isEmpty)
    }

    @Test(
        "8-bit fields without a label have the charset of the body",
        arguments: [
            ("text/plain; charset=koi8-r", true), ("TEXT/HTML; charset=\"KOI8-R\"", true),
            // In UTF-8 and in UTF-16 these bytes are no text, and a multipart names no charset.
            ("text/plain; charset=utf-8", false), ("text/plain; charset=utf-16", false),
            ("multipart/mixed; charset=koi8-r; boundary=b", false), ("text/plain", false),
        ])
    func unlabelled(_ type: String, _ isKOI8: Bool) {
        let word: [UInt8] = [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4]
        let block =
            Array("Subject: ".utf8) + word + Array(" =?utf-8?q?caf=C3=A9?=\nFrom: ".utf8) + word
            + Array(" <a@x.org>\nX-Note: é\nContent-Type: \(type)\n\ntext".utf8)
        let text = isKOI8 ? "Привет" : "ðÒÉ×ÅÔ"
        let message = MIMEParser.parse(block)
        #expect(message.envelope == HeaderBlock.envelope(of: block))
        #expect(message.envelope.subject == "\(text) café")
        #expect(message.envelope.from.map(\.description) == ["\(text) <a@x.org>"])
        #expect(message.header("subject") == ["\(text) café"])
        #expect(
            HeaderBlock.fields(of: block, named: ["x-note", "subject"]).map(\.body) == ["\(text) café", "é"])
        #expect(
            message.rawHeader("from").map(Array.init) == [Array(" ".utf8) + word + Array(" <a@x.org>".utf8)])
    }
}
