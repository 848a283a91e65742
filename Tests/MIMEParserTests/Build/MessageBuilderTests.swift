import Models
import Testing

@testable import MIMEParser

@Suite struct MessageBuilderTests {
    static func builder(subject: String = "Hello", text: String = "Hi.\n") -> MessageBuilder {
        MessageBuilder(
            from: EmailAddress(displayName: "Ana", localPart: "ana", domain: "example.org"),
            to: [EmailAddress(displayName: "", localPart: "bob", domain: "example.org")], subject: subject,
            text: text, date: Timestamp(seconds: 1_772_704_800), messageID: MessageID("m1@example.org"))
    }

    @Test("a plain message has the expected bytes")
    func plain() throws {
        var builder = Self.builder()
        builder.inReplyTo = MessageID("p@x.org")
        builder.references = [MessageID("r@x.org"), MessageID("p@x.org")]
        builder.autoSubmitted = .generated
        builder.zoneOffsetSeconds = 3_600
        builder.extraHeaders = [HeaderField(name: "X-Opus-Action", body: "delegate")]
        let expected = """
            Date: Thu, 05 Mar 2026 11:00:00 +0100
            From: Ana <ana@example.org>
            To: bob@example.org
            Subject: Hello
            Message-ID: <m1@example.org>
            In-Reply-To: <p@x.org>
            References: <r@x.org> <p@x.org>
            Auto-Submitted: auto-generated
            X-Opus-Action: delegate
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: 7bit

            Hi.

            """
        #expect(try builder.build() == BodyWriter.withCRLF(Array(expected.utf8)))
    }

    @Test("the same values give the same bytes")
    func deterministic() throws {
        var builder = Self.builder()
        builder.files = [.init(name: "a", contentType: "application/pdf", bytes: [1, 2, 3])]
        #expect(try builder.build() == builder.build())
    }

    static let subjects = [
        "", "Hello", "Grüße aus Köln", "日本語の件名がとても長い場合でも正しく折り返されることを確かめるための件名です",
        "a =?utf-8?q?trap?= b", " blank in front", "two  blanks", "👩‍💻 ok", "e\u{301}",
        String(repeating: "word ", count: 60) + "end", String(repeating: "x", count: 2_000), "tab\tinside",
        "\u{FEFF}Zoë", "\u{FEFF} \u{FEFF}Zoë\u{FEFF}", "\u{FEFF}",
    ]

    @Test("a written subject is read back", arguments: subjects)
    func roundTripSubject(_ subject: String) throws {
        let bytes = try Self.builder(subject: subject).build()
        Wire.check(bytes, isSevenBit: true)
        #expect(MIMEParser.parse(bytes).envelope.subject == HeaderText.clean(subject))
        #expect(MIMEParser.parse(bytes).defects.isEmpty)
    }

    @Test(
        "written names and addresses are read back",
        arguments: [
            ("Ana Smith", "ana"), ("Smith, Ana", "ana"), (#"Ana "A" \ Smith"#, "ana"), ("René", "ana"),
            ("日本 太郎", "ana"), ("ana@evil.org", "ana"), ("<evil@x.org>", "ana"), ("a; b: c", "ana"),
            ("", "\"a b\""),
            ("=?utf-8?q?x?=", "ana"), (String(repeating: "Very Long Name ", count: 20) + "X", "ana"),
            ("Ana", "first.last+tag"), ("(comment)", "ana"),
        ])
    func roundTripAddress(_ name: String, _ local: String) throws {
        var builder = Self.builder()
        let address = EmailAddress(displayName: name, localPart: local, domain: "example.org")
        builder.to = [address, EmailAddress(localPart: "second", domain: "x.org"), address]
        let bytes = try builder.build()
        Wire.check(bytes, isSevenBit: true)
        #expect(MIMEParser.parse(bytes).envelope.to == builder.to)
    }

    @Test(
        "a written text is read back",
        arguments: [
            "", "plain\n", "Ünïcode\n", "日本語\n", "From here\nto there\n", ".\n..\n", "a\r\nb\n",
            "trailing blanks  \n\t\n", "nul\u{0}bell\u{7}\n", "-- \nsignature\n",
            "--=_looks like a boundary\n", "=3D is no code\n",
        ])
    func roundTripText(_ text: String) throws {
        for text in [text, text + String(repeating: "long ", count: 400) + "\n"] {
            for files in [[], [MessageBuilder.File(name: "f", contentType: "text/plain", bytes: [1])]] {
                var builder = Self.builder(text: text)
                builder.files = files
                let bytes = try builder.build()
                Wire.check(bytes, isSevenBit: true)
                let read = MIMEParser.parse(bytes)
                let body = read.decodedBody(section: "1") ?? []
                #expect(body == BodyWriter.withCRLF(Array(text.utf8)))
            }
        }
    }

    @Test("files are read back with their names, types and bytes")
    func files() throws {
        var builder = Self.builder()
        builder.files = [
            .init(name: "report.pdf", contentType: "application/pdf", bytes: Array(0...255)),
            .init(name: "naïve — résumé.txt", contentType: "text/plain", bytes: Array("a\nb\r".utf8)),
            .init(name: #"quote " and \ slash"#, contentType: "image/png", bytes: []),
            .init(
                name: String(repeating: "日本語の長い名前", count: 12) + ".txt", contentType: "TEXT/CSV", bytes: [10]),
            .init(name: "", contentType: "multipart/mixed", bytes: [1]),
        ]
        let bytes = try builder.build()
        Wire.check(bytes, isSevenBit: true)
        let message = MIMEParser.parse(bytes)
        #expect(message.attachments.map(\.name) == builder.files.map(\.name))
        #expect(
            message.attachments.map(\.contentType) == [
                "application/pdf", "text/plain", "image/png", "text/csv", "application/octet-stream",
            ])
        #expect(message.attachments.map(\.size) == builder.files.map(\.bytes.count))
        for (attachment, file) in zip(message.attachments, builder.files) {
            #expect(message.decodedBody(section: attachment.section) == file.bytes)
        }
        #expect(message.text() == "Hi.\n")
        #expect(message.defects.isEmpty)
    }

    @Test("an attached message is written unchanged, with CRLF line ends")
    func attachedMessage() throws {
        var builder = Self.builder()
        builder.messages = [Array("From x\nSubject: inner\n\nGrüße\rlast".utf8)]
        let bytes = try builder.build()
        Wire.check(bytes)
        let message = MIMEParser.parse(bytes)
        #expect(message.attachments.map(\.contentType) == ["message/rfc822"])
        #expect(message.decodedBody(section: "2") == Array("Subject: inner\r\n\r\nGrüße\r\nlast".utf8))
    }

    @Test("a message that servers would refuse is attached as a file")
    func unfitMessage() throws {
        var builder = Self.builder()
        let inner = Array(("Subject: x\n\n" + String(repeating: "y", count: 2_000)).utf8)
        builder.messages = [inner]
        let bytes = try builder.build()
        Wire.check(bytes, isSevenBit: true)
        let message = MIMEParser.parse(bytes)
        #expect(message.attachments.map(\.name) == ["message.eml"])
        #expect(message.decodedBody(section: "2") == inner)
    }

    @Test("a boundary depends on the content and never starts a line of it")
    func boundary() {
        let part = BodyWriter.Part(header: [], body: Array("a\r\n".utf8))
        let first = MultipartWriter.boundary(absentFrom: [part], seed: "s")
        #expect(first.hasPrefix("=_"))
        let second = MultipartWriter.boundary(absentFrom: [part, part], seed: "s")
        #expect(first != second)
        #expect(MultipartWriter.holds(first, Array("x\r\n--\(first)more\r\n".utf8)))
        #expect(!MultipartWriter.holds(first, Array("x --\(first)\r\n".utf8)))
    }

    @Test(
        "references are kept, and a chain that is too long loses its middle",
        arguments: [500, 5_000])
    func references(_ count: Int) throws {
        var builder = Self.builder()
        builder.references = (0..<count).map { MessageID("\($0).0123456789abcdef@mail.example.org") }
        let bytes = try builder.build()
        Wire.check(bytes, isSevenBit: true)
        let read = MIMEParser.parse(bytes).envelope.references
        #expect(count == 500 ? read == builder.references : read.count > 500)
        #expect(bytes.count < 80_000)
        #expect(read.first == builder.references.first)
        #expect(read.last == builder.references.last)
    }

    @Test("a foreign message id that cannot be written is left out")
    func badReference() throws {
        var builder = Self.builder()
        builder.inReplyTo = MessageID("no id")
        builder.references = [MessageID("ü@x.org"), MessageID("a b@x.org"), MessageID("good@x.org")]
        let envelope = MIMEParser.parse(try builder.build()).envelope
        #expect(envelope.inReplyTo.isEmpty)
        #expect(envelope.references == [MessageID("good@x.org")])
    }

    @Test("Bcc is written only for a draft")
    func bcc() throws {
        var builder = Self.builder()
        builder.bcc = [EmailAddress(localPart: "secret", domain: "x.org")]
        #expect(MIMEParser.parse(try builder.build()).envelope.bcc.isEmpty)
        #expect(MIMEParser.parse(try builder.build(includingBcc: true)).envelope.bcc == builder.bcc)
    }
}
