import Models
import Testing

@testable import TodoCalendar

@Suite struct VTodoPatcherTests {
    static let later = Samples.now + 3_600

    static func lineFeeds(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { $0 != 0x0D } }

    @Test(
        "an empty patch changes nothing",
        arguments: [
            Samples.odd, lineFeeds(Samples.odd), Samples.task(),
            Samples.task("STATUS:NEEDS-ACTION", "PRIORITY:3"),
        ])
    func nothing(_ bytes: [UInt8]) throws {
        let todo = try Samples.read(bytes)
        let same = TodoPatch(status: .needsAction, list: .someday, due: todo.due, summary: todo.summary)
        #expect(try VTodoPatcher.apply(TodoPatch(), to: bytes, now: Self.later) == bytes)
        #expect(try VTodoPatcher.apply(same, to: bytes, now: Self.later) == bytes)
    }

    @Test("a new summary changes one line and the bookkeeping lines", arguments: [false, true])
    func summaryOnly(_ bareLineFeeds: Bool) throws {
        let bytes = bareLineFeeds ? Self.lineFeeds(Samples.odd) : Samples.odd
        let patched = try VTodoPatcher.apply(TodoPatch(summary: "Neu; jetzt"), to: bytes, now: Self.later)
        let before = try Samples.rawLines(bytes)
        let after = try Samples.rawLines(patched)
        let end = bareLineFeeds ? "\n" : "\r\n"
        #expect(
            after.filter { !before.contains($0) } == [
                "DTSTAMP:20260331T160000Z" + end, "SUMMARY:Neu\\; jetzt" + end, "SEQUENCE:5" + end,
                "LAST-MODIFIED:20260331T160000Z" + end,
            ])
        #expect(
            before.filter { !after.contains($0) } == [
                "DTSTAMP:20260101T000000Z" + end,
                "Summary;LANGUAGE=de:Angebot f" + end + " ür Ännchen" + end, "SEQUENCE:4" + end,
            ])
        // The new line stands before the first component inside the task.
        let inserted = try #require(after.firstIndex { $0.hasPrefix("LAST-MODIFIED") })
        #expect(after[inserted + 1].hasPrefix("BEGIN:VALARM"))
        #expect(patched.contains(0x0D) == !bareLineFeeds)
    }

    @Test("a line with bytes that are not UTF-8 is not replaced, but another one is")
    func notUTF8() throws {
        var bytes = Samples.task("DESCRIPTION:f r", "PRIORITY:3")
        let blank = try #require(bytes.firstRange(of: Array("f r".utf8))).lowerBound + 1
        bytes[blank] = 0xFC
        var patch = TodoPatch()
        patch.notes = "new"
        #expect(throws: CalendarError(.notUTF8, line: 1 + bytes[..<blank].count { $0 == 0x0A })) {
            try VTodoPatcher.apply(patch, to: bytes, now: Self.later)
        }
        let patched = try VTodoPatcher.apply(TodoPatch(summary: "Neu"), to: bytes, now: Self.later)
        #expect(patched.contains(0xFC))
    }

    struct Status: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before: [String]
        var patch: TodoPatch
        var after: [String]

        init(_ name: String, _ before: [String], _ patch: TodoPatch, _ after: [String]) {
            testDescription = name
            self.before = before
            self.patch = patch
            self.after = after
        }
    }

    @Test(
        "STATUS, COMPLETED and PERCENT-COMPLETE change together",
        arguments: [
            Status(
                "done", ["STATUS:NEEDS-ACTION"], TodoPatch(status: .completed),
                ["STATUS:COMPLETED", "COMPLETED:20260331T160000Z", "PERCENT-COMPLETE:100"]),
            Status(
                "done at a time", ["STATUS:IN-PROCESS", "PERCENT-COMPLETE:50"],
                TodoPatch(status: .completed, completed: Samples.now),
                ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20260331T150000Z"]),
            Status(
                "done already by one sign", ["COMPLETED:20260101T000000Z"], TodoPatch(status: .completed),
                ["COMPLETED:20260101T000000Z", "STATUS:COMPLETED", "PERCENT-COMPLETE:100"]),
            Status(
                "reopened", ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20260101T000000Z"],
                TodoPatch(status: .needsAction), ["STATUS:NEEDS-ACTION"]),
            Status(
                "reopened with no STATUS", ["PERCENT-COMPLETE:100"], TodoPatch(status: .needsAction), []),
            Status(
                "in process keeps its part", ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:40"],
                TodoPatch(status: .inProcess), ["STATUS:IN-PROCESS", "PERCENT-COMPLETE:40"]),
            Status(
                "dropped", ["STATUS:COMPLETED", "COMPLETED:20260101T000000Z", "PERCENT-COMPLETE:100"],
                TodoPatch(status: .cancelled), ["STATUS:CANCELLED"]),
        ])
    func status(_ row: Status) throws {
        let bytes = Samples.file(["UID:u1"] + row.before + ["SUMMARY:s", "X-KEEP:1"])
        let patched = try VTodoPatcher.apply(row.patch, to: bytes, now: Self.later)
        let names = ["STATUS", "COMPLETED", "PERCENT-COMPLETE"]
        let lines = try Samples.lines(patched)
        #expect(lines.filter { line in names.contains { line.hasPrefix($0 + ":") } } == row.after)
        #expect(lines.contains("X-KEEP:1"))
        #expect(lines.contains("SEQUENCE:1"))
        // A second run changes nothing.
        #expect(try VTodoPatcher.apply(row.patch, to: patched, now: Self.later + 60) == patched)
    }

    struct Dates: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before: [String]
        var patch: TodoPatch
        var after: [String]

        init(_ name: String, _ before: [String], _ patch: TodoPatch, _ after: [String]) {
            testDescription = name
            self.before = before
            self.patch = patch
            self.after = after
        }
    }

    static let day = VTodoWriterTests.day
    static func nine(_ days: Int, _ zone: String?) -> TodoDate { VTodoWriterTests.nine(days, zone: zone) }

    @Test(
        "a date keeps the form of the file",
        arguments: [
            Dates("a new day", [], TodoPatch(due: .date(day)), ["DUE;VALUE=DATE:20260331"]),
            Dates(
                "another day", ["DUE;VALUE=DATE:20260101"], TodoPatch(due: .date(day)),
                ["DUE;VALUE=DATE:20260331"]),
            Dates(
                "an instant in the file's zone", ["DUE;TZID=Europe/Paris:20260101T090000"],
                TodoPatch(due: .instant(Samples.now)), ["DUE;TZID=Europe/Paris:20260331T170000"]),
            Dates(
                "the same moment is no change", ["DUE;TZID=Europe/Paris:20260331T170000"],
                TodoPatch(due: .instant(Samples.now)), ["DUE;TZID=Europe/Paris:20260331T170000"]),
            Dates(
                "a zone without its VTIMEZONE is UTC", [], TodoPatch(due: nine(0, "Europe/Paris")),
                ["DUE:20260331T070000Z", "X-OPUS-TZ:Europe/Paris"]),
            Dates(
                "the start takes the type of DUE", ["DUE;VALUE=DATE:20260331"],
                TodoPatch(start: nine(-1, nil)),
                ["DUE;VALUE=DATE:20260331", "DTSTART;VALUE=DATE:20260330"]),
            Dates(
                "a new type of DUE takes the start along",
                ["DTSTART:20260301T090000Z", "DUE:20260331T090000Z"],
                TodoPatch(due: .date(day)), ["DTSTART;VALUE=DATE:20260301", "DUE;VALUE=DATE:20260331"]),
            Dates(
                "DURATION gives way to DUE", ["DTSTART:20260301T090000Z", "DURATION:PT1H"],
                TodoPatch(due: .instant(Samples.now)), ["DTSTART:20260301T090000Z", "DUE:20260331T150000Z"]),
        ])
    func dates(_ row: Dates) throws {
        let bytes = Samples.file(["UID:u1", "SUMMARY:s"] + row.before)
        let patched = try VTodoPatcher.apply(row.patch, to: bytes, now: Self.later)
        let names = ["DTSTART", "DUE", "DURATION", "X-OPUS-TZ"]
        let lines = try Samples.lines(patched)
        #expect(lines.filter { line in names.contains { line.hasPrefix($0) } } == row.after)
        #expect(try VTodoPatcher.apply(row.patch, to: patched, now: Self.later + 60) == patched)
    }

    @Test("a TZID defined in the file is kept")
    func zonedInOdd() throws {
        let patch = TodoPatch(due: Self.nine(20, "Europe/Paris"))
        let text = Samples.text(try VTodoPatcher.apply(patch, to: Samples.odd, now: Self.later))
        #expect(text.contains("\r\nDUE;TZID=Europe/Paris:20260420T090000\r\n"))
    }

    @Test(
        "a patch that would end a series, or put the start behind the due date, is refused",
        arguments: [
            (
                ["RRULE:FREQ=DAILY", "DTSTART:20260101T000000Z"], TodoPatch(status: .completed),
                CalendarError.Code.repeats
            ),
            (
                ["RRULE:FREQ=DAILY", "DTSTART:20260101T000000Z"], TodoPatch(due: .instant(Samples.now)),
                .repeats
            ),
            (["DUE;VALUE=DATE:20260101"], TodoPatch(start: .date(day)), .startNotBeforeDue),
            (["DTSTART;VALUE=DATE:20260401"], TodoPatch(due: .date(day)), .startNotBeforeDue),
        ])
    func refusals(_ lines: [String], _ patch: TodoPatch, _ code: CalendarError.Code) {
        #expect(throws: CalendarError(code, line: 4)) {
            try VTodoPatcher.apply(patch, to: Samples.file(["UID:u1", "SUMMARY:s"] + lines), now: Self.later)
        }
    }

    @Test("a repeating task can be renamed, reopened and cancelled")
    func repeating() throws {
        let bytes = Samples.task(
            "RRULE:FREQ=DAILY;X-FOO=1", "DTSTART:20260101T000000Z", "PERCENT-COMPLETE:100")
        for patch in [
            TodoPatch(summary: "x"), TodoPatch(status: .needsAction), TodoPatch(status: .cancelled),
        ] {
            let patched = try VTodoPatcher.apply(patch, to: bytes, now: Self.later)
            #expect(Samples.text(patched).contains("\r\nRRULE:FREQ=DAILY;X-FOO=1\r\n"))
        }
    }

    @Test("only the series is patched, never its instances")
    func series() throws {
        let lines = [
            "UID:u1", "RECURRENCE-ID:20260102T000000Z", "SUMMARY:instance", "END:VTODO", "BEGIN:VTODO",
            "UID:u1",
            "RRULE:FREQ=DAILY", "SUMMARY:series",
        ]
        let patched = Samples.text(
            try VTodoPatcher.apply(TodoPatch(summary: "new"), to: Samples.file(lines), now: Self.later))
        #expect(patched.contains("SUMMARY:instance\r\n"))
        #expect(!patched.contains("SUMMARY:series"))
    }

    @Test("a completed instance has the title of its series, also if a fold divides a character")
    func instanceTitle() throws {
        // Some programs fold at 75 bytes without regard to UTF-8.
        let title = Array("SUMMARY:\u{DC}bung".utf8)
        let folded = title[..<9] + Array("\r\n ".utf8) + title[9...]
        let mark = Array("SUMMARY:Call Ann".utf8)
        let text = Samples.task("DTSTART;VALUE=DATE:20260331", "RRULE:FREQ=DAILY")
        let place = try #require(text.firstRange(of: mark))
        let bytes = text[..<place.lowerBound] + folded + text[place.upperBound...]
        var patch = TodoPatch()
        let first = try #require(CalendarDate(year: 2026, month: 3, day: 31))
        var roll = TodoRoll(from: .date(first), to: .date(first.adding(days: 1)))
        roll.asInstance = true
        patch.roll = roll
        let patched = try VTodoPatcher.apply(patch, to: Array(bytes), now: Self.later)
        #expect(patched.ranges(of: folded).count == 2)
    }

    @Test("an unreadable file is not patched")
    func broken() {
        let cut = Array(Samples.odd.dropLast(20))
        #expect(throws: CalendarError.self) {
            try VTodoPatcher.apply(TodoPatch(summary: "x"), to: cut, now: Self.later)
        }
    }

    @Test("a file without a final line end keeps it so")
    func noFinalLineFeed() throws {
        let bytes = Array(Samples.task().dropLast(2))
        let patched = try VTodoPatcher.apply(TodoPatch(summary: "x"), to: bytes, now: Self.later)
        #expect(Samples.text(patched).hasSuffix("END:VCALENDAR"))
    }
}
