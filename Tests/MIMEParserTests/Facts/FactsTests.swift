import Models
import Testing

@testable import MIMEParser

@Suite struct FactsTests {
    private func parse(_ text: String) -> ParsedMessage { MIMEParser.parse(Array(text.utf8)) }

    private func report(_ body: String, returned: String = "", type: String = "message/delivery-status")
        -> Report?
    {
        parse(
            "Content-Type: multipart/report; boundary=a\n\n--a\n\nSorry.\n--a\nContent-Type: \(type)\n\n\(body)\n"
                + returned + "--a--\n"
        ).report
    }

    @Test("a delivery report names the failed recipients and the reasons")
    func delivery() throws {
        let found = report(
            """
            Reporting-MTA: dns; mx.example.org
            Arrival-Date: Tue, 3 Mar 2026 10:00:00 +0100

            Final-Recipient: rfc822; ann@example.org
            Original-Recipient: rfc822;ann.smith@example.org
            Action: Failed
            Status: 5.1.1 (no such user)
            Remote-MTA: dns; mail.example.org
            Diagnostic-Code: smtp; 550 5.1.1 <ann@example.org>:
             no such user
            Last-Attempt-Date: Tue, 3 Mar 2026 10:05:00 +0100

            Final-Recipient: RFC822; bob@example.org
            Action: delayed
            Status: 4.4.1

            """, returned: "--a\nContent-Type: message/rfc822\n\nMessage-ID: <m1@example.org>\n\nx\n")
        guard case .delivery(let report) = found else {
            Issue.record("no delivery report: \(String(describing: found))")
            return
        }
        #expect(report.reportingMTA == "mx.example.org")
        #expect(report.arrivalDate == MailDate.read(Array("Tue, 3 Mar 2026 09:00:00 +0000".utf8)[...]))
        #expect(report.originalMessageID == MessageID("m1@example.org"))
        let ann = try #require(report.recipients.first)
        #expect(ann.finalRecipient == "ann@example.org")
        #expect(ann.originalRecipient == "ann.smith@example.org")
        #expect(ann.action == .failed)
        #expect(ann.status == "5.1.1")
        #expect(ann.remoteMTA == "mail.example.org")
        #expect(ann.diagnosticCode == "550 5.1.1 <ann@example.org>: no such user")
        #expect(ann.lastAttempt == MailDate.read(Array("Tue, 3 Mar 2026 09:05:00 +0000".utf8)[...]))
        #expect(report.recipients.map(\.action) == [.failed, .delayed])
    }

    @Test(
        "the Message-ID is read from the returned message or header",
        arguments: [
            "--a\nContent-Type: message/rfc822\n\nMessage-ID: <m@x>\n\nbody\n",
            "--a\nContent-Type: text/rfc822-headers\n\nSubject: s\nMessage-ID: <m@x>\n",
            "--a\nContent-Type: message/rfc822-headers\n\nMessage-ID: <m@x>\n",
            "--a\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nTWVzc2FnZS1JRDogPG1AeD4KCng=\n",
        ])
    func returned(_ part: String) {
        guard case .delivery(let report) = report("Reporting-MTA: dns; x\n", returned: part) else {
            Issue.record("no delivery report")
            return
        }
        #expect(report.originalMessageID == MessageID("m@x"))
    }

    @Test("a recipient is read even if the report has no fields about the message")
    func noMessageFields() {
        guard case .delivery(let report) = report("Final-Recipient: ann@x\nAction: odd\n") else {
            Issue.record("no delivery report")
            return
        }
        #expect(report.recipients.map(\.finalRecipient) == ["ann@x"])
        #expect(report.recipients.map(\.action) == [nil])
    }

    @Test("at most 256 recipients are kept")
    func manyRecipients() {
        let groups = String(repeating: "Final-Recipient: rfc822; a@x\n\n", count: 2_000)
        guard case .delivery(let report) = report("Reporting-MTA: dns; x\n\n" + groups) else {
            Issue.record("no delivery report")
            return
        }
        #expect(report.recipients.count == 256)
    }

    @Test("a disposition report says what happened to a message")
    func disposition() {
        let found = report(
            """
            Reporting-UA: desk; Mail
            Original-Recipient: rfc822;ann@example.org
            Final-Recipient: rfc822;ann@example.org
            Original-Message-ID: <m1@example.org>
            Disposition: manual-action/MDN-sent-manually; displayed/error

            """, type: "message/disposition-notification")
        guard case .disposition(let report) = found else {
            Issue.record("no disposition report: \(String(describing: found))")
            return
        }
        #expect(report.originalMessageID == MessageID("m1@example.org"))
        #expect(report.finalRecipient == "ann@example.org")
        #expect(report.mode == "manual-action/mdn-sent-manually")
        #expect(report.type == "displayed")
    }

    @Test("a person's mail is not a report, even with a report attached")
    func noReport() {
        #expect(parse("Subject: x\n\nhello").report == nil)
        #expect(
            parse(
                "Content-Type: message/rfc822\n\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; x"
            )
            .report == nil)
        #expect(report("") == .delivery(DeliveryReport()))
    }

    @Test(
        "the method of an invitation is read",
        arguments: [
            ("text/calendar; method=request", "BEGIN:VCALENDAR", "REQUEST" as String?),
            ("text/calendar", "BEGIN:VCALENDAR\r\nMETHOD:CANCEL\r\n", "CANCEL"),
            ("application/ics", "BEGIN:VCALENDAR\nmethod:Reply\n", "REPLY"),
            ("application/octet-stream; name=Invite.ICS", "METHOD:CANCEL\n", "CANCEL"),
            ("application/octet-stream; name=a.bin", "METHOD:CANCEL\n", nil),
            ("text/calendar; method=\"a b\"", "METHOD:PUBLISH", "PUBLISH"),
            ("text/calendar", "BEGIN:VCALENDAR", nil), ("text/calendar", "METHOD:\n", nil),
            ("text/calendar", "X-METHOD:REQUEST", nil), ("text/plain; method=REQUEST", "METHOD:REQUEST", nil),
        ])
    func calendar(_ type: String, _ body: String, _ method: String?) {
        #expect(parse("Content-Type: \(type)\n\n\(body)").calendarMethod == method)
    }

    @Test(
        "an invitation is in UTF-8, whatever its mail was written in",
        arguments: [
            ("utf-8", Array("SUMMARY:Café".utf8)), ("iso-8859-1", Array("SUMMARY:Caf".utf8) + [0xE9]),
            ("us-ascii", Array("SUMMARY:Caf".utf8) + [0xE9]), ("iso-8859-1", Array("SUMMARY:Café".utf8)),
            ("utf-16le", Array("SUMMARY:Café".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
            (
                "utf-8",
                [0xFF, 0xFE] + Array("SUMMARY:Café".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            ),
        ] as [(String, [UInt8])])
    func calendarCharset(_ charset: String, _ bytes: [UInt8]) throws {
        let head = "Content-Type: text/calendar; charset=\(charset)\n\n"
        let calendar = try #require(MIMEParser.parse(Array(head.utf8) + bytes).calendar(limit: 99))
        #expect(String(decoding: calendar, as: UTF8.self) == "SUMMARY:Café")
    }

    @Test("a character of an invitation may be split by a fold")
    func calendarFold() {
        let lines = Array("SUMMARY:Caf".utf8) + [0xC3, 0x0D, 0x0A, 0x20, 0xA9, 0x0D, 0x0A]
        let mail = Array("Content-Type: text/calendar\n\n".utf8) + lines
        #expect(MIMEParser.parse(mail).calendar(limit: 99) == lines)
    }

    @Test(
        "signed and encrypted messages are recognised",
        arguments: [
            ("multipart/signed; boundary=a", "--a\n\nx\n--a--", Protection.signed as Protection?),
            ("multipart/encrypted; boundary=a", "--a\n\nx\n--a--", .encrypted),
            (
                "multipart/mixed; boundary=a",
                "--a\nContent-Type: multipart/signed; boundary=b\n\n--b\n\nx\n--b--\n--a--", .signed
            ),
            ("application/pkcs7-mime; smime-type=signed-data", "x", .signed),
            ("application/x-pkcs7-mime; smime-type=enveloped-data", "x", .encrypted),
            ("application/pkcs7-mime; name=smime.p7m", "x", .encrypted),
            ("application/pkcs7-mime; smime-type=certs-only", "x", nil),
            ("application/pkcs7-mime; name=smime.p7c", "x", nil),
            ("text/plain", "Hi\n-----BEGIN PGP MESSAGE-----\n\nx", .encrypted),
            ("text/plain", "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n", .signed),
            ("text/plain", "> -----BEGIN PGP MESSAGE-----\n", nil),
            ("text/plain", "BEGIN PGP MESSAGE\n", nil),
            ("text/html", "-----BEGIN PGP MESSAGE-----\n", nil),
            ("message/rfc822", "Content-Type: multipart/signed; boundary=a\n\n--a\n\nx\n--a--", nil),
        ])
    func protection(_ type: String, _ body: String, _ expected: Protection?) {
        #expect(parse("Content-Type: \(type)\n\n\(body)").protection == expected)
    }

    @Test("PGP armour is recognised inside base64")
    func encodedArmour() {
        let body = Base64.encode(Array("-----BEGIN PGP MESSAGE-----\n".utf8), lineLength: 76)
        let message = MIMEParser.parse(Array("Content-Transfer-Encoding: base64\n\n".utf8) + body)
        #expect(message.protection == .encrypted)
    }
}
