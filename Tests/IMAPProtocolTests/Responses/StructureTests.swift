import TestSupport
import Testing

@testable import IMAPProtocol

/// A BODYSTRUCTURE, and the section number, type and parent of each of its parts.
struct StructureRow: Sendable, CustomTestStringConvertible {
    let name: String
    let raw: String
    let parts: [String]

    init(_ name: String, _ raw: String, _ parts: String...) {
        self.name = name
        self.raw = raw
        self.parts = parts
    }

    var testDescription: String { name }
}

private let text = #"("TEXT" "PLAIN" ("CHARSET" "UTF-8") NIL NIL "7BIT" 10 1 NIL NIL NIL NIL)"#
private let html = #"("TEXT" "HTML" NIL NIL NIL "QUOTED-PRINTABLE" 20 2 NIL NIL NIL NIL)"#
private let file =
    #"("APPLICATION" "PDF" ("NAME" "a.pdf") "<c@x>" "a file" "BASE64" 30 "md" ("ATTACHMENT" ("FILENAME" "b.pdf")) ("de" "en") "loc")"#
private let envelope = #"(NIL "inner" ((NIL NIL "ann" "example.org")) NIL NIL NIL NIL NIL NIL NIL)"#

private func message(_ body: String) -> String {
    #"("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 99 \#(envelope) \#(body) 7 NIL NIL NIL NIL)"#
}

@Suite struct StructureTests {
    @Test(
        "sections are numbered as in RFC 3501 §6.4.5",
        arguments: [
            StructureRow("one text", text, "1 text/plain -"),
            StructureRow(
                "alternative", #"(\#(text)\#(html) "ALTERNATIVE")"#,
                " multipart/alternative -", "1 text/plain 0", "2 text/html 0"),
            StructureRow(
                "alternative inside mixed", #"((\#(text)\#(html) "ALTERNATIVE")\#(file) "MIXED")"#,
                " multipart/mixed -", "1 multipart/alternative 0", "1.1 text/plain 1", "1.2 text/html 1",
                "2 application/pdf 0"),
            StructureRow(
                "a message with one part inside mixed", #"(\#(text)\#(message(text)) "MIXED")"#,
                " multipart/mixed -", "1 text/plain 0", "2 message/rfc822 0", "2.1 text/plain 2"),
            StructureRow(
                "a message with parts inside mixed",
                #"(\#(text)\#(message(#"(\#(text)\#(file) "MIXED")"#)) "MIXED")"#,
                " multipart/mixed -", "1 text/plain 0", "2 message/rfc822 0", "2 multipart/mixed 2",
                "2.1 text/plain 3", "2.2 application/pdf 3"),
            StructureRow(
                "a message that is the message", message(text), "1 message/rfc822 -", "1.1 text/plain 0"),
            StructureRow(
                "a message in a message in a message", message(message(text)),
                "1 message/rfc822 -", "1.1 message/rfc822 0", "1.1.1 text/plain 1"),
        ])
    func sections(_ row: StructureRow) throws {
        let structure = try #require(try parse(row.raw).structure)
        let found = structure.parts.map { part in
            "\(part.section) \(part.type)/\(part.subtype) \(part.parent.map(String.init) ?? "-")"
        }
        #expect(found == row.parts)
        for (index, part) in structure.parts.enumerated() {
            #expect(part.children.allSatisfy { structure.parts[$0].parent == index })
        }
    }

    @Test("every field of a part is kept, keywords in lower case and values unchanged")
    func fields() throws {
        let (structure, decoder) = try parse(
            #"(\#(text)\#(file)\#(message(text)) "MIXED" ("BOUNDARY" "b") ("inline" NIL) "fr" "here")"#)
        let parts = try #require(structure?.parts)
        #expect(parts[0].parameter("boundary") == bytes("b"))
        #expect(parts[0].disposition == BodyDisposition(type: "inline"))
        #expect(parts[0].languages == ["fr"])
        #expect(parts[0].location == bytes("here"))
        #expect(parts[1].lines == 1)
        #expect(parts[1].parameter("charset") == bytes("UTF-8"))
        var pdf = BodyPart(section: "2", parent: 0, type: "application", subtype: "pdf")
        pdf.parameters = [BodyParameter(name: "name", value: bytes("a.pdf"))]
        pdf.contentID = bytes("<c@x>")
        pdf.description = bytes("a file")
        pdf.encoding = "base64"
        pdf.size = 30
        pdf.md5 = bytes("md")
        pdf.disposition = BodyDisposition(
            type: "attachment", parameters: [BodyParameter(name: "filename", value: bytes("b.pdf"))])
        pdf.languages = ["de", "en"]
        pdf.location = bytes("loc")
        #expect(parts[2] == pdf)
        #expect(parts[2].fileName == bytes("b.pdf"))
        #expect(parts[3].envelope?.subject == bytes("inner"))
        #expect(parts[3].envelope?.from.first?.address == "ann@example.org")
        #expect(parts[3].lines == 7)
        #expect(decoder.quirks.seen == [])
    }

    @Test("text parts exclude attachments, and leaves exclude containers")
    func sync() throws {
        let attached = #"("TEXT" "CSV" NIL NIL NIL "7BIT" 10 1 NIL ("ATTACHMENT" NIL) NIL NIL)"#
        let structure = try #require(
            try parse(#"((\#(text)\#(html) "ALTERNATIVE")\#(attached)\#(message(text)) "MIXED")"#).structure)
        #expect(structure.textParts.map(\.section) == ["1.1", "1.2", "3.1"])
        #expect(structure.leaves.map(\.section) == ["1.1", "1.2", "2", "3.1"])
        #expect(structure.part(section: "3.1")?.subtype == "plain")
        #expect(structure.part(section: "9") == nil)
    }

    @Test("strings may be literals, with lines and quotes in them")
    func literals() throws {
        let raw =
            "* 1 FETCH (ENVELOPE (NIL {5}\r\na\r\n\"b ((NIL NIL {1}\r\n) {3}\r\na b)) NIL NIL NIL NIL NIL NIL NIL))\r\n"
        guard case .untagged(.fetch(let fetch)) = try decode(raw).first else { throw NoFetch() }
        #expect(fetch.envelope?.subject == bytes("a\r\n\"b"))
        #expect(fetch.envelope?.from == [EnvelopeAddress(mailbox: bytes(")"), host: bytes("a b"))])
    }

    @Test("the start and end of a group differ from an address")
    func groups() throws {
        let raw =
            #"* 1 FETCH (ENVELOPE (NIL NIL NIL NIL NIL ((NIL NIL "friends" NIL)("A" NIL "a" "x")(NIL NIL NIL NIL)) NIL NIL NIL NIL))"#
            + "\r\n"
        guard case .untagged(.fetch(let fetch)) = try decode(raw).first else { throw NoFetch() }
        #expect(fetch.envelope?.to.map(\.kind) == [.groupStart, .mailbox, .groupEnd])
        #expect(fetch.envelope?.to.map(\.address) == [nil, "a@x", nil])
    }

    @Test("a structure with too many parts loses that item; one that is too deep loses the response")
    func bounds() throws {
        let limits = ResponseLimits { $0.parts = 10 }
        let many = "(" + String(repeating: text, count: 11) + #" "MIXED")"#
        let raw = "* 1 FETCH (UID 5 BODYSTRUCTURE \(many) RFC822.SIZE 7)\r\n"
        guard case .untagged(.fetch(let fetch)) = try decode(raw, limits: limits).first else {
            throw NoFetch()
        }
        #expect(fetch.uid == 5 && fetch.size == 7 && fetch.bodyStructure == nil)
        let reason = Unparsable.Reason.tooManyItems(actual: 11, maximum: 10)
        #expect(fetch.unreadable == [UnreadableItem(name: "BODYSTRUCTURE", reason: reason)])
        let deep = String(repeating: "(", count: 65) + String(repeating: ")", count: 65)
        guard
            case .untagged(.unparsable(let lost)) = try decode("* 1 FETCH (UID 5 BODYSTRUCTURE \(deep))\r\n")
                .first
        else { throw NoFetch() }
        #expect(lost.reason == .nesting(actual: 65, maximum: 64))
        #expect(lost.keyword == "FETCH")
        #expect(lost.uid == 5)
        #expect(lost.excerpt.starts(with: bytes("* 1 FETCH (UID 5")) && lost.excerpt.count <= 200)
    }

    private struct NoFetch: Error {}

    private func parse(_ raw: String) throws -> (structure: BodyStructure?, decoder: ResponseDecoder) {
        let (responses, decoder) = try decode(bytes("* 1 FETCH (UID 1 BODYSTRUCTURE \(raw))\r\n"))
        guard case .untagged(.fetch(let fetch)) = responses.first else { throw NoFetch() }
        return (fetch.bodyStructure, decoder)
    }
}
