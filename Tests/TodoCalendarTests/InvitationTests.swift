import Foundation
import Models
import Testing

@testable import TodoCalendar

/// Invitations in the forms of several senders' programs, written for this test.
enum SampleInvitation {
    static let google = """
        BEGIN:VCALENDAR
        PRODID:-//Google Inc//Google Calendar 70.9054//EN
        VERSION:2.0
        CALSCALE:GREGORIAN
        METHOD:REQUEST
        BEGIN:VEVENT
        DTSTART:20260312T130000Z
        DTEND:20260312T140000Z
        DTSTAMP:20260310T073000Z
        ORGANIZER;CN=Kim Lee:mailto:kim@acme.example
        UID:7kq1@google.example
        ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=
         TRUE;CN=ana@acme.example;X-NUM-GUESTS=0:mailto:ana@acme.example
        SEQUENCE:0
        STATUS:CONFIRMED
        SUMMARY:Q3 planning\\, part two
        END:VEVENT
        END:VCALENDAR
        """
    static let outlook = """
        BEGIN:VCALENDAR
        METHOD:REQUEST
        PRODID:Microsoft Exchange Server 2010
        VERSION:2.0
        BEGIN:VTIMEZONE
        TZID:W. Europe Standard Time
        BEGIN:STANDARD
        DTSTART:16010101T030000
        TZOFFSETFROM:+0200
        TZOFFSETTO:+0100
        RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
        END:STANDARD
        END:VTIMEZONE
        BEGIN:VEVENT
        ORGANIZER;CN=Kim Lee:MAILTO:kim@acme.example
        ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN="Ruiz, Ana":MAILTO:Ana@acme.example
        SUMMARY;LANGUAGE=en-US:Budget
        DTSTART;TZID=W. Europe Standard Time:20260312T140000
        DTEND;TZID=W. Europe Standard Time:20260312T150000
        UID:040000008200E00074C5B7101A82E008
        SEQUENCE:3
        X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE
        END:VEVENT
        END:VCALENDAR
        """
    static let apple = """
        BEGIN:VCALENDAR
        CALSCALE:GREGORIAN
        METHOD:REQUEST
        PRODID:-//Apple Inc.//macOS 14.0//EN
        VERSION:2.0
        BEGIN:VEVENT
        UID:5D0F-APPLE
        DTSTART;VALUE=DATE:20260314
        DTEND;VALUE=DATE:20260315
        ORGANIZER;CN="Kim Lee";EMAIL="kim@acme.example":mailto:kim@acme.example
        ATTENDEE;CUTYPE=INDIVIDUAL;EMAIL="ana@acme.example";PARTSTAT=NEEDS-ACTION;ROLE=REQ-PARTICIPANT;RSVP=TRUE:mailto:ana@acme.example
        SUMMARY:Open house
        SEQUENCE:1
        END:VEVENT
        END:VCALENDAR
        """
    static let nextcloud = """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//Sabre//Sabre VObject 4.5.4//EN
        METHOD:REQUEST
        BEGIN:VEVENT
        UID:nc-1
        DTSTART;TZID=Europe/Paris:20260302T090000
        DURATION:PT30M
        RRULE:FREQ=WEEKLY;COUNT=3
        ORGANIZER;CN=kim:mailto:kim@acme.example
        ATTENDEE;PARTSTAT=NEEDS-ACTION;SCHEDULE-STATUS=1.1:mailto:ana@acme.example
        SUMMARY:Standup
        END:VEVENT
        END:VCALENDAR
        """
}

@Suite("Invitations")
struct InvitationTests {
    private static let ana = EmailAddress(displayName: "Ana Ruiz", localPart: "ana", domain: "acme.example")

    private func read(_ text: String) throws -> Invitation {
        try Invitation.read(Array(text.replacing("\n", with: "\r\n").utf8))
    }

    @Test(
        "invitations of Google, Outlook, Apple and Nextcloud are read with people and time",
        arguments: [
            (
                SampleInvitation.google, "Q3 planning, part two", 0, "2026-03-12T13:00:00Z",
                "2026-03-12T14:00:00Z"
            ),
            (SampleInvitation.outlook, "Budget", 3, "2026-03-12T13:00:00Z", "2026-03-12T14:00:00Z"),
            (SampleInvitation.apple, "Open house", 1, "2026-03-14", "2026-03-15"),
            (SampleInvitation.nextcloud, "Standup", 0, "2026-03-02T08:00:00Z", "2026-03-02T08:30:00Z"),
        ])
    func forms(_ text: String, _ summary: String, _ sequence: Int, _ start: String, _ end: String) throws {
        let invitation = try read(text)
        #expect(invitation.method == "REQUEST" && invitation.summary == summary)
        #expect(invitation.sequence == sequence && !invitation.uid.isEmpty)
        #expect(invitation.organizer?.addrSpec == "kim@acme.example")
        #expect(invitation.attendees.map(\.comparable) == ["ana@acme.example"])
        #expect(invitation.start?.text == start && invitation.end?.text == end)
        #expect(invitation.facts?.method == .request)
    }

    @Test("a request for a cancelled event cancels it")
    func cancelled() throws {
        let text = SampleInvitation.google.replacing("STATUS:CONFIRMED", with: "STATUS:CANCELLED")
        #expect(try read(text).method == "CANCEL")
        #expect(try read(text).facts?.method == .cancel)
        #expect(try read(text.replacing("METHOD:REQUEST", with: "METHOD:REPLY")).method == "REPLY")
    }

    @Test(
        "a series ends after its last occurrence, and one without an end never",
        arguments: [
            ("COUNT=3", "2026-03-16T08:30:00Z"), ("UNTIL=20260310T000000Z", "2026-03-09T08:30:00Z"),
            ("INTERVAL=2", nil), ("BYMONTH=2;BYMONTHDAY=30", nil),
        ])
    func series(_ rule: String, _ over: String?) throws {
        let text = SampleInvitation.nextcloud.replacing("COUNT=3", with: rule)
        #expect(try read(text).facts?.over?.text == over)
    }

    @Test("a series in a zone with summer time ends after its last occurrence, not an occurrence before")
    func summerTime() throws {
        let text = SampleInvitation.outlook.replacing("20260312T1", with: "20260303T1").replacing(
            "SEQUENCE:3", with: "SEQUENCE:3\nRRULE:FREQ=WEEKLY;UNTIL=20260331T120000Z")
        #expect(try read(text).facts?.over?.text == "2026-03-31T13:00:00Z")
    }

    @Test("dates that the repeat rule does not have leave the end open")
    func otherDates() throws {
        let later = "RDATE:20260401T090000Z\nEND:VEVENT"
        let moved = "END:VEVENT\nBEGIN:VEVENT\nUID:x\nDTSTART:20260401T090000Z\nEND:VEVENT"
        for more in [later, moved] {
            let facts = try read(SampleInvitation.google.replacing("END:VEVENT", with: more)).facts
            #expect(facts != nil && facts?.over == nil)
        }
    }

    @Test("an event in a zone that only the mail knows is over a day later")
    func unknownZone() throws {
        let invitation = try read(
            SampleInvitation.outlook.replacing("W. Europe Standard Time", with: "Customized Time Zone"))
        #expect(invitation.unknownZone == "Customized Time Zone")
        #expect(
            invitation.start?.text == "2026-03-12T14:00:00"
                && invitation.facts?.over?.text == "2026-03-13T17:00:00")
        #expect(try read(SampleInvitation.outlook).unknownZone == nil)
    }

    @Test("a cancellation needs no start, and other calendars do")
    func withoutStart() throws {
        let lines = SampleInvitation.google.split(separator: "\n").filter { !$0.hasPrefix("DT") }
        let text = lines.joined(separator: "\n")
        #expect(try read(text).facts == nil)
        let facts = try read(text.replacing("METHOD:REQUEST", with: "METHOD:CANCEL")).facts
        #expect(facts?.method == .cancel && facts?.start == nil && facts?.over == nil)
    }

    @Test(
        "an answer names only the event and the person who answers, and is a valid calendar",
        arguments: [
            (InvitationAnswer.yes, "ACCEPTED"), (.no, "DECLINED"), (.maybe, "TENTATIVE"),
        ])
    func reply(_ answer: InvitationAnswer, _ status: String) throws {
        let invitation = try read(SampleInvitation.outlook)
        let organizer = try #require(invitation.organizer)
        let text = try #require(
            InvitationReply(
                to: invitation, organizer: organizer, from: Self.ana, answer,
                note: "Late; sorry\nBEGIN:VEVENT", now: Timestamp(seconds: 1_773_127_800)
            ).text()
        ).replacing("\r\n ", with: "")
        #expect(text.contains("METHOD:REPLY\r\n") && text.contains("SEQUENCE:3\r\n"))
        #expect(text.contains("UID:040000008200E00074C5B7101A82E008\r\n"))
        #expect(text.contains("PARTSTAT=\(status)") && text.contains("mailto:ana@acme.example"))
        #expect(text.contains("DTSTAMP:20260310T073000Z\r\n"))
        #expect(text.components(separatedBy: "\r\nBEGIN:VEVENT\r\n").count == 2)
        let again = try Invitation.read(Array(text.utf8))
        #expect(again.attendees.map(\.addrSpec) == ["ana@acme.example"])
        #expect(
            again.organizer == organizer && again.uid == invitation.uid && again.start == invitation.start)
    }

    @Test(
        "an organizer without a plain mail address is ignored",
        arguments: [
            "urn:uuid:1", "mailto:", "mailto:a@b@c.example", "mailto:kim@acme.example?bcc=x@y.example",
            "mailto:kim@acme.example,x@y.example", "mailto:kim\u{7F}@acme.example",
        ])
    func organizers(_ value: String) throws {
        let text = SampleInvitation.google.replacing("mailto:kim@acme.example", with: value)
        #expect(try read(text).organizer == nil)
    }

    @Test("a file without an event or UID is refused, and the number of guests is limited")
    func hostile() throws {
        #expect(throws: CalendarError.self) { try read("Hello") }
        #expect(throws: CalendarError.self) { try read("BEGIN:VCALENDAR\nEND:VCALENDAR") }
        #expect(throws: CalendarError.self) {
            try read(SampleInvitation.google.replacing("UID:7kq1@google.example\n", with: ""))
        }
        let guest = "ATTENDEE:mailto:g@acme.example\n"
        let many = SampleInvitation.google.replacing(
            "SEQUENCE:0\n", with: String(repeating: guest, count: 1_000))
        #expect(try read(many).attendees.count == Invitation.Bounds.attendees)
    }
}
