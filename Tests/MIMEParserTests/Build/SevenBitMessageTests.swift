import Models
import Testing

@testable import MIMEParser

@Suite struct SevenBitMessageTests {
    private func converted(_ message: String) -> String? {
        SevenBitMessage.converted(Array(message.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("8-bit text becomes quoted-printable, and the rest stays as it is")
    func text() {
        let mail =
            "From: a@x.org\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
            + "Content-Transfer-Encoding: 8bit\r\nX-Last: 1\r\n\r\nCafé = good \r\n.\r\n"
        #expect(
            converted(mail)
                == mail.replacing("8bit", with: "quoted-printable")
                .replacing("Café = good ", with: "Caf=C3=A9 =3D good=20").replacing("\r\n.", with: "\r\n=2E"))
        #expect(converted("Subject: x\n\nplain\n") == "Subject: x\r\n\r\nplain\r\n")
    }

    @Test("a text without fields of MIME gets them")
    func withoutFields() {
        #expect(
            converted("Subject: x\n\né\n")
                == "Subject: x\r\nContent-Transfer-Encoding: quoted-printable\r\nMIME-Version: 1.0\r\n\r\n=C3=A9\r\n"
        )
    }

    @Test("each part is converted by itself, those of an attached message too")
    func parts() throws {
        let long = String(repeating: "Ω", count: 100)
        let lines = [
            "Subject: x", "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b",
            "Content-Transfer-Encoding: 8bit",
            "", "--b", "", "a café", "--b", "Content-Type: text/plain", "", "plain", "--b",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: 8bit", "", long, "--b", "Content-Type: application/x", "",
            "\u{80}\u{81}", "--b",
            "Content-Type: message/rfc822", "Content-Transfer-Encoding: 8bit", "", "Subject: inner", "",
            "à la carte", "--b--", "",
        ]
        let mail = lines.joined(separator: "\r\n")
        let seven = try #require(SevenBitMessage.converted(Array(mail.utf8)))
        #expect(seven.allSatisfy { $0 < 0x80 })
        let (before, after) = (MIMEParser.parse(Array(mail.utf8)), MIMEParser.parse(seven))
        #expect(after.defects.isEmpty)
        #expect(before.parts.count == after.parts.count)
        for (old, new) in zip(before.parts, after.parts) {
            #expect(old.contentType == new.contentType)
            if !old.isContainer { #expect(before.decodedBody(of: old) == after.decodedBody(of: new)) }
        }
        #expect(
            after.parts.map { after.transferEncodingWord(of: $0) }
                == ["7bit", "quoted-printable", "7bit", "base64", "base64", "7bit", "quoted-printable"])
        // Twice is once.
        #expect(SevenBitMessage.converted(seven) == seven)
    }

    @Test(
        "what must not be changed is left to the error",
        arguments: [
            "Content-Type: multipart/signed; boundary=b\n\n--b\n\né\n--b\nContent-Type: application/pgp-signature\n\nx\n--b--\n",
            "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/signed; boundary=b\n\n--b\n\né\n--b--\n--a--\n",
            "Content-Type: multipart/mixed; boundary=b\n\npreamble é\n--b\n\nx\n--b--\n",
            "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; name=é\n\nx\n--b--\n",
            "Content-Type: message/delivery-status\n\né\n", "Content-Type: multipart/mixed\n\né\n",
            "Content-Transfer-Encoding: base64\n\né\n", "Content-Transfer-Encoding: x-uuencode\n\né\n",
            "Content-Transfer-Encoding: 8bit\nContent-Transfer-Encoding: base64\n\né\n", "Subject: é\n\nx\n",
        ])
    func refused(_ mail: String) { #expect(converted(mail) == nil) }

    private static let signed =
        "Subject: grün\r\nContent-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n\r\né\r\n--s\r\n"
        + "Content-Type: application/pgp-signature\r\n\r\nx\r\n--s--\r\n"

    @Test(
        "an attached message with 8-bit bytes that cannot be encoded becomes a file with its bytes",
        arguments: [
            "Subject: grün\r\n\r\nplain\r\n", "Subject: grün\r\n\r\né\r\n", signed,
            "Content-Type: multipart/report; boundary=r\r\n\r\n--r\r\nContent-Type: message/rfc822\r\n\r\n"
                + "Subject: é\r\n\r\nx\r\n--r--\r\n",
        ])
    func attached(_ original: String) throws {
        for name in ["", "Grüße", "Mail.EML"] {
            var builder = MessageBuilder(
                from: EmailAddress(localPart: "a", domain: "x.org"),
                to: [EmailAddress(localPart: "b", domain: "x.org")],
                subject: "Fwd", text: "see there", date: Timestamp(seconds: 1_773_000_000),
                messageID: MessageID("1@x.org"))
            builder.files = [.init(name: name, contentType: "message/rfc822", bytes: Array(original.utf8))]
            let seven = try #require(SevenBitMessage.converted(try builder.build()))
            #expect(seven.allSatisfy { $0 < 0x80 })
            let parsed = MIMEParser.parse(seven)
            #expect(parsed.defects.isEmpty)
            let file = try #require(parsed.attachments.first)
            #expect(file.contentType == "application/octet-stream")
            #expect(file.name == (name.isEmpty ? "message.eml" : name == "Grüße" ? "Grüße.eml" : name))
            #expect(parsed.decodedBody(section: file.section) == Array(original.utf8))
            #expect(SevenBitMessage.converted(seven) == seven)
        }
    }

    @Test("only the innermost attached message becomes a file, and the message with it stays a message")
    func nested() throws {
        let mail =
            "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: message/rfc822\r\n"
            + "Content-Transfer-Encoding: 8bit\r\n\r\nSubject: outer\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
            + "--b\r\n\r\ncafé\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: inné\r\n\r\nx\r\n--b--\r\n--a\r\n\r\nà\r\n--a--\r\n"
        let parsed = MIMEParser.parse(try #require(SevenBitMessage.converted(Array(mail.utf8))))
        #expect(
            parsed.parts.map { $0.contentType.type + "/" + $0.contentType.subtype } == [
                "multipart/mixed", "message/rfc822", "multipart/mixed", "text/plain",
                "application/octet-stream",
                "text/plain",
            ])
        #expect(
            parsed.parts.map { parsed.transferEncodingWord(of: $0) }
                == ["7bit", "7bit", "7bit", "quoted-printable", "base64", "base64"])
        #expect(parsed.decodedBody(of: parsed.parts[4]) == Array("Subject: inné\r\n\r\nx".utf8))
    }

    @Test("a signed part without 8-bit text stays as it is beside one that is converted")
    func besideSigned() throws {
        let signed =
            "Content-Type: multipart/signed; boundary=b\r\nContent-Transfer-Encoding: 8bit\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n"
        let mail =
            "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n" + signed
            + "--a\r\n\r\na café\r\n--a--\r\n"
        let seven = try #require(converted(mail))
        #expect(seven.contains(signed) && seven.contains("quoted-printable\r\n\r\na caf=C3=A9\r\n"))
    }

    // MARK: Long lines

    private static let long = String(repeating: "word ", count: 199) + "last"  // 999 bytes

    @Test(
        "a part with a line of more than 998 bytes, or with NUL, is encoded, and the other parts stay as they are",
        arguments: [
            ("", long, "quoted-printable"), ("Content-Type: text/html\r\n", "a\u{0}b", "quoted-printable"),
            (
                "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n", long + "é",
                "quoted-printable"
            ),
            ("Content-Type: application/x\r\n", long, "base64"),
            ("Content-Transfer-Encoding: base64\r\n", String(repeating: "YWJj", count: 250), "base64"),
            (
                "Content-Transfer-Encoding: quoted-printable\r\n", String(repeating: "=41", count: 350),
                "quoted-printable"
            ),
        ])
    func longLines(_ fields: String, _ body: String, _ encoding: String) throws {
        let whole = fields + "X-Last: 1\r\n\r\n" + body + "\r\n"
        let many =
            "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Transfer-Encoding: 8bit\r\n\r\ncafé\r\n--b\r\n"
            + whole + "--b--\r\n"
        for mail in [whole, many] {
            let short = try #require(SevenBitMessage.withShortLines(Array(mail.utf8)))
            #expect(!short.contains(0) && BodyWriter.longestLine(short) <= 998)
            let (before, after) = (MIMEParser.parse(Array(mail.utf8)), MIMEParser.parse(short))
            let (old, new) = (try #require(before.parts.last), try #require(after.parts.last))
            #expect(after.transferEncodingWord(of: new) == encoding)
            #expect(after.decodedBody(of: new) == before.decodedBody(of: old))
            #expect(mail == whole || String(decoding: short, as: UTF8.self).contains("8bit\r\n\r\ncafé\r\n"))
            #expect(SevenBitMessage.withShortLines(short) == short)
        }
    }

    @Test(
        "a message without such parts stays as it is",
        arguments: ["Subject: é\n\n" + long.dropLast() + "\n", "Subject: \(long)\r\n\r\nx\r\n"])
    func shortLines(_ mail: String) {
        #expect(SevenBitMessage.withShortLines(Array(mail.utf8)) == Array(mail.utf8))
    }

    @Test("long lines in a signed or encrypted part are refused", arguments: ["signed", "encrypted"])
    func protected(_ kind: String) {
        let mail =
            "Content-Type: multipart/\(kind); boundary=b\r\n\r\n--b\r\n\r\n" + Self.long
            + "\r\n--b\r\n\r\nx\r\n--b--\r\n"
        #expect(SevenBitMessage.withShortLines(Array(mail.utf8)) == nil)
    }

    @Test(
        "an attached message with long lines is encoded inside, and a signed one becomes a file with its bytes"
    )
    func longAttached() throws {
        for original in [
            "Subject: x\r\n\r\n" + Self.long, Self.signed.replacing("é", with: Self.long),
        ] {
            let mail =
                "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: message/rfc822\r\n\r\n"
                + original
                + "\r\n--a--\r\n"
            let short = try #require(SevenBitMessage.withShortLines(Array(mail.utf8)))
            #expect(BodyWriter.longestLine(short) <= 998)
            let parsed = MIMEParser.parse(short)
            let part = parsed.parts[1]
            if original.contains("signed") {
                #expect(part.contentType.subtype == "octet-stream")
                #expect(parsed.decodedBody(of: part) == Array(original.utf8))
            } else {
                #expect(part.contentType.subtype == "rfc822")
                #expect(parsed.decodedBody(of: parsed.parts[2]) == Array(Self.long.utf8))
            }
        }
    }
}
