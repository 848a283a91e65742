import Models
import Testing

@testable import TodoCalendar

/// Calendar files as other programs write them, and small helpers to build more.
enum Samples {
    static let now = Timestamp(seconds: 1_774_969_200)  // 2026-03-31T15:00:00Z

    /// A file of these VTODO lines, with CRLF.
    static func file(_ lines: String...) -> [UInt8] { file(lines) }

    static func file(_ lines: [String]) -> [UInt8] {
        let all = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Test//EN", "BEGIN:VTODO"] + lines
        return Array((all + ["END:VTODO", "END:VCALENDAR", ""]).joined(separator: "\r\n").utf8)
    }

    /// A task with one more line.
    static func task(_ lines: String...) -> [UInt8] { file(["UID:u1", "SUMMARY:Call Ann"] + lines) }

    static func read(_ bytes: [UInt8]) throws -> Todo {
        try VTodoReader.read(bytes, list: .next).todo
    }

    /// The lines of a file with their endings, so that two files can be compared line by line.
    static func rawLines(_ bytes: [UInt8]) throws -> [String] {
        try ContentLine.split(bytes).map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    /// The lines without their endings: CRLF is one Character.
    static func lines(_ bytes: [UInt8]) throws -> [String] {
        try rawLines(bytes).map { $0.hasSuffix("\r\n") || $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    }

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Everything that libical loses when it writes a file, and then some.
    static let odd: [UInt8] = Array(
        """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//Other//EN
        X-WR-CALNAME:Mine
        BEGIN:VTIMEZONE
        TZID:Europe/Paris
        BEGIN:STANDARD
        DTSTART:19961027T030000
        TZOFFSETFROM:+0200
        TZOFFSETTO:+0100
        END:STANDARD
        END:VTIMEZONE
        BEGIN:VTODO
        UID:../../etc/passwd
        DTSTAMP:20260101T000000Z
        Summary;LANGUAGE=de:Angebot f
         ür Ännchen
        DUE;TZID=Europe/Paris:20260410T090000
        LINK;LINKREL=SOURCE;VALUE=URI:https://example.org/x
        CONCEPT:https://example.org/concept
        RELATED-TO;RELTYPE=DEPENDS-ON;GAP=P1D:u9
        RELATED-TO;VALUE=URI:https://example.org/y
        CATEGORIES:work,@office,a\\,b
        CATEGORIES:home
        X-EMPTY:
        DTSTART:
        X-FOO;BAR=1:keep
        FUTURE-PROP;X=Y:hello
        PRIORITY:high
        STATUS:WAITING
        SEQUENCE:4
        DESCRIPTION:one\\ntwo\\, three
        BEGIN:VALARM
        ACTION:DISPLAY
        SUMMARY:not the task's
        TRIGGER;RELATED=END:-PT30M
        X-MOZ-SNOOZE-TIME:20260101T000000Z
        END:VALARM
        BEGIN:PARTICIPANT
        UID:participant
        SUMMARY:not the task's either
        END:PARTICIPANT
        COMMENT:after a component
        END:VTODO
        END:VCALENDAR

        """.replacing("\n", with: "\r\n").utf8)
}
