import Models
import Testing

@testable import MIMEParser

@Suite struct ResponseTests {
    static let ana = EmailAddress(displayName: "Ana", localPart: "ana", domain: "example.org")

    static func response(_ header: String, _ body: String = "Hello.\n", from: EmailAddress = ana) -> Response
    {
        Response(
            to: MIMEParser.parse(Array((header + "\n\n" + body).utf8)), from: from,
            ownAddresses: [EmailAddress(localPart: "Ana", domain: "other.example")],
            date: Timestamp(seconds: 1_772_704_800), messageID: MessageID("new@example.org"))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var header: String
        var reply: [String]
        var allTo: [String]
        var allCc: [String] = []
        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "to the writer; to all with To and Cc, without us, nobody twice",
            header:
                "From: Bob <bob@x.org>\nTo: ana@example.org, Carl <c@x.org>, BOB@x.org\nCc: d@x.org, C@x.org, ANA@other.example",
            reply: ["bob@x.org"], allTo: ["bob@x.org", "c@x.org"], allCc: ["d@x.org"]),
        Row(
            name: "Reply-To counts above From",
            header: "From: bob@x.org\nReply-To: desk@x.org\nTo: ana@example.org",
            reply: ["desk@x.org"], allTo: ["desk@x.org"]),
        Row(
            name: "a Reply-To that also names the user: the others",
            header: "From: bob@x.org\nReply-To: bob@x.org, ana@example.org\nTo: ana@example.org",
            reply: ["bob@x.org"], allTo: ["bob@x.org"]),
        Row(
            name: "a Reply-To that a list has set is not the writer",
            header: "From: bob@x.org\nReply-To: list@x.org\nTo: list@x.org\nList-Post: <mailto:list@x.org>",
            reply: ["bob@x.org"], allTo: ["bob@x.org", "list@x.org"]),
        Row(
            name: "a Reply-To that is also in Cc counts without a list",
            header: "From: no-reply@x.org\nTo: ana@example.org\nCc: desk@x.org\nReply-To: desk@x.org",
            reply: ["desk@x.org"], allTo: ["desk@x.org"]),
        Row(
            name: "Mail-Followup-To is for all, not for the writer",
            header:
                "From: bob@x.org\nTo: list@x.org, ana@example.org\nMail-Followup-To: list@x.org, ana@example.org",
            reply: ["bob@x.org"], allTo: ["list@x.org"]),
        Row(
            name: "a Mail-Followup-To without another person does not count",
            header:
                "From: bob@x.org\nTo: c@x.org, ana@example.org\nMail-Followup-To: garbage, ana@example.org",
            reply: ["bob@x.org"], allTo: ["bob@x.org", "c@x.org"]),
        Row(
            name: "to one's own message: whoever got it",
            header: "From: ana@other.example\nTo: bob@x.org, c@x.org\nCc: d@x.org",
            reply: ["bob@x.org", "c@x.org"],
            allTo: ["bob@x.org", "c@x.org"], allCc: ["d@x.org"]),
        Row(
            name: "to oneself, where nobody else is", header: "From: ana@example.org\nTo: ana@example.org",
            reply: ["ana@example.org"], allTo: ["ana@example.org"]),
        Row(
            name: "a contact form writes with the user's From: to whom it names in Reply-To",
            header:
                "From: Web <ana@example.org>\nReply-To: Kim <kim@far.example>\nTo: ana@example.org, bob@x.org",
            reply: ["kim@far.example"], allTo: ["kim@far.example", "bob@x.org"]),
        Row(
            name: "one's own message with the Reply-To of another address: whoever got it",
            header: "From: ana@example.org\nReply-To: team@example.org\nTo: bob@x.org",
            reply: ["bob@x.org"], allTo: ["bob@x.org"]),
        Row(
            name: "one's own message to a list that sets Reply-To: the list",
            header:
                "From: ana@example.org\nReply-To: list@x.org\nTo: list@x.org, ana@example.org\nList-Id: <x.org>",
            reply: ["list@x.org"], allTo: ["list@x.org"]),
        Row(
            name: "one's own message to hidden recipients",
            header: "From: ana@example.org\nTo: undisclosed-recipients:;",
            reply: ["ana@example.org"], allTo: ["ana@example.org"]),
        Row(
            name: "all in Cc stand in To when To is empty", header: "From: ana@example.org\nCc: bob@x.org",
            reply: ["ana@example.org"], allTo: ["bob@x.org"]),
        Row(
            name: "addresses that nobody could write are left out of all",
            header: "From: bob@x.org\nTo: local, ü@x.org, c@x..org, good@x.org", reply: ["bob@x.org"],
            allTo: ["bob@x.org", "good@x.org"]),
        Row(
            name: "Sender where From is missing", header: "Sender: bob@x.org\nTo: ana@example.org",
            reply: ["bob@x.org"], allTo: ["bob@x.org"]),
        Row(name: "nobody", header: "Subject: x", reply: [], allTo: []),
    ]

    @Test("a reply goes to the intended recipients", arguments: rows)
    func recipients(_ row: Row) throws {
        let response = Self.response(row.header)
        #expect(response.reply().to.map(\.addrSpec) == row.reply)
        #expect(response.reply().cc.isEmpty)
        #expect(response.replyAll().to.map(\.addrSpec) == row.allTo)
        #expect(response.replyAll().cc.map(\.addrSpec) == row.allCc)
        Wire.check(try response.replyAll("x").build())
    }

    @Test("an answer to all names whom it leaves out")
    func leftOut() {
        let header = "From: bob@x.org\nTo: ana@example.org, Kim <kim>\nCc: jörg@x.org, c@x.org"
        #expect(Self.response(header).leftOut.map(\.addrSpec) == ["kim", "jörg@x.org"])
        #expect(Self.response(header + "\nMail-Followup-To: c@x.org").leftOut.isEmpty)
    }

    @Test("a reply to thousands of recipients has a limited number")
    func bounded() throws {
        let many = (0..<1_500).map { "a\($0)@x.org" }.joined(separator: ",\n ")
        let builder = Self.response("From: bob@x.org\nTo: \(many)").replyAll()
        #expect(builder.to.count <= RecipientFinder.limit)
        #expect(builder.to.count > 500)
    }

    @Test("a reply names its parent and its thread")
    func thread() throws {
        func ids(_ header: String) throws -> [String] {
            let envelope = MIMEParser.parse(try Self.response(header).reply().build()).envelope
            return envelope.inReplyTo.map(\.rawValue) + ["|"] + envelope.references.map(\.rawValue)
        }
        #expect(try ids("Message-ID: <p@x>\nReferences: <a@x> <b@x>") == ["p@x", "|", "a@x", "b@x", "p@x"])
        #expect(try ids("Message-ID: <p@x>\nIn-Reply-To: <b@x>") == ["p@x", "|", "b@x", "p@x"])
        #expect(try ids("Message-ID: <p@x>\nReferences: <p@x> <b@x>") == ["p@x", "|", "b@x", "p@x"])
        #expect(try ids("References: <a@x>") == ["|", "a@x"])
        let many = (0..<200).map { "\($0)@x" }
        let field = many.map { "<\($0)>" }.joined(separator: "\n ")
        #expect(try ids("Message-ID: <p@x>\nReferences: \(field)") == ["p@x", "|"] + many + ["p@x"])
    }

    @Test("the original is quoted below the reply, without its signature")
    func quote() throws {
        let response = Self.response(
            "From: Bob <bob@x.org>\nDate: Thu, 05 Mar 2026 10:00:00 +0000",
            "Hi Ana,\n\n> older\n> > oldest\nbye  \n-- \nBob\nACME\n")
        #expect(
            response.reply("Thanks!").text == """
                Thanks!

                On Thu, 05 Mar 2026 10:00:00 +0000, Bob wrote:
                > Hi Ana,
                >
                >> older
                >>> oldest
                > bye

                """)
        #expect(TextZones.ownText(of: response.reply("Thanks!").text) == "Thanks!")
        #expect(response.reply().text.hasPrefix("On Thu"))
        #expect(Self.response("From: bob@x.org", "").reply("x").text == "x")
        #expect(Self.response("Subject: x").reply().text == "someone wrote:\n> Hello.\n")
    }

    @Test("the addresses of links above a signature are quoted, and those in it are not")
    func quotedLinks() throws {
        let response = Self.response(
            "From: Bob <bob@x.org>\nContent-Type: text/html",
            """
            <p>See <a href="http://x.example/1">this</a> and <a href="http://x.example/2">that</a></p>
            <p>-- <br>Bob, <a href="http://x.example/3">ACME</a></p>

            """)
        #expect(
            response.reply().text == """
                Bob wrote:
                > See this [1] and that [2]
                >
                > [1] http://x.example/1
                > [2] http://x.example/2

                """)
    }

    @Test("a long quote is cut, and says so")
    func longQuote() {
        let text = QuotedText.quote(String(repeating: "line\n", count: 5_000))
        #expect(text.split(separator: "\n").count == QuotedText.lineLimit + 1)
        #expect(text.hasSuffix("\n> [the rest is left out]\n"))
        #expect(QuotedText.quote(String(repeating: "x", count: 200_000)).utf8.count < 66_000)
    }

    @Test("a reply that quotes long lines is flowed, and is read back with its quotes")
    func flowed() throws {
        let long = String(repeating: "word ", count: 60) + "end"
        let builder = Self.response("From: bob@x.org", long + "\n> " + long + "\n").reply("Yes.")
        let read = MIMEParser.parse(try builder.build())
        #expect(read.root.contentType.parameters["format"] == "flowed")
        #expect(read.text() == builder.text)
        #expect(read.text().contains("\n> \(long)\n>> \(long)\n"))
    }

    @Test("encoded words of the original cannot add a field to a reply")
    func injection() throws {
        let response = Self.response(
            "From: =?utf-8?q?b=0D=0ABcc:_e=40x?= <b@x.org>\nTo: =?utf-8?q?c=0A?= <c@x.org>\n"
                + "Subject: =?utf-8?q?a=0D=0ABcc:_evil@x.org=00?=\nMessage-ID: <a\u{1}b@x.org>")
        for builder in [
            response.reply("x"), response.replyAll("x"), response.forwardInline(to: [Self.ana]),
            response.forwardAttached(to: [Self.ana]),
        ] {
            let bytes = try builder.build()
            let read = MIMEParser.parse(bytes)
            #expect(read.envelope.bcc.isEmpty)
            #expect(read.envelope.subject.hasSuffix("a Bcc: evil@x.org\u{FFFD}"))
        }
    }

    @Test("a forward of a message that is too long to read has the whole message as a file, and says so")
    func forwardOfLongText() throws {
        let line = String(repeating: "x", count: 69)
        let text = (0..<20_000).map { "\($0) \(line)\n" }.joined()
        let half = "--b\n\n\(text.prefix(700_000))\n"
        let bodies: [String] = [
            "Content-Type: text/plain\n\n\(text)", "Content-Type: text/html\n\n<p>\(text)",
            "Content-Type: multipart/mixed; boundary=b\n\n\(half)\(half)--b--\n",
        ]
        for body in bodies {
            let original = MIMEParser.parse(
                Array(("From: bob@x.org\nSubject: Log\nMIME-Version: 1.0\n" + body).utf8))
            let response = Response(
                to: original, from: Self.ana, ownAddresses: [], date: Timestamp(seconds: 0),
                messageID: MessageID("f@x"))
            let draft = response.forwardInline(to: [Self.ana], note: "See below.")
            #expect(
                draft.text.hasSuffix("\n[This is not all: the whole message is attached as message.eml]\n"))
            #expect(draft.text.utf8.count < 70_000)
            #expect(draft.files.map(\.name) == ["message.eml"])
            let sent = MIMEParser.parse(try draft.build())
            #expect(sent.decodedBody(section: "2") == BodyWriter.withCRLF(original.bytes))
            let again = MessageBuilder(
                draft: try draft.build(), from: Self.ana, date: Timestamp(seconds: 0),
                messageID: MessageID("f@x"))
            #expect(again.text == draft.text)
            #expect(again.files.map(\.bytes) == [BodyWriter.withCRLF(original.bytes)])
        }
    }

    @Test("a text of several megabytes is edited as a whole")
    func longDraft() throws {
        var draft = MessageBuilder(
            from: Self.ana, to: [], subject: "Log", text: "", date: Timestamp(seconds: 0),
            messageID: MessageID("d@x"))
        draft.text = (0..<90_000).map { "line \($0) of the text\n" }.joined()
        let read = MessageBuilder(
            draft: try draft.draft(), from: Self.ana, date: Timestamp(seconds: 0), messageID: MessageID("d@x")
        )
        #expect(read.text == draft.text)
    }

    @Test("a forward has the files of the original, or the whole original")
    func forward() throws {
        let response = Self.response(
            "From: bob@x.org\nSubject: AW: Plan\nMessage-ID: <p@x>\nMIME-Version: 1.0\n"
                + "Content-Type: multipart/mixed; boundary=b",
            "--b\n\nText.\n--b\nContent-Type: application/pdf; name=a.pdf\n\nPDF\n--b--\n")
        let inline = MIMEParser.parse(try response.forwardInline(to: [Self.ana], note: "See below.").build())
        #expect(inline.envelope.subject == "Fwd: AW: Plan")
        #expect(inline.envelope.references == [MessageID("p@x")])
        #expect(inline.envelope.inReplyTo.isEmpty)
        #expect(
            inline.text().hasPrefix(
                "See below.\n\n---------- Forwarded message ----------\nFrom: bob@x.org\n"))
        #expect(inline.attachments.map(\.name) == ["a.pdf"])
        let attached = MIMEParser.parse(try response.forwardAttached(to: [Self.ana], note: "Note.").build())
        #expect(attached.text() == "Note.\n")
        let inner = try #require(attached.decodedBody(section: "2"))
        #expect(inner == BodyWriter.withCRLF(response.original.bytes))
        #expect(MIMEParser.parse(inner).attachments.map(\.name) == ["a.pdf"])
        #expect(response.delegate(to: Self.ana).text == response.forwardInline(to: [Self.ana]).text)
    }

    @Test("the date above a forwarded text is in the zone of the user, as in a reply")
    func zoneOfForward() throws {
        var response = Self.response(
            "From: bob@x.org\nDate: Thu, 5 Mar 2026 10:00:00 +0000\nMessage-ID: <p@x>", "Text.\n")
        response.zoneOffset = { _ in 19_800 }
        let date = "Thu, 05 Mar 2026 15:30:00 +0530"
        #expect(response.forwardInline(to: [Self.ana]).text.contains("\nDate: \(date)\n"))
        #expect(response.reply().text.hasPrefix("On \(date), "))
    }

    @Test("the date of the original is in the offset of that day, also after a change of the clocks")
    func zoneOfAnEarlierDay() throws {
        var response = Self.response(
            "From: bob@x.org\nDate: Thu, 5 Mar 2026 10:00:00 +0000\nMessage-ID: <p@x>", "Text.\n")
        let change = Timestamp(seconds: 1_774_746_000)
        response.zoneOffset = { $0 < change ? 3_600 : 7_200 }
        response.date = change + 86_400
        let date = "Thu, 05 Mar 2026 11:00:00 +0100"
        #expect(response.forwardInline(to: [Self.ana]).text.contains("\nDate: \(date)\n"))
        #expect(response.reply().text.hasPrefix("On \(date), "))
        #expect(response.reply().zoneOffsetSeconds == 7_200)
    }

    @Test("a forwarded file has no folders in its name, and one without a name has the extension of its type")
    func namesInForward() throws {
        let files = [
            "application/pdf; name=\"../../etc/a.pdf\"", "application/pdf; name=\"C:\\\\x\\\\b.pdf\"",
            "image/png; name=\"..\"",
            "text/calendar; method=REQUEST", "application/x-thing",
        ]
        let response = Self.response(
            "From: bob@x.org\nMessage-ID: <p@x>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b",
            "--b\n\nText.\n" + files.map { "--b\nContent-Type: \($0)\n\nX\n" }.joined() + "--b--\n")
        let inline = MIMEParser.parse(try response.forwardInline(to: [Self.ana]).build())
        #expect(
            inline.attachments.map(\.name) == [
                "a.pdf", "b.pdf", "attachment-4.png", "attachment-5.ics", "attachment-6",
            ])
    }

    @Test("a forwarded file, or one in a draft of another program, keeps what a recipient needs to read it")
    func parametersInForward() throws {
        let name = String(repeating: "é", count: 150) + ".docx"
        let parts = [
            "text/plain; charset=koi8-r; x-other=1\nContent-Disposition: attachment; filename=k.txt",
            "text/calendar; method=REQUEST; charset=\"utf-8\"\nContent-Disposition: attachment; filename=a.ics",
            "text/plain; charset=\"a b\"\nContent-Disposition: attachment; filename=\"\(name)\"",
        ]
        let header = "From: bob@x.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b"
        let body = "--b\n\nText.\n" + parts.map { "--b\nContent-Type: \($0)\n\nX\n" }.joined() + "--b--\n"
        let forward = Self.response(header, body).forwardInline(to: [Self.ana])
        let draft = MessageBuilder(
            draft: Array((header + "\n\n" + body).utf8), from: Self.ana,
            date: Timestamp(seconds: 1_772_704_800), messageID: MessageID("new@example.org"))
        for builder in [forward, draft] {
            let written = MIMEParser.parse(try builder.build())
            let types = written.attachments.compactMap { attachment in
                written.parts.first { $0.section.description == attachment.section }?.contentType
            }
            #expect(types.map(\.charset) == ["koi8-r", "utf-8", nil])
            #expect(types.map { $0.parameters["method"] } == [nil, "REQUEST", nil])
            #expect(types.allSatisfy { $0.parameters["x-other"] == nil })
        }
        let last = try #require(forward.files.last?.name)
        #expect(last.utf8.count <= 200)
        #expect(last.hasSuffix("é.docx"))
    }

    @Test("an automatic reply has the field Auto-Submitted")
    func autoSubmitted() throws {
        var response = Self.response("From: bob@x.org")
        #expect(try MIMEParser.parse(response.reply().build()).header("Auto-Submitted").isEmpty)
        response.autoSubmitted = .replied
        #expect(try MIMEParser.parse(response.reply().build()).header("Auto-Submitted") == ["auto-replied"])
    }
}

@Suite struct SubjectPrefixTests {
    @Test(
        "the subject of a reply is marked once",
        arguments: [
            ("x", "Re: x"), ("Re: x", "Re: x"), ("RE: x", "RE: x"), ("re:x", "re: x"), ("AW: x", "AW: x"),
            ("Re: AW: Re: x", "Re: x"), ("Re[2]: x", "Re[2]: x"), ("Re(3): x", "Re(3): x"),
            ("Re^2: x", "Re^2: x"),
            ("SV: VS: Antw: Odp: Ynt: x", "SV: x"), ("回复：x", "回复： x"), ("答复: x", "答复: x"),
            ("Fwd: x", "Re: Fwd: x"),
            ("Re: Fwd: Re: x", "Re: Fwd: Re: x"), ("", "Re: "), ("Report: x", "Re: Report: x"),
            ("Re x", "Re: Re x"),
            ("1: x", "Re: 1: x"), (": x", "Re: : x"), ("[2]: x", "Re: [2]: x"), ("a\r\nb", "Re: a b"),
            ("Re : x", "Re : x"), ("תגובה: x", "תגובה: x"), ("Rep: x", "Rep: x"),
        ])
    func reply(_ subject: String, _ expected: String) {
        #expect(SubjectPrefix.reply(subject) == expected)
    }

    @Test(
        "the subject of a forward is marked once",
        arguments: [
            ("x", "Fwd: x"), ("FW: Fwd: x", "FW: x"), ("WG: x", "WG: x"), ("TR: x", "TR: x"),
            ("RV: x", "RV: x"),
            ("ENC: x", "ENC: x"), ("转发: x", "转发: x"), ("Re: x", "Fwd: Re: x"),
        ])
    func forward(_ subject: String, _ expected: String) {
        #expect(SubjectPrefix.forward(subject) == expected)
    }
}

@Suite struct MessageIDFactoryTests {
    @Test("a message id is made from time, random bytes and domain")
    func make() {
        let random = Array(UInt8(0)...20)
        let id = MessageIDFactory.make(
            at: Timestamp(seconds: 1_772_704_800), random: random, domain: "Bücher.example")
        #expect(id.rawValue == "tbf7s0.000102030405060708090a0b0c0d0e0f@xn--bcher-kva.example")
        #expect(HeaderWriter.isMessageID(id.rawValue))
        #expect(MessageIDFactory.bytes(seed: "a") == MessageIDFactory.bytes(seed: "a"))
        #expect(MessageIDFactory.bytes(seed: "a") != MessageIDFactory.bytes(seed: "b"))
        #expect(MessageIDFactory.bytes(seed: "").count == 16)
    }
}
