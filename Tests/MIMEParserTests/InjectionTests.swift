import Models
import Testing

@testable import MIMEParser

@Suite struct InjectionTests {
    static let breaks = ["\r\n", "\n", "\r", "\u{0}", "\u{1B}", "\u{7F}", "\u{B}"]

    static let dot = MessageBuilder.File(name: "dot.png", contentType: "image/png", bytes: [1])

    @Test("a line break, a NUL or another control character is refused in every field", arguments: breaks)
    func everywhere(_ code: String) {
        let evil = "x\(code)Bcc: evil@x.org"
        let evilAddress = EmailAddress(displayName: evil, localPart: "a", domain: "x.org")
        let evilSpec = EmailAddress(localPart: evil, domain: "x.org")
        let evilDomain = EmailAddress(localPart: "a", domain: evil)
        let changes: [(String, (inout MessageBuilder) -> Void)] = [
            ("Subject", { $0.subject = evil }), ("From", { $0.from = evilAddress }),
            ("From", { $0.from = evilSpec }),
            ("To", { $0.to = [evilDomain] }), ("Cc", { $0.cc = [evilAddress] }),
            ("Reply-To", { $0.replyTo = [evilSpec] }),
            ("Sender", { $0.sender = evilAddress }),
            ("Message-ID", { $0.messageID = MessageID("a\(code)@x.org") }),
            ("In-Reply-To", { $0.inReplyTo = MessageID("a\(code)@x.org") }),
            ("References", { $0.references = [MessageID("a\(code)@x.org")] }),
            ("X-A", { $0.extraHeaders = [HeaderField(name: "X-A", body: evil)] }),
            ("Content-ID", { $0.inlineFiles = [.init(contentID: evil, file: Self.dot)] }),
            (
                "Content-Disposition filename",
                {
                    $0.files = [.init(name: evil, contentType: "message/rfc822", bytes: [])]
                }
            ),
            ("Content-Type name", { $0.files = [.init(name: evil, contentType: "image/png", bytes: [])] }),
        ]
        for (field, change) in changes {
            var builder = MessageBuilderTests.builder()
            change(&builder)
            let error = #expect(throws: BuilderError.self) { try builder.build() }
            #expect(error?.field == field)
            #expect(error?.code == .controlCharacter(code.utf8.first ?? 0))
            #expect(error?.description.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ?? false)
        }
    }

    @Test("a line break from an encoded word makes no header field")
    func decoded() throws {
        let original = MIMEParser.parse(
            Array(
                "Subject: =?utf-8?q?a=0D=0ABcc:_evil@x.org?=\nFrom: =?utf-8?q?b=0ABcc:_e=40x?= <b@x.org>\n\nhi"
                    .utf8))
        var builder = MessageBuilderTests.builder(
            subject: MessageBuilder.forwardedSubject(original.envelope.subject))
        builder.to = original.envelope.from
        builder.forwardInline(original, note: "yours")
        let read = MIMEParser.parse(try builder.build())
        #expect(read.envelope.bcc.isEmpty)
        #expect(read.envelope.subject == "Fwd: a Bcc: evil@x.org")
        #expect(read.envelope.to.map(\.addrSpec) == ["b@x.org"])
    }

    @Test("an encoded word in a value is written as text and read back as the same text")
    func literalWord() throws {
        let subject = "=?utf-8?q?a=0D=0ABcc:_evil@x.org?="
        let bytes = try MessageBuilderTests.builder(subject: subject).build()
        #expect(MIMEParser.parse(bytes).envelope.subject == subject)
    }

    @Test(
        "an invalid address is refused",
        arguments: [
            ("", "x.org"), ("a", ""), ("a b", "x.org"), ("a,b", "x.org"), ("a>", "x.org"), ("a", "x..org"),
            ("a", "x org"),
            ("a@b", "x.org"), ("a", "[1.2.3.4"), ("\"a\"b\"", "x.org"), ("\"a\\\"", "x.org"), ("a", "x.org>"),
            (String(repeating: "a", count: 400), "x.org"),
        ])
    func badAddress(_ local: String, _ domain: String) {
        var builder = MessageBuilderTests.builder()
        builder.to = [EmailAddress(localPart: local, domain: domain)]
        let error = #expect(throws: BuilderError.self) { try builder.build() }
        #expect(error?.code == .badAddress)
        #expect(error?.field == "To")
    }

    @Test("the error about a refused value gives the reason and the fix")
    func wording() {
        func message(_ change: (inout MessageBuilder) -> Void) -> String? {
            var builder = MessageBuilderTests.builder()
            change(&builder)
            return #expect(throws: BuilderError.self) { try builder.build() }?.description
        }
        #expect(
            message { $0.subject = "a\nb" }
                == #"Subject holds a line break (\n) at byte 1: a header field is one line of text, remove it"#
        )
        #expect(
            message { $0.to = [EmailAddress(localPart: "a b", domain: "x.org")] }
                == "To holds \"a b@x.org\", which is not a mail address: write it as name@example.org")
        #expect(
            message { $0.to = [EmailAddress(localPart: "ü", domain: "x.org")] }
                == #"To holds "\u{00FC}@x.org", an address with a name outside ASCII that most servers refuse: use its ASCII form"#
        )
        #expect(
            message { $0.messageID = MessageID("x") }
                == "Message-ID holds \"x\", which is not a message id: write it as unique@example.org")
        #expect(
            message { $0.extraHeaders = [HeaderField(name: "Bcc", body: "x")] }
                == "Bcc is a field that opus writes itself: it cannot be an extra field")
        #expect(
            message { $0.extraHeaders = [HeaderField(name: "X Y", body: "x")] }
                == "\"X Y\" is not the name of a header field: use letters, digits and \"-\"")
        #expect(
            message { $0.files = [.init(name: "a", contentType: "a/b; c=d", bytes: [])] }
                == #"Content-Type holds "a/b; c=d", which is not a content type: write it as application/pdf"#
        )
    }
}

@Suite struct ForwardTests {
    @Test("a forwarded message is below the note, with its files")
    func inline() throws {
        let original = MIMEParser.parse(
            Array(
                """
                From: Ana <ana@x.org>
                To: bob@x.org
                Subject: Invoice
                Date: Thu, 05 Mar 2026 10:00:00 +0000
                Content-Type: multipart/mixed; boundary=a

                --a

                Please pay.
                --a
                Content-Type: application/pdf; name=i.pdf
                Content-Transfer-Encoding: base64

                SGk=
                --a
                Content-Type: message/rfc822

                Subject: inner

                x
                --a--
                """.utf8))
        var builder = MessageBuilderTests.builder(subject: MessageBuilder.forwardedSubject("Invoice"))
        builder.forwardInline(original, note: "Bob, yours please.")
        let read = MIMEParser.parse(try builder.build())
        #expect(
            read.text() == """
                Bob, yours please.

                ---------- Forwarded message ----------
                From: Ana <ana@x.org>
                Date: Thu, 05 Mar 2026 10:00:00 +0000
                Subject: Invoice
                To: bob@x.org

                Please pay.

                """)
        #expect(read.attachments.map(\.name) == ["i.pdf", "inner.eml"])
        #expect(read.decodedBody(section: "2") == Array("Hi".utf8))
        #expect(read.envelope.subject == "Fwd: Invoice")
    }

    @Test(
        "the subject of a forward is marked once",
        arguments: [
            ("a", "Fwd: a"), ("Fwd: a", "Fwd: a"), ("FW: a", "FW: a"), ("Re: a", "Fwd: Re: a"),
            ("a\nb", "Fwd: a b"),
        ])
    func subject(_ input: String, _ expected: String) {
        #expect(MessageBuilder.forwardedSubject(input) == expected)
    }
}
