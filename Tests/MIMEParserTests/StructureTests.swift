import Models
import Testing

@testable import MIMEParser

/// `section type` of every part, in order.
private func outline(_ message: ParsedMessage) -> [String] {
    message.parts.map { "\($0.section) \($0.contentType)" }
}

private func parse(_ text: String, crlf: Bool = false) -> ParsedMessage {
    let bytes = Array(text.utf8)
    return MIMEParser.parse(crlf ? BodyWriter.withCRLF(bytes) : bytes)
}

@Suite struct StructureTests {
    /// The example of RFC 3501 §6.4.5.
    static let standard = """
        Subject: all of it
        Content-Type: multipart/mixed; boundary=a

        preamble
        --a
        Content-Type: text/plain

        one
        --a
        Content-Type: application/octet-stream

        two
        --a
        Content-Type: message/rfc822

        Subject: three
        Content-Type: multipart/mixed; boundary=b

        --b
        Content-Type: text/plain

        three one
        --b
        Content-Type: application/octet-stream

        three two
        --b--
        --a
        Content-Type: multipart/mixed; boundary=c

        --c
        Content-Type: image/gif

        four one
        --c
        Content-Type: message/rfc822

        Subject: four two
        Content-Type: multipart/mixed; boundary=d

        --d
        Content-Type: text/plain

        four two one
        --d
        Content-Type: multipart/alternative; boundary=e

        --e
        Content-Type: text/plain

        four two two one
        --e
        Content-Type: text/richtext

        four two two two
        --e--
        --d--
        --c--
        --a--
        epilogue
        """

    @Test("the example of RFC 3501 has the numbers of RFC 3501", arguments: [false, true])
    func standardExample(_ crlf: Bool) {
        let message = parse(Self.standard, crlf: crlf)
        #expect(
            outline(message) == [
                " multipart/mixed", "1 text/plain", "2 application/octet-stream", "3 message/rfc822",
                "3 multipart/mixed", "3.1 text/plain", "3.2 application/octet-stream", "4 multipart/mixed",
                "4.1 image/gif", "4.2 message/rfc822", "4.2 multipart/mixed", "4.2.1 text/plain",
                "4.2.2 multipart/alternative", "4.2.2.1 text/plain", "4.2.2.2 text/richtext",
            ])
        #expect(message.decodedBody(section: "4.2.2.2") == Array("four two two two".utf8))
        #expect(message.decodedBody(section: "1") == Array("one".utf8))
        #expect(message.part(at: SectionPath([3]))?.contentType.description == "message/rfc822")
        #expect(message.decodedBody(section: "9") == nil)
        #expect(message.decodedBody(section: "x") == nil)
        #expect(message.defects.isEmpty)
        #expect(message.parts.allSatisfy { $0.isComplete })
    }

    @Test("the header of an attached message is its own")
    func embeddedHeader() throws {
        let message = parse(Self.standard)
        let inner = try #require(message.part(at: SectionPath([3])))
        let fields = HeaderBlock.fields(of: message.bytes[inner.bodyRange])
        #expect(fields.first == HeaderField(name: "Subject", body: "three"))
    }

    @Test("a message without parts is section 1")
    func single() {
        let message = parse("Subject: x\n\nbody\n")
        #expect(outline(message) == ["1 text/plain"])
        #expect(message.decodedBody(section: "1") == Array("body\n".utf8))
        #expect(message.decodedBody(section: "") == message.bytes)
    }

    @Test("a message that is one attached message counts into it")
    func onlyMessage() {
        let message = parse("Content-Type: message/rfc822\n\nSubject: in\n\nbody")
        #expect(outline(message) == ["1 message/rfc822", "1.1 text/plain"])
        #expect(message.decodedBody(section: "1.1") == Array("body".utf8))
    }

    @Test("children of a digest are messages unless they say otherwise")
    func digest() {
        let message = parse(
            """
            Content-Type: multipart/digest; boundary=a

            --a

            Subject: one

            first
            --a
            Content-Type: text/plain

            second
            --a--
            """)
        #expect(
            outline(message) == [
                " multipart/digest", "1 message/rfc822", "1.1 text/plain", "2 text/plain",
            ])
    }

    @Test("an encoded message is a file, not a box")
    func encodedMessage() {
        let message = parse(
            "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeA==\n")
        #expect(outline(message) == ["1 message/rfc822"])
        #expect(message.decodedBody(section: "1") == Array("Subject: x".utf8))
        #expect(message.attachments.map(\.size) == [10])
    }

    @Test("every cut of a message parses, and its parts nest")
    func everyCut() {
        let whole = BodyWriter.withCRLF(Array(Self.standard.utf8))
        for length in 0...whole.count {
            let message = MIMEParser.parse(Array(whole.prefix(length)))
            #expect(nests(message), "cut at \(length)")
        }
    }

    @Test("section paths are read and written", arguments: ["", "1", "1.2.3", "10.20"])
    func sections(_ text: String) { #expect(SectionPath(text)?.description == text) }

    @Test(
        "what is no section path is none",
        arguments: ["0", "1.", ".1", "a", "1..2", "-1", "1.0", "99999999999"])
    func noSections(_ text: String) { #expect(SectionPath(text) == nil) }
}

/// Whether every part lies in its parent, after its elder sibling.
func nests(_ message: ParsedMessage) -> Bool {
    var lastEnd: [Int: Int] = [:]
    for part in message.parts {
        guard part.headerRange.upperBound == part.bodyRange.lowerBound,
            part.bodyRange.upperBound <= message.bytes.count
        else { return false }
        guard let parent = part.parent else { continue }
        let outer = message.parts[parent]
        guard parent < part.index, outer.children.contains(part.index),
            part.range.lowerBound >= lastEnd[parent] ?? outer.bodyRange.lowerBound,
            part.range.upperBound <= outer.bodyRange.upperBound, part.depth == outer.depth + 1
        else { return false }
        lastEnd[parent] = part.range.upperBound
    }
    return true
}

@Suite struct BrokenMessageTests {
    @Test(
        "broken messages keep what can be read",
        arguments: [
            Broken(
                "an inner boundary is a prefix of the outer",
                """
                Content-Type: multipart/mixed; boundary=abc

                --abc
                Content-Type: multipart/mixed; boundary=ab

                --ab

                x
                --ab--
                --abc

                y
                --abc--
                """, [" multipart/mixed", "1 multipart/mixed", "1.1 text/plain", "2 text/plain"], []),
            Broken(
                "an outer boundary is a prefix of the inner",
                """
                Content-Type: multipart/mixed; boundary=ab

                --ab
                Content-Type: multipart/mixed; boundary=abc

                --abc

                x
                --abc--
                --ab--
                """, [" multipart/mixed", "1 multipart/mixed", "1.1 text/plain"], []),
            Broken(
                "no boundary parameter", "Content-Type: multipart/mixed\n\n--a\n\nx\n", ["1 multipart/mixed"],
                [.missingBoundary]),
            Broken(
                "the boundary never comes", "Content-Type: multipart/mixed; boundary=a\n\ntext\n",
                [" multipart/mixed"], [.noParts]),
            Broken(
                "the message ends too early", "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx\n",
                [" multipart/mixed", "1 text/plain"], [.missingCloseBoundary]),
            Broken(
                "an outer boundary comes before the inner one closed",
                """
                Content-Type: multipart/mixed; boundary=a

                --a
                Content-Type: multipart/mixed; boundary=b

                --b

                x
                --a

                y
                --a--
                """, [" multipart/mixed", "1 multipart/mixed", "1.1 text/plain", "2 text/plain"],
                [.missingCloseBoundary]),
            Broken(
                "blanks behind the boundary",
                "Content-Type: multipart/mixed; boundary=\"a \"\n\n--a  \t\n\nx\n--a-- \n",
                [" multipart/mixed", "1 text/plain"], []),
            Broken(
                "text behind the boundary",
                "Content-Type: multipart/mixed; boundary=a\n\n--a junk\n\nx\n--a--\n",
                [" multipart/mixed", "1 text/plain"], [.textAfterBoundary]),
            Broken(
                "an mbox line on top", "From ana@x.org Thu Mar  5 10:00:00 2026\nSubject: s\n\nx",
                ["1 text/plain"],
                [.mboxLine]),
            Broken(
                "a line without a colon in the header", "Subject: s\nwhat is this\nTo: a@x.org\n\nx",
                ["1 text/plain"], [.lineWithoutColon]),
            Broken("no header at all", "just text\n\nmore: text", ["1 text/plain"], [.missingHeaderEnd]),
            Broken("nothing", "", ["1 text/plain"], []),
            Broken(
                "a boundary in the header block",
                """
                Content-Type: multipart/mixed; boundary=a

                --a
                Content-Type: text/html
                --a

                y
                --a--
                """, [" multipart/mixed", "1 text/html", "2 text/plain"], []),
            Broken(
                "an encoding that nobody knows", "Content-Transfer-Encoding: x-uuencode\n\nx",
                ["1 text/plain"],
                [.unknownTransferEncoding]),
        ])
    func broken(_ example: Broken) {
        for crlf in [false, true] {
            let message = parse(example.text, crlf: crlf)
            #expect(outline(message) == example.outline, "\(example)")
            #expect(message.defects.map(\.name) == example.defects, "\(example)")
            #expect(nests(message), "\(example)")
        }
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var outline: [String]
        var defects: [Defect.Name]

        init(_ name: String, _ text: String, _ outline: [String], _ defects: [Defect.Name]) {
            testDescription = name
            self.text = text
            self.outline = outline
            self.defects = defects
        }
    }

    @Test("a message whose lines end in CR alone is read like any other")
    func bareCR() {
        let text = StructureTests.standard.utf8.map { $0 == ASCII.lf ? ASCII.cr : $0 }
        let message = MIMEParser.parse(Array(text))
        #expect(outline(message) == outline(parse(StructureTests.standard)))
        #expect(message.decodedBody(section: "1") == Array("one".utf8))
    }

    @Test("a CR inside a line of an LF message ends no line")
    func strayCR() {
        let message = parse("Subject: a\rBcc: evil@x.org\n\nx")
        #expect(message.envelope.bcc.isEmpty)
        #expect(message.envelope.subject == "a Bcc: evil@x.org")
    }

    @Test("the line break before a boundary is not part of the body, the one before it is")
    func bodyEnd() {
        let message = parse(
            "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx\n\n--a\n\n--a--", crlf: true)
        #expect(message.decodedBody(section: "1") == Array("x\r\n".utf8))
        #expect(message.decodedBody(section: "2") == [])
    }

    @Test("a continued boundary parameter is put together")
    func continuedBoundary() {
        let message = parse("Content-Type: multipart/mixed; boundary*0=a; boundary*1=b\n\n--ab\n\nx\n--ab--")
        #expect(outline(message) == [" multipart/mixed", "1 text/plain"])
    }
}

@Suite struct HeaderBlockTests {
    @Test("fields are decoded, in order, each on one line")
    func fields() {
        let fields = HeaderBlock.fields(
            of: Array("Subject : =?utf-8?q?a?=\r\n =?utf-8?q?b?=\r\nX-A:1\r\nX-A: 2\r\n\r\nNot: one".utf8))
        #expect(
            fields == [
                HeaderField(name: "Subject", body: "ab"), HeaderField(name: "X-A", body: "1"),
                HeaderField(name: "X-A", body: "2"),
            ])
    }

    @Test("the canonical block is the same for CRLF, LF, CR and an mbox line")
    func canonical() {
        let expected = Array("A: b\n c\nD: e\n".utf8)
        for text in [
            "A: b\r\n c\r\nD: e\r\n\r\nbody", "A: b\n c\nD: e\n\nbody", "A: b\r c\rD: e\r\rbody",
            "From x\nA: b\n c\nD: e\n\n", "A: b\r\n c\r\nD: e",
        ] {
            #expect(HeaderBlock.canonical(Array(text.utf8)) == expected, "\(text)")
            #expect(parse(text).canonicalHeaderBlock == expected, "\(text)")
        }
    }

    @Test("the summary of a block")
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

    @Test("fields are found by name without case, raw and decoded")
    func byName() {
        let message = parse("List-Id: <a.b>\nX: 1\nLIST-ID: =?utf-8?q?c?=\n\n")
        #expect(message.header("list-id") == ["<a.b>", "c"])
        #expect(
            message.rawHeader("List-ID").map { String(decoding: $0, as: UTF8.self) } == [
                " <a.b>", " =?utf-8?q?c?=",
            ])
        #expect(message.header("y").isEmpty)
    }
}
