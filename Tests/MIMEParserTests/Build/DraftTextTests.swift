import Models
import Testing

@testable import MIMEParser

/// A message in an editor.
@Suite struct DraftTextTests {
    private let ana = EmailAddress(displayName: "Ana Ruiz", localPart: "ana", domain: "acme.example")

    private func builder(_ change: (inout MessageBuilder) -> Void = { _ in }) -> MessageBuilder {
        var builder = MessageBuilder(
            from: ana, to: [EmailAddress(localPart: "bob", domain: "acme.example")], subject: "Q3 plan",
            text: "Hello.\n",
            date: Timestamp(seconds: 1_773_126_000), messageID: MessageID("1@acme.example"))
        change(&builder)
        return builder
    }

    @Test func `the text for the editor is read back unchanged`() {
        let before = builder { builder in
            builder.to = [
                EmailAddress(displayName: "Ruiz, Ana \"A\" \\", localPart: "x", domain: "y.example"),
                EmailAddress(displayName: "Łódź 東京", localPart: "z", domain: "y.example"),
            ]
            builder.cc = [EmailAddress("c@y.example")!]
            builder.bcc = [EmailAddress("hidden@y.example")!]
            builder.subject = "Re: grüße: a \"quote\""
            builder.text = "One.\n\n> two\n-- \nAna\n"
        }
        let (draft, mistakes) = DraftText.read(DraftText.write(before, files: ["a.pdf", "b.txt"]))
        #expect(mistakes.isEmpty)
        #expect(draft.from == before.from)
        #expect(draft.to == before.to)
        #expect(draft.cc == before.cc)
        #expect(draft.bcc == before.bcc)
        #expect(draft.subject == before.subject)
        #expect(draft.text == before.text)
        #expect(draft.attachments == [.kept(1, name: "a.pdf", line: 6), .kept(2, name: "b.txt", line: 7)])
    }

    @Test func `the text of an empty draft has a line for each field and space for the body`() {
        let text = DraftText.write(
            builder { builder in
                builder.to = []
                builder.subject = ""
                builder.text = ""
            }, files: [])
        #expect(text == "From: Ana Ruiz <ana@acme.example>\nTo:\nCc:\nBcc:\nSubject:\nAttach:\n\n\n")
        #expect(DraftText.read(text).mistakes.isEmpty)
    }

    @Test func `each mistake is reported with its line`() {
        let (draft, mistakes) = DraftText.read(
            """
            From: ana@acme.example, bob@acme.example
            To: bob
            Subjct: typo
            no colon here
            Subject: kept

            Text.
            """)
        #expect(mistakes.map(\.line) == [1, 2, 3, 4])
        #expect(mistakes[2].message.contains("Subjct"))
        #expect(draft.subject == "kept")
        #expect(draft.text == "Text.\n")
    }

    @Test func `a line that begins with a space continues the field above`() {
        let (draft, mistakes) = DraftText.read("To: a@x.example,\n  b@x.example\nSubject: s\n\nText\n")
        #expect(mistakes.isEmpty)
        #expect(draft.to.map(\.addrSpec) == ["a@x.example", "b@x.example"])
    }

    @Test(arguments: [
        "To: a@x.example\n\nBcc: hidden@x.example\n\nText\n",
        "To: a@x.example\n\n\n  bcc : hidden@x.example\n",
        "To: a@x.example\n \t\nSubject: below\n\nText\n",
    ]) func `a field below the line that ends the header is a mistake, and not text`(_ typed: String) {
        let mistakes = DraftText.read(typed).mistakes
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.message.contains("is below line 2, which ends the header") == true)
    }

    @Test(arguments: [
        "To: a@x.example\n\nSubject: of the talk\n", "To: a@x.example\n  \nHello: this is text\n",
        "To: a@x.example\n\nHello\nBcc: a word\n",
    ]) func `text that looks like a header line is text`(_ typed: String) {
        #expect(DraftText.read(typed).mistakes.isEmpty)
        #expect(!DraftText.read(typed).draft.text.isEmpty)
    }

    @Test(arguments: [
        "Subject: x\rBcc: evil@x.example\n\nT", "To: =?utf-8?q?a=0D=0ABcc:_evil?= <a@x.example>\n\nT",
    ]) func `a second header line in a field is a mistake, and never becomes a field`(_ typed: String) throws
    {
        let (draft, mistakes) = DraftText.read(typed)
        #expect(draft.bcc.isEmpty)
        #expect(!mistakes.isEmpty || draft.to.allSatisfy { !$0.displayName.contains("\n") })
    }

    @Test func `a template is text, with or without header lines`() {
        #expect(DraftText.readTemplate("Dear all: hello\n").draft.text == "Dear all: hello\n")
        let (draft, mistakes) = DraftText.readTemplate("Subject: Minutes\nCc: team@x.example\n\nHello,\n")
        #expect(mistakes.isEmpty)
        #expect(draft.subject == "Minutes")
        #expect(draft.cc.map(\.addrSpec) == ["team@x.example"])
        #expect(draft.text == "Hello,\n")
    }

    @Test func `a stored draft is opened with its files and hidden recipients`() throws {
        let before = builder { builder in
            builder.bcc = [EmailAddress("hidden@y.example")!]
            builder.files = [.init(name: "a.pdf", contentType: "application/pdf", bytes: [1, 2, 255])]
            builder.inReplyTo = MessageID("q@x.example")
            builder.references = [MessageID("p@x.example"), MessageID("q@x.example")]
            builder.text =
                "A line that is long enough to be broken softly on its way, so that it must be put together again.\n"
        }
        let after = MessageBuilder(
            draft: try before.draft(), from: ana, date: before.date,
            messageID: before.messageID)
        #expect(after.bcc == before.bcc)
        #expect(after.files == before.files)
        #expect(after.inReplyTo == before.inReplyTo)
        #expect(after.references == before.references)
        #expect(after.text == before.text)
    }

    @Test func `a block in the text of a draft, such as one of uuencode, is text`() throws {
        let before = builder { $0.text = "look:\nbegin 644 cat.txt\n#0V%T\n`\nend\n" }
        let after = MessageBuilder(
            draft: try before.draft(), from: ana, date: before.date, messageID: before.messageID)
        #expect(after.text == before.text)
        #expect(after.files.isEmpty)
    }

    @Test func `a sent draft loses Bcc and the notes of opus, and keeps its body byte for byte`() throws {
        let draft = try builder { builder in
            builder.bcc = [EmailAddress("hidden@y.example")!]
            builder.extraHeaders = [HeaderField(name: MessageBuilder.draftField, body: "x@acme.example")]
            builder.html = "<p>Hello.</p>"
        }.draft()
        let out = OutgoingDraft(
            draft, messageID: MessageID("sent@acme.example"), date: Timestamp(seconds: 1_773_130_000),
            zoneOffsetSeconds: 3_600)
        let text = String(decoding: out.message, as: UTF8.self)
        #expect(out.recipients.map(\.addrSpec) == ["bob@acme.example", "hidden@y.example"])
        #expect(!text.contains("hidden"))
        #expect(!text.contains("X-Opus"))
        #expect(
            text.hasPrefix("Date: Tue, 10 Mar 2026 09:06:40 +0100\r\nMessage-ID: <sent@acme.example>\r\n"))
        let parsed = MIMEParser.parse(out.message)
        #expect(parsed.rawHeader("Message-ID").count == 1)
        #expect(parsed.rawHeader("Date").count == 1)
        let before = MIMEParser.parse(draft)
        #expect(out.message[parsed.headerRange.upperBound...] == draft[before.headerRange.upperBound...])
    }

    @Test func `notes of other mail programs in a draft are not sent`() {
        let notes = [
            "Fcc: imap://ana@mail.example/Sent", "X-Identity-Key: id1", "X-Account-Key: account1",
            "X-Mozilla-Draft-Info: internal/draft", "X-Evolution-Fcc: folder://secret/Sent",
            "X-KMail-Identity: 12",
            "X-Claws-Account-Id: 1", "SSV:smtp.secret.example", "X-Mutt-References: <a@b>",
            "X-Draft-Info: uid=5",
            "X-Uniform-Type-Identifier: com.apple.mail-draft", "X-Apple-Base-Url: x-msg://1/",
        ]
        let kept = ["From: a@x.example", "User-Agent: Thunderbird", "X-Priority: 1", "To: b@x.example"]
        let draft = Array((notes + kept + ["", "Text", ""]).joined(separator: "\r\n").utf8)
        let out = OutgoingDraft(
            draft, messageID: MessageID("1@x.example"), date: Timestamp(seconds: 0), zoneOffsetSeconds: 0)
        #expect(
            String(decoding: out.message, as: UTF8.self)
                == "Date: Thu, 01 Jan 1970 00:00:00 +0000\r\nMessage-ID: <1@x.example>\r\n"
                + kept.joined(separator: "\r\n") + "\r\n\r\nText\r\n")
    }

    @Test func `a bare carriage return in another program's draft hides no recipient`() {
        let draft = Array("From: a@x.example\rBcc: spy@x.example\r\nTo: b@x.example\r\n\r\nText\r\n".utf8)
        let out = OutgoingDraft(
            draft, messageID: MessageID("1@x.example"), date: Timestamp(seconds: 0), zoneOffsetSeconds: 0)
        #expect(out.recipients.map(\.addrSpec) == ["b@x.example", "spy@x.example"])
        #expect(!String(decoding: out.message, as: UTF8.self).contains("spy"))
        #expect(!out.message.split(separator: 0x0A).contains { $0.dropLast().contains(0x0D) })
    }
}
