import Foundation
import Models
import TestSupport
import Testing

@testable import MIMEParser

/// Holds the reader of answers against the messages in Tests/Fixtures/answers, and each sign for itself.
@Suite struct AnswerTests {
    /// One line of `expected.tsv`.
    struct Row: Sendable, CustomTestStringConvertible {
        let file: String
        let kind: AnswerKind

        var testDescription: String { file }
        var message: ParsedMessage {
            get throws {
                parse([UInt8](try Data(contentsOf: Repository.fixtures.appending(path: "answers/" + file))))
            }
        }

        init?(_ line: String) {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 5 else { return nil }
            file = cells[0]
            switch cells[1] {
            case "human": kind = .human
            case "automaticReply": kind = .automaticReply(returns: CalendarDate(cells[2]))
            case "bounce":
                kind = .bounce(
                    recipients: cells[3].split(separator: ",").compactMap { EmailAddress(String($0)) },
                    isPermanent: cells[4] == "true")
            case "receipt": kind = .receipt
            case "calendar": kind = .calendar
            case "list": kind = .list
            case _: return nil
            }
        }
    }

    static let rows: [Row] = {
        let table = Repository.fixtures.appending(path: "answers/expected.tsv")
        let text = (try? String(contentsOf: table, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").dropFirst().compactMap { Row(String($0)) }
    }()

    private static func day(_ message: ParsedMessage) throws -> CalendarDate {
        LocalDateTime(secondsSinceEpoch: try #require(message.envelope.date).seconds).date
    }

    /// As the store keeps it: header, text and the list of files.
    static func facts(_ message: ParsedMessage) throws -> MessageFacts {
        let envelope = message.envelope
        let account = AccountID("work")
        let name = MailboxName("INBOX")
        var facts = MessageFacts(
            id: EmailID(rawValue: "m1"),
            key: MessageKey(account: account, mailbox: name, uidValidity: 1, uid: 1),
            mailbox: Mailbox(account: account, name: name, displayName: "INBOX"),
            thread: ThreadID(rawValue: "m1"), received: envelope.date ?? Timestamp(seconds: 0))
        facts.from = envelope.from
        facts.to = envelope.to
        facts.subject = envelope.subject
        facts.sent = envelope.date
        facts.headers = message.headers
        facts.text = message.text(withReports: true)
        facts.attachments = message.attachments
        return facts
    }

    // MARK: Fixtures

    @Test func `the table names every fixture once, and has at least 200 of each kind`() throws {
        let folder = Repository.fixtures.appending(path: "answers")
        var files: Set<String> = []
        for kind in ["automatic", "human"] {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: folder.appending(path: kind).path(percentEncoded: false))
            files.formUnion(names.map { kind + "/" + $0 })
        }
        #expect(Set(Self.rows.map(\.file)) == files)
        #expect(Self.rows.count == files.count)
        let automatic = Self.rows.filter { !$0.kind.isHuman }
        #expect(automatic.count >= 200)
        #expect(Self.rows.count - automatic.count >= 200)
        #expect(automatic.allSatisfy { $0.file.hasPrefix("automatic/") })
        // automatic/<system>-<language>-<number>.eml
        let words = automatic.map {
            $0.file.dropFirst("automatic/".count).dropLast(4).split(separator: "-")
        }
        #expect(
            Set(words.compactMap { $0.last { $0.count == 2 && $0.allSatisfy(\.isLetter) } }).count >= 10)
        #expect(Set(words.compactMap(\.first)).count >= 12)
    }

    @Test(arguments: rows)
    func `a fixture has the kind in the table`(_ row: Row) throws {
        let message = try row.message
        #expect(message.answerKind(asOf: try Self.day(message)) == row.kind)
    }

    @Test(arguments: rows)
    func `a stored message has the same kind as the message itself`(_ row: Row) throws {
        let message = try row.message
        #expect(AnswerKind(of: try Self.facts(message), asOf: try Self.day(message)) == row.kind)
    }

    @Test func `only the listed header fields are needed`() throws {
        for row in Self.rows {
            let message = try row.message
            var facts = try Self.facts(message)
            facts.headers = facts.headers.filter { AnswerKind.headerNames.contains($0.name.lowercased()) }
            #expect(AnswerKind(of: facts, asOf: try Self.day(message)) == row.kind, "\(row.file)")
        }
    }

    @Test(
        "a report that denies a delivery is a bounce, and one that confirms it is a receipt",
        arguments: [
            ("Undelivered: Question 2", "Your message did not reach rita@box.example.", true),
            ("Nicht zugestellt: Angebot", "Die Nachricht an rita@box.example kam nicht an.", true),
            (
                "Mail status",
                "Your message could not be delivered to the following recipients: rita@box.example", true
            ),
            ("Mail status", "It couldn't be delivered: rita@box.example", true),
            ("Mail status", "Le message n'a pas été remis avec succès : rita@box.example", true),
            ("Mail status", "El mensaje no ha sido entregado correctamente a rita@box.example", true),
            (
                "Mail status",
                "La mail non è stata consegnata: non consegnato correttamente, rita@box.example", true
            ),
            ("Delivered: Question 2", "Your message was delivered to rita@box.example.", false),
            ("Zugestellt: Angebot", "Die Nachricht wurde zugestellt: rita@box.example", false),
            (
                "Mail status", "Your message was delivered to the following recipients: rita@box.example",
                false
            ),
            ("Mail status", "次の宛先に配信されました: rita@box.example", false),
        ])
    func denials(subject: String, text: String, isBounce: Bool) throws {
        let message = parse(
            Array(
                """
                From: Mail Delivery System <MAILER-DAEMON@box.example>
                To: ana@acme.example
                Subject: \(subject)
                Date: Tue, 10 Mar 2026 08:00:00 +0100
                Auto-Submitted: auto-replied
                MIME-Version: 1.0
                Content-Type: multipart/report; report-type=delivery-status; boundary=b

                --b
                Content-Type: text/plain; charset=utf-8

                \(text)

                --b--

                """.utf8))
        let kind = AnswerKind(of: try Self.facts(message), asOf: try Self.day(message))
        switch kind {
        case .bounce(let recipients, let isPermanent):
            #expect(isBounce && isPermanent)
            #expect(recipients.map(\.comparable) == ["rita@box.example"])
        case .receipt: #expect(!isBounce)
        case _: Issue.record("\(kind)")
        }
    }

    // MARK: Single signs

    private let day = CalendarDate(daysSinceEpoch: 20_514)

    private func kind(_ header: String, _ text: String = "Fine with me.") -> AnswerKind {
        parse(Array("From: Nora <nora@fabrikam.example>\n\(header)\n\n\(text)\n".utf8)).answerKind(
            asOf: day)
    }

    @Test(
        "a field that only programs write marks an automatic reply",
        arguments: [
            "Auto-Submitted: auto-replied", "Auto-Submitted: auto-replied (vacation)",
            "Auto-Submitted: auto-notified; owner-email=\"x@y\"", "Auto-Submitted: auto-generated",
            "Auto-Submitted: unheard-of", "X-Autoreply: yes", "X-Auto-Reply: 1",
            "X-Autorespond: Your mail",
            "X-Autoresponder: on", "X-AutoReply-From: nora@fabrikam.example", "X-Mail-Autoreply: yes",
            "X-Autogenerated: Reply", "X-POST-MessageClass: 9; Autoresponder",
            "X-FC-MachineGenerated: true",
            "Delivered-To: Autoresponder", "X-Mailer: vacation 1.2.7",
            "Content-Class: urn:content-classes:recallmessage",
            "Precedence: auto_reply", "Preference: auto_reply", "X-Precedence: auto-reply",
            "Precedence: bulk",
            "Precedence: junk", "Return-Path: <>", "Return-Path: < >",
            "X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent",
            "Subject: Automatic reply: Offer", "Subject: [Auto-Reply] Offer",
            "Subject: Automatische Antwort: Angebot",
            "Subject: 自动答复：报价", "Subject: Abwesenheitsnotiz",
        ])
    func sign(_ field: String) { #expect(kind(field) == .automaticReply(returns: nil)) }

    @Test(
        "a field that people's mail also has marks nothing",
        arguments: [
            "Subject: Re: Offer", "Auto-Submitted: no", "Auto-Submitted: no; checked\nPrecedence: bulk",
            "X-Autoreply: no",
            "X-Auto-Response-Suppress: All", "X-Auto-Response-Suppress: DR, OOF, AutoReply",
            "X-Autogenerated: Redirect",
            "X-MS-Exchange-Inbox-Rules-Loop: nora@fabrikam.example", "Precedence: list",
            "Precedence: first-class",
            "Precedence: bulk\nList-Id: <x.lists.example>",
            "Precedence: bulk\nSender: owner-kites@lists.example",
            "List-Unsubscribe: <mailto:x@lists.example>", "Return-Path: <nora@fabrikam.example>",
            "Auto-Submitted: auto-generated\nX-Mailer: Zendesk Mailer", "Delivered-To: ana@acme.example",
            "Subject: Re: Automatic reply: Offer", "Subject: Automatic reply rules for Exchange",
            "Subject: Out of office",
            "Subject: Automatic reply: how do I stop it?\nX-Mailer: iPhone Mail (22D63)",
            "From: postmaster@fabrikam.example",
        ])
    func human(_ field: String) { #expect(kind(field) == .human) }

    @Test("a common subject counts only with a text about an absence")
    func absence() {
        let subject = "Subject: Out of office: Offer"
        #expect(kind(subject, "I am away this week.") == .automaticReply(returns: nil))
        #expect(kind(subject, "Who covers for you? I can.") == .human)
        #expect(kind("User-Agent: Mozilla Thunderbird\n" + subject, "I am away this week.") == .human)
        #expect(
            kind(subject, "I am away. " + String(repeating: "Details follow. ", count: 120)) == .human)
    }

    @Test("mail of a ticket system is automatic if its text or subject says so")
    func tickets() {
        let header = "X-RT-Ticket: college #40218\nPrecedence: bulk"
        #expect(kind(header, "We have received your request.") == .automaticReply(returns: nil))
        #expect(kind(header, "The book is at the desk. Ask for Tim.") == .human)
        #expect(
            kind("Subject: Re: [#4021] Book", "We have received your request.")
                == .automaticReply(returns: nil))
        #expect(kind("Subject: Re: Book", "We have received your request, Tim is looking.") == .human)
    }

    @Test("a report inside a forwarded message does not make the message a bounce")
    func forwarded() {
        let text = """
            From: nora@fabrikam.example
            Content-Type: multipart/mixed; boundary=a

            --a

            Look what came back.
            --a
            Content-Type: message/rfc822

            From: MAILER-DAEMON@x.example
            Content-Type: multipart/report; report-type=delivery-status; boundary=b

            --b

            Sorry.
            --b
            Content-Type: message/delivery-status

            Reporting-MTA: dns; x.example

            Final-Recipient: rfc822; a@x.example
            Action: failed
            --b--
            --a--
            """
        #expect(parse(Array(text.utf8)).answerKind(asOf: day) == .human)
    }

    /// A report about one recipient, inside a multipart of that type and from that sender.
    private func report(_ type: String, from: String, action: String) -> AnswerKind {
        let text = """
            From: \(from)
            Content-Type: \(type); boundary=a

            --a

            See below.
            --a
            Content-Type: message/delivery-status

            Reporting-MTA: dns; x.example

            Final-Recipient: rfc822; late@x.example
            Action: \(action)

            Final-Recipient: rfc822; fine@x.example
            Action: delivered
            --a--
            """
        return parse(Array(text.utf8)).answerKind(asOf: day)
    }

    @Test(
        "a bounce names only the failed recipients of its machine-readable part"
    )
    func recipients() {
        let late = EmailAddress(localPart: "late", domain: "x.example")
        let type = "multipart/report; report-type=delivery-status"
        let server = "postmaster@x.example"
        #expect(
            report(type, from: server, action: "delayed")
                == .bounce(recipients: [late], isPermanent: false))
        #expect(
            report(type, from: server, action: "failed") == .bounce(recipients: [late], isPermanent: true)
        )
        #expect(report(type, from: server, action: "relayed") == .receipt)
        #expect(
            report("multipart/mixed", from: "MAILER-DAEMON@x.example", action: "delayed")
                == .bounce(recipients: [late], isPermanent: false))
    }

    @Test(
        "a stored report keeps what its machine-readable part says",
        arguments: ["failed", "delayed", "relayed", "delivered"])
    func stored(action: String) throws {
        let message = parse(
            Array(
                """
                From: Mail <MAILER-DAEMON@box.example>
                To: ana@acme.example
                Subject: Lasa
                Date: Tue, 10 Mar 2026 08:00:00 +0100
                Content-Type: multipart/report; report-type=delivery-status; boundary=b

                --b

                Lasa bela.
                --b
                Content-Type: message/delivery-status

                Reporting-MTA: dns; mx.example

                Original-Recipient: rfc822; rita@box.example
                Final-Recipient: rfc822; inside@box.example
                Action: \(action)
                --b--

                """.utf8))
        let day = try Self.day(message)
        let kind = AnswerKind(of: try Self.facts(message), asOf: day)
        #expect(kind == message.answerKind(asOf: day))
        let rita = try #require(EmailAddress("rita@box.example"))
        #expect(
            kind
                == (["failed", "delayed"].contains(action)
                    ? .bounce(recipients: [rita], isPermanent: action == "failed") : .receipt))
    }

    @Test("a report that a person attaches does not make the mail a bounce")
    func attachedReport() {
        #expect(report("multipart/mixed", from: "nora@fabrikam.example", action: "failed") == .human)
    }

    @Test(
        "an empty return path makes mail of a postmaster or with a bounce subject a bounce"
    )
    func emptyReturnPath() {
        let gone = [EmailAddress(localPart: "gone", domain: "x.example")]
        let text = "No mailbox: <gone@x.example>. Write to <postmaster@x.example>."
        let bounce = AnswerKind.bounce(recipients: gone, isPermanent: true)
        #expect(kind("Return-Path: <>\nFrom: postmaster@x.example\nSubject: Sorry", text) == bounce)
        #expect(kind("Return-Path: <>\nSubject: Undelivered Mail Returned to Sender", text) == bounce)
        #expect(kind("Subject: Undelivered Mail Returned to Sender", text) == .human)
    }

    @Test("quoted text is not searched for the day of return")
    func quotedAbsence() {
        let quote =
            "Thanks.\n\nOn Mon, 2 Mar 2026 at 10:00, Ana <ana@acme.example> wrote:\n> I am away until 14 March."
        #expect(kind("Auto-Submitted: auto-replied", quote) == .automaticReply(returns: nil))
    }

    @Test("a reply to an invitation is recognised as a file too")
    func calendarFile() {
        let text = """
            From: Ray <ray@x.example>
            Subject: Planning
            Content-Type: multipart/mixed; boundary=a

            --a

            Yes.
            --a
            Content-Type: text/calendar; method=REPLY; name=reply.ics
            Content-Disposition: attachment

            BEGIN:VCALENDAR
            METHOD:REPLY
            END:VCALENDAR
            --a--
            """
        #expect(parse(Array(text.utf8)).answerKind(asOf: day) == .calendar)
        let request = text.replacing("METHOD:REPLY", with: "METHOD:REQUEST")
            .replacing("method=REPLY", with: "method=REQUEST")
        #expect(parse(Array(request.utf8)).answerKind(asOf: day) == .human)
    }
}
