import Models
import Testing

@testable import MIMEParser

/// Parse of what we build gives back what went in.
@Suite struct BuildRoundTripTests {
    static let seeds = Array(UInt64(1)...400)

    @Test(
        "a message is read back as it was written, and its bytes keep the rules of the wire", arguments: seeds
    )
    func roundTrip(_ seed: UInt64) throws {
        var generator = MessageGenerator(seed: seed)
        let builder = generator.message()
        let bytes = try builder.draft()
        Wire.check(bytes)
        let read = MIMEParser.parse(bytes)
        #expect(read.defects.isEmpty)
        checkHeader(read, builder)
        checkTexts(read, builder)
        checkFiles(read, builder)
        #expect(try builder.draft() == bytes)
        #expect(try MIMEParser.parse(builder.build()).envelope.bcc.isEmpty)
    }

    private func checkHeader(_ read: ParsedMessage, _ builder: MessageBuilder) {
        let envelope = read.envelope
        func wire(_ addresses: [EmailAddress]) -> [EmailAddress] {
            addresses.map {
                EmailAddress(
                    displayName: $0.displayName, localPart: $0.localPart,
                    domain: InternationalDomain.toASCII($0.domain) ?? "none")
            }
        }
        #expect(envelope.from == wire([builder.from]))
        #expect(envelope.sender == wire(builder.sender.map { [$0] } ?? []))
        #expect(envelope.replyTo == wire(builder.replyTo))
        #expect(envelope.to == wire(builder.to))
        #expect(envelope.cc == wire(builder.cc))
        #expect(envelope.bcc == wire(builder.bcc))
        #expect(envelope.subject == HeaderText.clean(builder.subject))
        #expect(envelope.date == builder.date)
        #expect(envelope.messageID == builder.messageID)
        #expect(envelope.inReplyTo == (builder.inReplyTo.map { [$0] } ?? []))
        #expect(envelope.references == builder.references)
        #expect(read.header("Auto-Submitted") == (builder.autoSubmitted.map { [$0.rawValue] } ?? []))
        #expect(read.header("X-Note") == builder.extraHeaders.map { HeaderText.clean($0.body) })
    }

    private func checkTexts(_ read: ParsedMessage, _ builder: MessageBuilder) {
        let leaves = read.parts.filter { $0.children.isEmpty && !$0.section.description.isEmpty }
        func ended(_ text: String) -> [UInt8] {
            let bytes = BodyWriter.withCRLF(Array(text.utf8))
            return bytes.isEmpty || bytes.last == ASCII.lf ? bytes : bytes + [ASCII.cr, ASCII.lf]
        }
        if let html = builder.html {
            let part = leaves.first { $0.contentType.isHTML }
            #expect(part.map { read.decodedBody(of: $0) } == ended(html))
            if builder.text.isEmpty { return }
        }
        guard let part = leaves.first else { return }
        #expect(part.contentType.isPlain)
        var text = String(decoding: read.decodedBody(of: part), as: UTF8.self)
        if part.contentType.parameters["format"] != nil {
            #expect(builder.isFlowed)
            text = FlowedWriterTests.joined(text)
        }
        #expect(BodyWriter.withCRLF(Array(text.utf8)) == ended(builder.text))
    }

    private func checkFiles(_ read: ParsedMessage, _ builder: MessageBuilder) {
        let files = builder.inlineFiles.map(\.file) + builder.files
        let found = read.attachments.filter {
            $0.contentType != "message/rfc822" && !$0.section.contains(":")
        }
        #expect(found.map(\.name) == files.map { HeaderText.clean($0.name) })
        #expect(found.map(\.contentType) == files.map { $0.contentType.lowercased() })
        #expect(found.map { read.decodedBody(section: $0.section) } == files.map(\.bytes))
        #expect(found.compactMap(\.contentID) == builder.inlineFiles.map(\.contentID))
        let messages = read.attachments.filter { $0.contentType == "message/rfc822" }
        #expect(messages.map { read.decodedBody(section: $0.section) } == builder.messages)
    }
}
