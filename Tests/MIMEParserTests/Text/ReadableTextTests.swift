import Foundation
import Models
import Testing

@testable import MIMEParser

private func parse(_ text: String) -> ParsedMessage { MIMEParser.parse(Array(text.utf8)) }

@Suite struct ReadableTextTests {
    @Test(
        "text with the commands of RFC 1896 is read as text",
        arguments: [
            (
                "<bold>Now</bold> is the\ntime for\n\n<italic>all</italic>\n\n\nmen\n",
                "Now is the time for\nall\n\nmen"
            ),
            ("<color><param>red</param>1 << 2</color> <nofill>a\n  b\n</nofill>c", "1 < 2\na\n  b\nc"),
            ("Hi\n\n<excerpt>the old text\n\nmore</excerpt>Yes.\n", "Hi\n> the old text\n> more\nYes."),
            ("a <b and c> d <no/> e <", "a <b and c> d <no/> e <"), ("<param>all of it", "all of it"),
            ("<PARAM>x</Param></excerpt></nofill>a<center>b</center>c", "a\nb\nc"), ("", ""),
        ])
    func enriched(_ body: String, _ expected: String) {
        let message = MIMEParser.parse(Array(("Content-Type: text/enriched\n\n" + body).utf8))
        #expect(message.text() == expected && message.attachments.isEmpty)
    }

    @Test("richtext of RFC 1341 is read as text")
    func richtext() {
        let body =
            "<bold>Now</bold> is <lt>the\n\ntime<nl><comment>no\n<nl></comment>for <italic>all</italic><paragraph>men</paragraph>end"
        let message = MIMEParser.parse(Array(("Content-Type: text/richtext; charset=utf-8\n\n" + body).utf8))
        #expect(message.text() == "Now is <the time\nfor all\n\nmen\n\nend")
    }

    @Test(
        "a line of hostile enriched text takes linear time",
        arguments: ["<param>", "<", "<<", "<excerpt>", "<nofill>\n", "</param>", "<a"])
    func enrichedTime(_ piece: String) {
        let body = String(repeating: piece, count: Bound.rounds(1_024 * 1_024) / piece.utf8.count)
        let message = MIMEParser.parse(Array(("Content-Type: text/enriched\n\n" + body).utf8))
        #expect(ContinuousClock().measure { _ = message.text() } < Bound.time)
    }

    @Test("plain text is preferred to HTML unless it is blank")
    func alternative() {
        let text = """
            Content-Type: multipart/alternative; boundary=a

            --a
            Content-Type: text/plain

            PLAIN
            --a
            Content-Type: text/html

            <p>rich</p>
            --a--
            """
        #expect(parse(text).text() == "PLAIN")
        #expect(parse(text.replacing("PLAIN", with: " \n")).text() == "rich")
        #expect(parse(text.replacing("PLAIN", with: "Needs an HTML viewer.")).text() == "rich")
        #expect(
            parse(text.replacing("PLAIN", with: "Read page.html").replacing("rich", with: "")).text()
                == "Read page.html", "HTML that says nothing does not hide it")
    }

    @Test("HTML inside related parts is found when there is no plain text")
    func related() {
        let message = parse(
            """
            Content-Type: multipart/alternative; boundary=a

            --a
            Content-Type: multipart/related; boundary=b; start="<r>"

            --b
            Content-Type: image/png
            Content-ID: <i>

            x
            --b
            Content-Type: text/html
            Content-ID: <r>

            <b>hi</b>
            --b--
            --a--
            """)
        #expect(message.text() == "hi")
        #expect(message.attachments.map(\.contentID) == ["i"])
        #expect(message.attachments.map(\.isInline) == [true])
    }

    @Test("the text of related parts is shown that begin with a picture", arguments: ["", "; start=\"<x>\""])
    func relatedPictureFirst(_ start: String) {
        let message = parse(
            """
            Content-Type: multipart/related; boundary=b\(start)

            --b
            Content-Type: image/png
            Content-ID: <i>

            x
            --b
            Content-Type: text/html

            <b>hi</b>
            --b--
            """)
        #expect(message.text() == "hi")
        #expect(message.attachments.map(\.contentID) == ["i"])
    }

    @Test("inline texts are joined, attached ones are not")
    func mixed() {
        let message = parse(
            """
            Content-Type: multipart/mixed; boundary=a

            --a

            first
            --a
            Content-Type: text/plain; name=notes.txt
            Content-Disposition: attachment

            hidden
            --a
            Content-Type: text/html

            <i>second</i>
            --a
            Content-Type: message/rfc822

            Subject: x

            third
            --a--
            """)
        #expect(message.text() == "first\n\nsecond")
        #expect(message.attachments.map(\.section) == ["2", "4"])
        #expect(message.attachments.map(\.name) == ["notes.txt", "x.eml"])
    }

    @Test("the text of a signed message is its signed part, and the signature is not a file")
    func signed() {
        let message = parse(
            """
            Content-Type: multipart/signed; boundary=a

            --a

            text
            --a
            Content-Type: application/pgp-signature; name=signature.asc

            x
            --a--
            """)
        #expect(message.text() == "text")
        #expect(message.attachments.isEmpty)
    }

    @Test("an invitation is a file, even without a name")
    func invitation() {
        let message = parse(
            """
            Content-Type: multipart/alternative; boundary=a

            --a

            come
            --a
            Content-Type: text/calendar; method=REQUEST

            BEGIN:VCALENDAR
            --a
            Content-Type: text/x-amp-html

            amp
            --a--
            """)
        #expect(message.text() == "come")
        #expect(message.attachments.map(\.contentType) == ["text/calendar"])
    }

    @Test("the machine-readable parts of a bounce are not files, but the returned message is")
    func report() {
        let message = parse(
            """
            Content-Type: multipart/report; report-type=delivery-status; boundary=a

            --a

            could not be delivered
            --a
            Content-Type: message/delivery-status

            Status: 5.1.1
            --a
            Content-Type: message/rfc822

            Subject: x

            returned
            --a--
            """)
        #expect(message.text() == "could not be delivered")
        #expect(message.attachments.map(\.contentType) == ["message/rfc822"])
    }

    @Test("a delivery report shows what it says about each recipient")
    func recipients() {
        let message = parse(
            """
            Content-Type: multipart/report; report-type=delivery-status; boundary=a

            --a

            could not be delivered
            --a
            Content-Type: message/delivery-status

            Reporting-MTA: dns; mx.example

            Final-Recipient: rfc822; ann@example.org
            Action: failed
            Status: 5.1.1
            Diagnostic-Code: smtp; 550 no
             such user

            Original-Recipient: rfc822; bob@example.org
            Action: delayed
            --a--
            """)
        #expect(message.text() == "could not be delivered")
        let forwarded = Response(
            to: message, from: EmailAddress("a@x.org")!, ownAddresses: [], date: Timestamp(seconds: 0),
            messageID: MessageID("f@x")
        ).forwardInline(to: [])
        #expect(forwarded.text.contains("Final-Recipient: ann@example.org"))
        #expect(
            message.text(withReports: true) == """
                could not be delivered

                Final-Recipient: ann@example.org
                Action: failed
                Status: 5.1.1
                Diagnostic-Code: 550 no such user

                Final-Recipient: bob@example.org
                Original-Recipient: bob@example.org
                Action: delayed

                """)
        let attached = parse(
            "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nlook\n--a\nContent-Type: message/delivery-status\n\n"
                + "X: y\n\nFinal-Recipient: rfc822; ann@example.org\n--a--\n")
        #expect(attached.text(withReports: true) == "look")
    }

    @Test("a multipart without parts shows its content")
    func noParts() {
        #expect(parse("Content-Type: multipart/mixed\n\nhello").text() == "hello")
        #expect(parse("Content-Type: multipart/mixed; boundary=a\n\nhello").text() == "hello")
    }

    @Test(
        "text is decoded by its label, or else its charset is guessed",
        arguments: [
            ("text/plain; charset=koi8-r", [0xD0, 0xD2, 0xC9] as [UInt8], "при"),
            ("text/plain", [0xC3, 0xA9], "é"),
            ("text/plain", [0xE9], "é"),
            ("text/plain; charset=\"x-unknown\"", [0xE9], "é"),
            ("text/html; charset=koi8-r", [0xD0, 0xD2, 0xC9], "при"),
            ("text/html", Array("<meta charset=koi8-r><p>".utf8) + [0xD0, 0xD2, 0xC9], "при"),
        ])
    func charset(_ type: String, _ body: [UInt8], _ expected: String) {
        let message = MIMEParser.parse(Array("Content-Type: \(type)\n\n".utf8) + body)
        #expect(message.text() == expected)
    }

    @Test("text is cut at its limit, between characters")
    func cap() {
        let message = MIMEParser.parse(
            Array("\n".utf8) + Array(String(repeating: "é", count: 1_000_000).utf8))
        let text = message.text()
        #expect(text.utf8.count <= MIMELimits.standard.text)
        #expect(text.utf8.count > MIMELimits.standard.text - 8)
        #expect(text.unicodeScalars.allSatisfy { $0 == "é" })
    }

    @Test(
        "a message with more text than the limit says so",
        arguments: [
            ("Content-Type: text/plain", 600_000, true), ("Content-Type: text/plain", 500_000, false),
            ("Content-Type: text/html", 1_048_577, true),
            ("Content-Type: text/plain; charset=iso-8859-1", 600_000, true),
            ("Content-Type: application/pdf", 1_200_000, false),
        ])
    func cut(_ header: String, _ count: Int, _ isCut: Bool) {
        let message = MIMEParser.parse(Array((header + "\n\n").utf8) + [UInt8](repeating: 0xE9, count: count))
        #expect(MessageText(of: message).isCut == isCut)
        #expect(Defect.Name.textTooLarge.rawValue == MessageFacts.textLimit)
        #expect(message.contentDefects.contains { $0.name == .textTooLarge } == isCut)
    }

    @Test("the text after a picture inside the HTML is read", arguments: ["7bit", "base64"])
    func inlinePicture(encoding: String) {
        func message(_ picture: String) -> ParsedMessage {
            let html = "<p>Before</p><img src=\"data:image/png;base64,\(picture)\"><p>After; more</p>"
            let body = encoding == "base64" ? Data(html.utf8).base64EncodedString() : html
            let header = "Content-Type: text/html\nContent-Transfer-Encoding: \(encoding)\n\n"
            return MIMEParser.parse(Array((header + body).utf8))
        }
        for picture in ["AAAA", String(repeating: "iVBORw0K", count: 300_000)] {
            let text = MessageText(of: message(picture))
            #expect(text.text.split(separator: "\n").filter { !$0.isEmpty } == ["Before", "After; more"])
            #expect(!text.isCut)
        }
        let words = message(
            "AAAA\"><p>" + String(repeating: "word ", count: 300_000) + "</p><img src=\"data:,")
        #expect(MessageText(of: words).isCut)
    }

    @Test("the size of a file is that of its decoded bytes")
    func sizes() throws {
        let message = parse(
            """
            Content-Type: multipart/mixed; boundary=a

            --a
            Content-Type: application/pdf; name="=?utf-8?q?r=C3=A9sum=C3=A9=2Epdf?="
            Content-Transfer-Encoding: base64
            Content-Disposition: inline

            SGVsbG8g
            d29ybGQ=
            --a
            Content-Type: image/png
            Content-Transfer-Encoding: quoted-printable
            Content-Disposition: attachment; filename*=utf-8''%e2%82%ac.png

            a=
            b=41
            --a--
            """)
        let first = try #require(message.attachments.first)
        let second = try #require(message.attachments.last)
        #expect((first.name, first.size, first.isInline) == ("résumé.pdf", 11, false))
        #expect((second.name, second.size, second.isInline) == ("€.png", 3, false))
        #expect(message.decodedBody(section: "1") == Array("Hello world".utf8))
        #expect(message.decodedBody(section: "2") == Array("abA".utf8))
    }
}
