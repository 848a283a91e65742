import Models
import Testing

@testable import MIMEParser

/// `section type` of every part, in order.
func outline(_ message: ParsedMessage) -> [String] {
    message.parts.map { "\($0.section) \($0.contentType)" }
}

func read(_ text: String, crlf: Bool = false) -> ParsedMessage {
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

    @Test("the example of RFC 3501 has the section numbers of RFC 3501", arguments: [false, true])
    func standardExample(_ crlf: Bool) {
        let message = read(Self.standard, crlf: crlf)
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
        #expect(message.decodedBody(section: "") == message.bytes)
        #expect(message.decodedBody(section: "9") == nil)
        #expect(message.decodedBody(section: "x") == nil)
        #expect(message.defects.isEmpty)
        #expect(message.parts.allSatisfy { $0.isComplete })
    }

    @Test("the header of an attached message belongs to that message")
    func embeddedHeader() throws {
        let message = read(Self.standard)
        let inner = try #require(message.part(at: SectionPath([3])))
        let fields = HeaderBlock.fields(of: message.bytes[inner.bodyRange])
        #expect(fields.first == HeaderField(name: "Subject", body: "three"))
    }

    @Test("a message without parts is section 1")
    func single() {
        let message = read("Subject: x\n\nbody\n")
        #expect(outline(message) == ["1 text/plain"])
        #expect(message.decodedBody(section: "1") == Array("body\n".utf8))
        #expect(message.decodedBody(section: "") == message.bytes)
    }

    @Test("the parts of a single attached message are numbered below it")
    func onlyMessage() {
        let message = read("Content-Type: message/rfc822\n\nSubject: in\n\nbody")
        #expect(outline(message) == ["1 message/rfc822", "1.1 text/plain"])
        #expect(message.decodedBody(section: "1.1") == Array("body".utf8))
    }

    @Test("parts of a digest are messages unless they have another type")
    func digest() {
        let message = read(
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

    @Test("message/global is a message, and multipart/report is a multipart")
    func report() {
        let message = read(
            """
            Content-Type: multipart/report; report-type=delivery-status; boundary=a

            --a

            It failed.
            --a
            Content-Type: message/global-delivery-status

            Reporting-MTA: dns; x
            --a
            Content-Type: message/global

            Subject: ü
            Content-Type: multipart/signed; boundary=b

            --b

            x
            --b
            Content-Type: application/pgp-signature

            y
            --b--
            --a--
            """)
        #expect(
            outline(message) == [
                " multipart/report", "1 text/plain", "2 message/global-delivery-status", "3 message/global",
                "3 multipart/signed", "3.1 text/plain", "3.2 application/pgp-signature",
            ])
        #expect(message.defects.isEmpty)
    }

    @Test("the parts of nested messages are numbered below each other")
    func messageInMessage() {
        let message = read(
            "Content-Type: message/rfc822\n\nContent-Type: message/rfc822\n\nSubject: innermost\n\nbody")
        #expect(outline(message) == ["1 message/rfc822", "1.1 message/rfc822", "1.1.1 text/plain"])
    }

    @Test(
        "the transfer encoding is returned in lower case",
        arguments: [
            ("Content-Transfer-Encoding: Quoted-Printable; x\n", "quoted-printable"),
            ("Content-Transfer-Encoding: X-UUencode\n", "x-uuencode"), ("", "7bit"),
        ])
    func encodingWord(_ field: String, _ word: String) {
        let message = read(field + "Subject: s\n\nx")
        #expect(message.transferEncodingWord(of: message.root) == word)
    }

    @Test("an encoded message is a file without parts")
    func encodedMessage() {
        let message = read(
            "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeA==\n")
        #expect(outline(message) == ["1 message/rfc822"])
        #expect(message.decodedBody(section: "1") == Array("Subject: x".utf8))
        #expect(message.attachments.map(\.size) == [10])
    }

    @Test("a message cut at any byte is parsed, and its parts nest correctly")
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
        "an invalid section path is refused",
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
