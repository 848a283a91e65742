import Models
import Testing

@testable import TodoCalendar

@Suite("a calendar file with several VTODOs")
struct SeveralTodosTests {
    /// Two tasks with an event and a time zone between them, as an export of a whole list has them.
    static func list(_ end: String = "\r\n") -> [UInt8] {
        let lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Export//EN", "X-WR-CALNAME:Home", "BEGIN:VTODO",
            "UID:a",
            "SUMMARY:Milk", "X-FOO;BAR=1:keep", "END:VTODO", "BEGIN:VEVENT", "UID:e", "SUMMARY:Fair",
            "END:VEVENT",
            "BEGIN:VTODO", "UID:b", "SUMMARY:Bread", "PRIORITY:5", "BEGIN:VALARM", "ACTION:DISPLAY",
            "TRIGGER:-PT5M", "END:VALARM", "END:VTODO", "END:VCALENDAR", "",
        ]
        return Array(lines.joined(separator: end).utf8)
    }

    /// A weekly task from 2026-04-01 on, with these further components.
    static func series(_ own: [String], _ beside: [[String]] = []) -> [UInt8] {
        let master =
            ["BEGIN:VTODO", "UID:s", "SUMMARY:Water the plants", "X-FOO;BAR=1:keep"] + own + ["END:VTODO"]
        let others = beside.flatMap { ["BEGIN:VTODO", "UID:s", "SUMMARY:Water"] + $0 + ["END:VTODO"] }
        let all =
            ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Test//EN"] + master + others + [
                "END:VCALENDAR", "",
            ]
        return Array(all.joined(separator: "\r\n").utf8)
    }

    static let weekly = [
        "DTSTART;VALUE=DATE:20260401", "DUE;VALUE=DATE:20260402", "RRULE:FREQ=WEEKLY;COUNT=3",
    ]

    @Test("each task of a file is read, in order")
    func read() throws {
        let tasks = try VTodoReader.all(Self.list(), list: .next)
        #expect(tasks.map(\.todo.id) == [TodoID("a"), TodoID("b")])
        #expect(tasks.map(\.todo.summary) == ["Milk", "Bread"])
        #expect(tasks.map(\.line) == [5, 14])
        #expect(throws: CalendarError(.severalTodos, line: 14)) {
            try VTodoReader.read(Self.list(), list: .next)
        }
    }

    @Test("a change of one task leaves all other lines unchanged", arguments: ["\r\n", "\n"])
    func patched(_ end: String) throws {
        let bytes = Self.list(end)
        let patch = TodoPatch(status: .completed)
        let after = try VTodoPatcher.apply(patch, to: bytes, of: TodoID("b"), now: Samples.now)
        let lines = try Samples.rawLines(after)
        let before = try Samples.rawLines(bytes)
        #expect(lines.prefix(17) == before.prefix(17))
        #expect(lines.suffix(6) == before.suffix(6))
        #expect(lines.filter { !before.contains($0) }.count == 6)
        let tasks = try VTodoReader.all(after, list: .next)
        #expect(tasks.map(\.todo.isOpen) == [true, false])
        #expect(try VTodoPatcher.apply(patch, to: after, of: TodoID("b"), now: Samples.now + 60) == after)
        #expect(throws: CalendarError(.noSuchTodo)) {
            try VTodoPatcher.apply(patch, to: bytes, of: TodoID("e"), now: Samples.now)
        }
    }

    @Test("completing an occurrence adds an instance and changes nothing else")
    func instances() throws {
        let done = ["RECURRENCE-ID;VALUE=DATE:20260401", "STATUS:COMPLETED"]
        let bytes = Self.series(Self.weekly, [done])
        #expect(TodoSeries.shown(try Samples.read(bytes)).due?.text == "2026-04-09")
        let patch = try TodoSeries.completion(of: Samples.read(bytes))
        let after = try VTodoPatcher.apply(patch, to: bytes, now: Samples.now)
        let end = Array("END:VCALENDAR\r\n".utf8)
        #expect(after.starts(with: bytes.dropLast(end.count)))
        let new = try Samples.lines(Array(after[(bytes.count - end.count)...]))
        #expect(
            new == [
                "BEGIN:VTODO", "UID:s", "SUMMARY:Water the plants", "RECURRENCE-ID;VALUE=DATE:20260408",
                "DTSTART;VALUE=DATE:20260408", "DUE;VALUE=DATE:20260409", "STATUS:COMPLETED",
                "COMPLETED:20260331T150000Z", "PERCENT-COMPLETE:100", "CREATED:20260331T150000Z",
                "LAST-MODIFIED:20260331T150000Z", "DTSTAMP:20260331T150000Z", "END:VTODO", "END:VCALENDAR",
            ])
        #expect(try VTodoPatcher.apply(patch, to: after, now: Samples.now + 60) == after)
        // The third is the last.
        let last = try TodoSeries.completion(of: Samples.read(after))
        let over = try Samples.read(VTodoPatcher.apply(last, to: after, now: Samples.now))
        let third = TodoSeries.shown(try Samples.read(after))
        #expect(over.isCompleted)
        #expect(third.due?.text == "2026-04-16")
    }

    @Test("an open instance is completed in place")
    func openInstance() throws {
        let moved = ["RECURRENCE-ID;VALUE=DATE:20260401", "DUE;VALUE=DATE:20260403", "X-KEEP:1"]
        let bytes = Self.series(Self.weekly, [moved])
        let patch = try TodoSeries.completion(of: Samples.read(bytes))
        let after = try VTodoPatcher.apply(patch, to: bytes, now: Samples.now)
        #expect(try Samples.read(after).doneInstances == ["20260401"])
        #expect(try Samples.lines(after).count { $0 == "BEGIN:VTODO" } == 2)
        #expect(Samples.text(after).contains("X-KEEP:1\r\n"))
        #expect(TodoSeries.shown(try Samples.read(after)).start?.text == "2026-04-08")
    }

    @Test("an occurrence that was cancelled is left out")
    func cancelled() throws {
        let bytes = Self.series(Self.weekly, [["RECURRENCE-ID;VALUE=DATE:20260408", "STATUS:CANCELLED"]])
        let patch = try TodoSeries.completion(of: Samples.read(bytes))
        let after = try Samples.read(VTodoPatcher.apply(patch, to: bytes, now: Samples.now))
        #expect(TodoSeries.shown(after).start?.text == "2026-04-15")
    }

    @Test("a series with an instance for all following dates is refused")
    func following() throws {
        let bytes = Self.series(Self.weekly, [["RECURRENCE-ID;VALUE=DATE;RANGE=THISANDFUTURE:20260408"]])
        let patch = try TodoSeries.completion(of: Samples.read(bytes))
        #expect(throws: CalendarError(.repeats, line: 4)) {
            try VTodoPatcher.apply(patch, to: bytes, now: Samples.now)
        }
    }

    @Test("single dates of a series are completed one by one, and its rule counts from its start")
    func singleDays() throws {
        var bytes = Self.series(Self.weekly + ["RDATE;VALUE=DATE:20260403,20260420"])
        var days: [String] = []
        while try Samples.read(bytes).isOpen, days.count < 9 {
            let todo = try Samples.read(bytes)
            days.append(TodoSeries.shown(todo).start?.text ?? "none")
            bytes = try VTodoPatcher.apply(
                TodoSeries.completion(of: todo), to: bytes, now: Samples.now)
        }
        #expect(days == ["2026-04-01", "2026-04-03", "2026-04-08", "2026-04-15", "2026-04-20"])
        #expect(Samples.text(bytes).contains("RRULE:FREQ=WEEKLY;COUNT=3\r\n"))
    }

    @Test("zoned times keep their zone, and an instance in UTC is the same occurrence")
    func zones() throws {
        let own = ["DTSTART;TZID=Europe/Paris:20260401T090000", "RRULE:FREQ=DAILY"]
        let bytes = Self.series(own, [["RECURRENCE-ID:20260401T070000Z", "STATUS:COMPLETED"]])
        let patch = try TodoSeries.completion(of: Samples.read(bytes))
        let text = Samples.text(try VTodoPatcher.apply(patch, to: bytes, now: Samples.now))
        #expect(text.contains("RECURRENCE-ID;TZID=Europe/Paris:20260402T090000\r\n"))
    }

    @Test("every component of a file has a role")
    func roles() throws {
        let series = Self.series(Self.weekly, [["RECURRENCE-ID;VALUE=DATE:20260401"]])
        #expect(try CalendarComponent.all(Self.list()).map(\.role) == [.task, .other, .task])
        #expect(try CalendarComponent.all(series).map(\.role) == [.series, .instance])
        let lone = Samples.task("RECURRENCE-ID:20260401T070000Z")
        #expect(try CalendarComponent.all(lone).map(\.role) == [.lone])
        let events = Array("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:e\nEND:VEVENT\nEND:VCALENDAR\n".utf8)
        #expect(try CalendarComponent.all(events).map(\.role) == [.other])
    }
}
