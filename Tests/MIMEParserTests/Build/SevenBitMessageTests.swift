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
}
