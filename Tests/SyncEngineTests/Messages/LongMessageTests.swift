import IMAPProtocol
import MIMEParser
import MailStore
import Models
import NIOCore
import Testing

@testable import SyncEngine

/// A message of which the attachments stay on the server.
@Suite("Long messages")
struct LongMessageTests {
    static let whole = [
        "From: ana@acme.example", "Subject: Photos", "Message-ID: <long@acme.example>",
        "Content-Type: multipart/mixed; boundary=outer", "",
        "--outer", "Content-Type: multipart/alternative; boundary=inner", "",
        "--inner", "Content-Type: text/plain; charset=utf-8", "", "Here they are.",
        "--inner", "Content-Type: text/html", "", "<p>Here they are.</p>", "--inner--",
        "--outer", "Content-Type: image/jpeg; name=\"sea.jpg\"", "Content-Transfer-Encoding: base64",
        "Content-Disposition: attachment; filename=\"sea.jpg\"", "", "AAAA",
        "--outer", "Content-Type: message/rfc822", "",
        "Subject: The first letter", "Content-Type: multipart/mixed; boundary=far", "",
        "--far", "", "Old text.", "--far--", "--outer--", "",
    ].joined(separator: "\r\n")

    static func structure(boundary: String = "outer", textSize: UInt64 = 20) -> BodyStructure {
        func part(_ section: String, _ parent: Int?, _ type: String, _ subtype: String) -> BodyPart {
            BodyPart(section: section, parent: parent, type: type, subtype: subtype)
        }
        var parts = [
            part("", nil, "multipart", "mixed"), part("1", 0, "multipart", "alternative"),
            part("1.1", 1, "text", "plain"), part("1.2", 1, "text", "html"), part("2", 0, "image", "jpeg"),
            part("3", 0, "message", "rfc822"), part("3", 5, "multipart", "mixed"),
            part("3.1", 6, "text", "plain"),
        ]
        parts[0].children = [1, 4, 5]
        parts[0].parameters = [BodyParameter(name: "boundary", value: Array(boundary.utf8))]
        parts[1].children = [2, 3]
        parts[1].parameters = [BodyParameter(name: "boundary", value: Array("inner".utf8))]
        parts[4].encoding = "base64"
        parts[4].size = 7_800_000
        parts[5].children = [6]
        parts[5].size = 4_000
        parts[6].children = [7]
        for index in [2, 3, 7] { parts[index].size = textSize }
        return BodyStructure(parts: parts)
    }

    /// What a server answers to the requests, out of the whole message.
    static func sections(_ requests: [SectionRequest]) -> [String: ByteBuffer] {
        let message = MIMEParser.parse(Array(whole.utf8))
        var answers: [String: ByteBuffer] = [:]
        for request in requests {
            guard let part = message.parts.first(where: { $0.section.description == request.section }) else {
                continue
            }
            let inner = part.children.first.map { message.parts[$0].headerRange } ?? part.bodyRange
            let range =
                switch request.kind {
                case .mime: part.headerRange
                case .header: inner
                case .content, .text, .headerFields: part.bodyRange
                }
            answers[request.name] = ByteBuffer(bytes: message.bytes[range])
        }
        return answers
    }

    private var header: [UInt8] { Array(MIMEParser.parse(Array(Self.whole.utf8)).headerBlock) }
    private let listed = ListedMessage(uid: 1, size: 8_000_000)

    @Test("text, attachments and identity equal those of the whole message")
    func same() throws {
        let long = try #require(LongMessage(header: header, structure: Self.structure(), limit: 1_000))
        #expect(
            long.requests.map(\.name) == [
                "1.MIME", "1.1.MIME", "1.1", "1.2.MIME", "1.2", "2.MIME", "3.MIME", "3.HEADER",
            ])
        let raw = try #require(long.message(listed, with: Self.sections(long.requests)))
        #expect(!raw.isTruncated)
        let read = Arrival(raw: raw, account: work)
        let whole = Arrival(
            raw: RawMessage(listed: listed, bytes: Array(Self.whole.utf8), isTruncated: false), account: work)
        #expect(read.headerDigest == whole.headerDigest)
        let id = read.idByFingerprint
        let rows = [read, whole].map { $0.row(id: id, thread: ThreadID(rawValue: "t"), links: []) }
        #expect(rows[0].text == rows[1].text)
        #expect(rows[0].text.contains("Here they are."))
        #expect(rows[0].attachments.map(\.name) == ["sea.jpg", "The first letter.eml"])
        #expect(rows[0].attachments.map(\.section) == rows[1].attachments.map(\.section))
        #expect(rows[0].attachments.map(\.size) == [5_700_000, 4_000])
    }

    @Test("a text longer than the limit is cut and marked as cut")
    func longText() throws {
        let long = try #require(
            LongMessage(header: header, structure: Self.structure(textSize: 5_000), limit: 14))
        #expect(try #require(long.message(listed, with: Self.sections(long.requests))).isTruncated)
    }

    @Test("a structure that does not fit the message is ignored")
    func otherStructure() throws {
        let wrong = try #require(
            LongMessage(header: header, structure: Self.structure(boundary: "other"), limit: 1_000))
        #expect(wrong.message(listed, with: Self.sections(wrong.requests)) == nil)
    }

    @Test("if a part is missing, the message is not made from its parts")
    func missingPart() throws {
        let long = try #require(LongMessage(header: header, structure: Self.structure(), limit: 1_000))
        var sections = Self.sections(long.requests)
        sections["1.1"] = nil
        #expect(long.message(listed, with: sections) == nil)
    }

    @Test("a message that is one file is not fetched, and listed with its size")
    func oneFile() throws {
        var photo = BodyPart(section: "1", type: "image", subtype: "jpeg")
        photo.size = 9_000_000
        let head = Array("Subject: Sea\r\nContent-Type: image/jpeg; name=sea.jpg\r\n\r\n".utf8)
        let long = try #require(
            LongMessage(header: head, structure: BodyStructure(parts: [photo]), limit: 1_000))
        #expect(long.requests.isEmpty)
        let raw = try #require(long.message(listed, with: [:]))
        #expect(raw.omitted == ["1": 9_000_000] && !raw.isTruncated)
    }

    @Test("texts beyond twice the limit are left out, and the message is marked as cut")
    func manyTexts() throws {
        var parts = [BodyPart(section: "", type: "multipart", subtype: "mixed")]
        parts[0].parameters = [BodyParameter(name: "boundary", value: Array("b".utf8))]
        for number in 1...3 {
            var part = BodyPart(section: "\(number)", parent: 0, type: "text", subtype: "plain")
            part.size = 900
            parts.append(part)
            parts[0].children.append(number)
        }
        let head = Array("Content-Type: multipart/mixed; boundary=b\r\n\r\n".utf8)
        let long = try #require(
            LongMessage(header: head, structure: BodyStructure(parts: parts), limit: 1_000))
        #expect(long.requests.map(\.name) == ["1.MIME", "1", "2.MIME", "2", "3.MIME"])
        let sections = Dictionary(
            uniqueKeysWithValues: long.requests.map { ($0.name, ByteBuffer(string: "\r\n")) })
        #expect(try #require(long.message(listed, with: sections)).isTruncated)
    }

    @Test("the headers of many parts are read up to 4 MiB together")
    func headers() throws {
        var parts = [BodyPart(section: "", type: "multipart", subtype: "mixed")]
        for number in 1..<1_000 {
            parts.append(BodyPart(section: "\(number)", parent: 0, type: "image", subtype: "png"))
            parts[0].children.append(number)
        }
        let long = try #require(
            LongMessage(header: header, structure: BodyStructure(parts: parts), limit: 1_000))
        #expect(long.requests.reduce(0) { $0 + $1.count } <= 4 << 20)
        #expect(long.requests.count == 999)
    }

    @Test("a part that wraps a text, and a multipart without parts, must be read as a whole")
    func unsuitable() {
        for (type, subtype) in [("application", "ms-tnef"), ("message", "rfc822"), ("multipart", "mixed")] {
            let part = BodyPart(section: "1", type: type, subtype: subtype)
            let long = LongMessage(header: header, structure: BodyStructure(parts: [part]), limit: 1_000)
            #expect(long == nil, "\(subtype)")
        }
    }
}

@Suite("Marks of a server")
struct MarkReaderTests {
    @Test("Gmail's labels become keywords with their visible names, and system labels do not")
    func labels() {
        var reader = MarkReader()
        let labels = ["\\Inbox", "\\\\Starred", "Work", "&ANw-bung 1", ""].map { Array($0.utf8) }
        let marks = reader.marks(["\\Seen", "$Forwarded"], labels: labels)
        #expect(marks.flags == [.seen])
        #expect(marks.keywords == [Keyword("$Forwarded"), Keyword("Work"), Keyword("Übung 1")])
        #expect(reader.marks(["\\Seen", "$Forwarded"], labels: []).keywords == [Keyword("$Forwarded")])
    }
}
