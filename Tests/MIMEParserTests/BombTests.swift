import Models
import TestSupport
import Testing

@testable import MIMEParser

/// Each of these is listed in time, and says what was not read.
@Suite(.serialized) struct BombTests {
    private func timed(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> ParsedMessage {
        var message = MIMEParser.parse([])
        let time = ContinuousClock().measure {
            message = MIMEParser.parse(bytes)
            _ = (message.text(), message.attachments, message.envelope, message.headers)
        }
        #expect(time < Bound.time, sourceLocation: sourceLocation)
        #expect(nests(message), sourceLocation: sourceLocation)
        return message
    }

    @Test("multiparts nested 100,000 deep are cut at the depth limit")
    func nestedMultiparts() {
        var text = "Subject: deep\n"
        for level in 0..<100_000 {
            text += "Content-Type: multipart/mixed; boundary=b\(level)b\n\n--b\(level)b\n"
        }
        let message = timed(Array(text.utf8))
        #expect(message.parts.count == MIMELimits.standard.depth)
        #expect(message.defects.contains { $0.name == .tooDeep && $0.offset > 0 })
        #expect(message.isBeyondLimits)
        #expect(message.envelope.subject == "deep")
    }

    @Test("messages nested 100,000 deep are read in bounded time")
    func nestedMessages() {
        let text = String(repeating: "Content-Type: message/rfc822\n\n", count: 100_000)
        let message = timed(Array(text.utf8))
        #expect(message.parts.count == MIMELimits.standard.depth)
        #expect(message.defects.map(\.name) == [.tooDeep])
    }

    @Test("100,000 parts are read in bounded time")
    func manyParts() {
        let text =
            "Content-Type: multipart/mixed; boundary=a\n\n" + String(repeating: "--a\n\nx\n", count: 100_000)
        let message = timed(Array(text.utf8))
        #expect(message.parts.count == MIMELimits.standard.parts)
        #expect(message.defects.map(\.name) == [.tooManyParts, .missingCloseBoundary])
    }

    @Test("lines that almost match many boundaries are read in bounded time")
    func almostBoundaries() {
        var text = ""
        let long = String(repeating: "x", count: 1_000)
        for level in 0..<31 {
            text += "Content-Type: multipart/mixed; boundary=\(long)\(level)\n\n--\(long)\(level)\n"
        }
        text += "\n" + String(repeating: "--\(long)\n", count: 500)
        let message = timed(Array(text.utf8))
        #expect(message.parts.count == 32)
    }

    @Test("a header of many megabytes is read in bounded time")
    func hugeHeader() {
        let fields = timed(Array(String(repeating: "X-A: b\n", count: 500_000).utf8))
        #expect(fields.headers.count == MIMELimits.standard.headerFields)
        #expect(fields.defects.map(\.name) == [.tooManyHeaderFields])

        let large = timed(
            Array((0..<1_000).map { "X-\($0): " + String(repeating: "y", count: 1_000) + "\n" }.joined().utf8)
        )
        #expect(large.defects.map(\.name) == [.headerBlockTooLarge])

        let folded = timed(Array(("Subject: a\n" + String(repeating: " b\n", count: 1_000_000)).utf8))
        #expect(folded.defects.map(\.name) == [.headerFieldTooLarge])
        #expect(folded.envelope.subject.utf8.count <= MIMELimits.standard.headerField)
    }

    @Test("a flood of encoded words is read in bounded time")
    func encodedWords() {
        let message = timed(
            Array(("Subject: " + String(repeating: "=?utf-8?q?a?= ", count: 4_000) + "\n\n").utf8))
        #expect(message.defects.map(\.name) == [.tooManyEncodedWords])
        #expect(message.envelope.subject.hasPrefix(String(repeating: "a", count: 256) + " =?"))
    }

    @Test("a flood of parameters is read in bounded time")
    func parameters() {
        let text = "Content-Type: text/plain" + (0..<10_000).map { "; a\($0)=b" }.joined() + "\n\nx"
        let message = timed(Array(text.utf8))
        #expect(message.defects.contains { $0.name == .tooManyParameters })
        #expect(message.text() == "x")

        let files = "Content-Disposition: attachment" + (0..<150).map { "; a\($0)=b" }.joined() + "\n\nx"
        #expect(timed(Array(files.utf8)).defects.map(\.name) == [.tooManyParameters])
    }

    @Test(
        "a body of skipped characters is read in bounded time",
        arguments: [
            ("base64", "="), ("base64", "*"), ("base64", "\n"), ("base64", "A*"), ("quoted-printable", "="),
            ("quoted-printable", "=\r\n"), ("quoted-printable", " "), ("quoted-printable", "=4"),
            ("8bit", "\r"),
            ("8bit", "--"), ("8bit", "-\n"),
        ])
    func rubbish(_ encoding: String, _ piece: String) {
        let body = String(repeating: piece, count: 4_000_000 / piece.utf8.count)
        _ = timed(Array(("Content-Transfer-Encoding: \(encoding)\n\n" + body).utf8))
    }

    @Test("HTML blocks nested 60,000 deep are read in bounded time")
    func nestedHTML() {
        let text = "Content-Type: text/html\n\n" + String(repeating: "<div>", count: 60_000) + "end"
        #expect(timed(Array(text.utf8)).text() == "end")
    }

    @Test("a hundred thousand addresses are read in bounded time")
    func addresses() {
        let message = timed(Array(("To: " + String(repeating: "a@b.c,", count: 100_000) + "\n\n").utf8))
        #expect(message.envelope.to.count > 10_000)
        #expect(message.defects.map(\.name) == [.headerBlockTooLarge, .headerFieldTooLarge])
    }
}

@Suite struct MutationTests {
    @Test("random damage never crashes the parser, and parts always nest correctly")
    func mutations() throws {
        var random = SeededGenerator(seed: 42)
        let samples = try Self.samples()
        for round in 0..<Bound.rounds(3_000) {
            guard var bytes = samples.randomElement(using: &random) else { continue }
            for _ in 0..<Int.random(in: 1...8, using: &random) { Self.damage(&bytes, &random) }
            let message = MIMEParser.parse(bytes)
            let isNested = nests(message)
            #expect(isNested, "round \(round)")
            guard round % 4 == 0 else { continue }
            _ = (message.envelope, message.headers, message.text(), message.canonicalHeaderBlock)
            for attachment in message.attachments {
                #expect(message.decodedBody(section: attachment.section) != nil, "round \(round)")
            }
        }
    }

    @Test("the counted size equals the decoded size for damaged bodies too")
    func sizes() throws {
        var random = SeededGenerator(seed: 43)
        let samples = try Self.samples()
        for round in 0..<Bound.rounds(500) {
            guard var bytes = samples.randomElement(using: &random) else { continue }
            for _ in 0..<4 { Self.damage(&bytes, &random) }
            let message = MIMEParser.parse(bytes)
            for part in message.parts {
                #expect(
                    message.decodedSize(of: part) == message.decodedBody(of: part).count, "round \(round)")
            }
        }
    }

    private static let splices = [
        "\r\n", "\n", "\r", "--a", "--a--", "--=_", ";", "\"", "=?utf-8?b?", "?=", "<", ">", "(", "\u{0}",
        "=", "\r\n\r\n",
        "Content-Type: multipart/mixed; boundary=a\r\n\r\n", "Content-Type: message/rfc822\r\n\r\n",
        "Content-Transfer-Encoding: base64\r\n", "; charset=iso-2022-jp", "<table><div><![CDATA[",
    ]

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2:
            let splice = splices.randomElement(using: &random) ?? ""
            bytes.insert(contentsOf: Array(splice.utf8), at: place)
        case 3:
            let end = min(bytes.count, place + Int.random(in: 1...200, using: &random))
            let piece = Array(bytes[place..<end])
            bytes.insert(contentsOf: piece, at: Int.random(in: 0..<bytes.count, using: &random))
        case _: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...60, using: &random)))
        }
    }

    private static func samples() throws -> [[UInt8]] {
        let plain = BodyWriter.withCRLF(Array(StructureTests.standard.utf8))
        var builder = MessageBuilder(
            from: EmailAddress(displayName: "René, D", localPart: "rene", domain: "example.org"),
            to: [EmailAddress(displayName: "日本", localPart: "nihon", domain: "example.org")],
            subject: "Grüße aus 日本 — a long subject that has to be folded somewhere",
            text: "Ünïcode\nFrom here\n" + String(repeating: "long line ", count: 40),
            date: Timestamp(seconds: 1_772_704_800), messageID: MessageID("m@example.org"))
        builder.files = [
            .init(name: "naïve — file.pdf", contentType: "application/pdf", bytes: Array(0...255))
        ]
        builder.messages = [plain]
        let html =
            "Content-Type: text/html; charset=gb2312\n\n<table><tr><td>a<td><b>b</table><a href='https://x'>c</a>"
        return [plain, try builder.build(), Array(html.utf8), Array(StructureTests.standard.utf8)]
    }
}
