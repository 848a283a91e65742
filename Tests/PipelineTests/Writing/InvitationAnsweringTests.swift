import Foundation
import MIMEParser
import MailStore
import Models
import Testing

@testable import Pipeline

/// Answers to invitations: only to real requests for the user, to their organizer, and sent only by a person.
@Suite("Answering invitations")
struct InvitationAnsweringTests {
    private static func mail(
        method: String = "REQUEST", from: String = "kim@acme.example",
        organizer: String = "mailto:kim@acme.example", attendee: String = "mailto:ana@acme.example",
        sequence: Int = 0, day: String = "20260312", subject: String = "Invitation"
    ) -> String {
        """
        From: \(from)
        To: ana@acme.example
        Subject: \(subject)
        Message-ID: <\(subject.filter(\.isLetter))\(sequence)@x>
        MIME-Version: 1.0
        Content-Type: multipart/alternative; boundary=b

        --b
        Content-Type: text/plain

        Please come.
        --b
        Content-Type: text/calendar; charset=utf-8; method=\(method)

        BEGIN:VCALENDAR
        VERSION:2.0
        METHOD:\(method)
        BEGIN:VEVENT
        UID:e1
        SEQUENCE:\(sequence)
        DTSTART:\(day)T130000Z
        DTEND:\(day)T140000Z
        SUMMARY:Planning
        ORGANIZER;CN=Kim:\(organizer)
        ATTENDEE;RSVP=TRUE:\(attendee)
        END:VEVENT
        END:VCALENDAR
        --b--

        """
    }

    private func invited(
        _ mails: [String], _ body: (Workplace, Session, String) async throws -> Void
    ) async throws {
        let work = try Workplace()
        try work.sendsMail()
        for (index, mail) in mails.enumerated() {
            try work.put("mail\(index)", mail, received: Workplace.tuesday - 3_600 + Int64(index))
        }
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            try await body(work, session, try session.id(of: "Invitation"))
        }
    }

    private func refusal(_ mails: [String], note: String = "") async throws -> String? {
        var code: String?
        try await invited(mails) { _, session, id in
            do {
                _ = try await session.invitations.plan(id, .yes, note: note)
            } catch let problem as Problem {
                code = problem.code
            }
        }
        return code
    }

    @Test("the answer is a mail to the organizer only, with a calendar part of the method REPLY")
    func answer() async throws {
        try await invited([Self.mail()]) { work, session, id in
            let plan = try await session.invitations.plan(id, .maybe, note: "If I can.")
            #expect(plan.warnings.isEmpty && plan.summary == "Planning")
            #expect(try work.departures().isEmpty)
            try await session.send(try session.drafts.keep(plan.draft))
            let sent = try #require(try work.departures().first)
            #expect(sent.recipients == ["kim@acme.example"])
            let message = MIMEParser.parse(Array(sent.text.utf8))
            #expect(message.envelope.subject == "Tentative: Planning")
            #expect(message.envelope.from.map(\.addrSpec) == ["ana@acme.example"])
            #expect(message.envelope.inReplyTo.count == 1 && message.calendarMethod == "REPLY")
            let calendar = String(decoding: try #require(message.calendar(limit: 9_999)), as: UTF8.self)
            #expect(calendar.contains("PARTSTAT=TENTATIVE") && calendar.contains("UID:e1"))
            #expect(message.text().contains("If I can."))
        }
    }

    @Test("a draft of an answer is still an answer after it is edited")
    func edited() async throws {
        try await invited([Self.mail()]) { _, session, id in
            let plan = try await session.invitations.plan(id, .yes, note: "")
            let kept = try session.drafts.keep(plan.draft)
            let again = try await session.drafts.open(try session.drafts.shortName(of: kept.stored))
            #expect(again.builder.calendar?.method == "REPLY" && again.builder.files.isEmpty)
            let saved = try session.drafts.keep(again)
            #expect(MIMEParser.parse(saved.stored.content).calendarMethod == "REPLY")
        }
    }

    @Test("an organizer of another domain and a past event are reported")
    func warnings() async throws {
        try await invited([Self.mail(from: "bot@calendar.example", day: "20260301")]) { _, session, id in
            let plan = try await session.invitations.plan(id, .no, note: "")
            #expect(plan.warnings.count == 2)
            #expect(plan.warnings.first?.contains("kim@acme.example") == true)
            #expect(plan.draft.builder.to.map(\.addrSpec) == ["kim@acme.example"])
        }
    }

    @Test("mail that requests no answer gets no answer")
    func refused() async throws {
        #expect(try await refusal([Self.mail(method: "CANCEL")]) == "event-cancelled")
        #expect(try await refusal([Self.mail(method: "REPLY")]) == "no-invitation")
        #expect(try await refusal([Self.mail(method: "PUBLISH")]) == "no-invitation")
        #expect(try await refusal([Self.mail(attendee: "mailto:team@acme.example")]) == "not-invited")
        #expect(try await refusal([Self.mail(organizer: "mailto:ana@acme.example")]) == "own-invitation")
        #expect(try await refusal([Self.mail(organizer: "urn:x:1")]) == "bad-invitation")
        #expect(try await refusal([Self.mail()], note: String(repeating: "a", count: 5_000)) == "long-note")
        let plain = "From: a@x.example\nSubject: Invitation\nMessage-ID: <p@x>\n\nCome!\n"
        #expect(try await refusal([plain]) == "no-invitation")
    }

    @Test("a newer invitation and a cancellation count only if they are from the organizer")
    func versions() async throws {
        let update = Self.mail(sequence: 1, subject: "Update")
        #expect(try await refusal([Self.mail(), update]) == "old-invitation")
        let cancel = Self.mail(method: "CANCEL", sequence: 1, subject: "Gone")
        #expect(try await refusal([Self.mail(), cancel]) == "event-cancelled")
        let stranger = Self.mail(method: "CANCEL", from: "eve@evil.example", sequence: 9, subject: "Gone")
        #expect(try await refusal([Self.mail(), stranger]) == nil)
        let earlier = Self.mail(sequence: 0, subject: "Before")
        #expect(try await refusal([earlier, Self.mail(sequence: 1)]) == nil)
    }

    @Test("a rule can exclude invitations to past events")
    func event() async throws {
        let work = try Workplace(rules: [
            "10.yaml":
                "rules-version: 1\nrules:\n  - { id: ask, when: is:invite, unless: 'event:past', then: [{ task: { title: t } }] }\n"
        ])
        try work.put("old", Self.mail(day: "20260301", subject: "Old"))
        try work.put("new", Self.mail(day: "20260312", subject: "New"))
        try await work.run()
        try await work.with { session in
            let lines = try session.messages.list(
                account: nil, folder: nil, everywhere: true, matching: nil)
            let asked = lines.filter { !$0.facts.openTodos.isEmpty }.map(\.facts.subject)
            #expect(asked == ["New"])
        }
    }
}
