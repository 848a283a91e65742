import Foundation
import Models
import Testing

@testable import TodoCalendar

/// A repeating task of which one occurrence is done: which day comes next, and what the file then says.
@Suite struct TodoSeriesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before: [String]
        /// The lines of the series after it; nil: the task is done.
        var after: [String]?

        init(_ name: String, _ before: [String], _ after: [String]?) {
            (testDescription, self.before, self.after) = (name, before, after)
        }
    }

    static let names = ["DTSTART", "DUE", "DURATION", "RRULE", "EXDATE", "RDATE"]
    static let rows = [
        Row(
            "by its due day", ["DUE;VALUE=DATE:20260403", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"],
            ["DUE;VALUE=DATE:20260417", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"]),
        Row(
            "the due date keeps its distance from the start",
            ["DTSTART;VALUE=DATE:20260401", "DUE;VALUE=DATE:20260403", "RRULE:FREQ=MONTHLY"],
            ["DTSTART;VALUE=DATE:20260501", "DUE;VALUE=DATE:20260503", "RRULE:FREQ=MONTHLY"]),
        Row(
            "start and due on one day, as Apple writes it",
            ["DTSTART;VALUE=DATE:20260303", "DUE;VALUE=DATE:20260303", "RRULE:FREQ=WEEKLY"],
            ["DTSTART;VALUE=DATE:20260310", "DUE;VALUE=DATE:20260310", "RRULE:FREQ=WEEKLY"]),
        Row(
            "nine stays nine when the clocks change",
            [
                "DTSTART;TZID=Europe/Paris:20260323T090000", "DUE;TZID=Europe/Paris:20260323T093000",
                "RRULE:FREQ=WEEKLY",
            ],
            [
                "DTSTART;TZID=Europe/Paris:20260330T090000", "DUE;TZID=Europe/Paris:20260330T093000",
                "RRULE:FREQ=WEEKLY",
            ]),
        Row(
            "a length stays", ["DTSTART:20260301T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY"],
            ["DTSTART:20260302T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY"]),
        Row(
            "a count becomes less", ["DUE;VALUE=DATE:20260401", "RRULE:FREQ=DAILY;COUNT=3"],
            ["DUE;VALUE=DATE:20260402", "RRULE:FREQ=DAILY;COUNT=2"]),
        Row(
            "days that are left out are passed over, and count",
            [
                "DTSTART;VALUE=DATE:20260402", "DUE;VALUE=DATE:20260403", "RRULE:FREQ=DAILY;COUNT=9",
                "EXDATE;VALUE=DATE:20260403,20260404", "RDATE;VALUE=DATE:20260420",
            ],
            [
                "DTSTART;VALUE=DATE:20260405", "DUE;VALUE=DATE:20260406", "RRULE:FREQ=DAILY;COUNT=6",
                "EXDATE;VALUE=DATE:20260403,20260404", "RDATE;VALUE=DATE:20260420",
            ]),
        Row(
            "an exception in another zone is the same moment",
            [
                "DTSTART;TZID=Europe/Paris:20260401T090000", "RRULE:FREQ=DAILY",
                "EXDATE:20260402T070000Z", "EXDATE;TZID=Europe/London:20260403T080000",
            ],
            [
                "DTSTART;TZID=Europe/Paris:20260404T090000", "RRULE:FREQ=DAILY",
                "EXDATE:20260402T070000Z", "EXDATE;TZID=Europe/London:20260403T080000",
            ]),
        Row(
            "an exception by day leaves out that day's time",
            ["DUE:20260401T090000Z", "RRULE:FREQ=DAILY", "EXDATE;VALUE=DATE:20260402"],
            ["DUE:20260403T090000Z", "RRULE:FREQ=DAILY", "EXDATE;VALUE=DATE:20260402"]),
        Row(
            "single days without a rule", ["DUE;VALUE=DATE:20260401", "RDATE;VALUE=DATE:20260407,20260403"],
            ["DUE;VALUE=DATE:20260403", "RDATE;VALUE=DATE:20260407,20260403"]),
        Row(
            "periods begin where they begin",
            ["DTSTART:20260401T090000Z", "RDATE;VALUE=PERIOD:20260403T100000Z/PT1H"],
            ["DTSTART:20260403T100000Z", "RDATE;VALUE=PERIOD:20260403T100000Z/PT1H"]),
        Row(
            "a single day comes after the rule's last",
            ["DUE;VALUE=DATE:20260410", "RRULE:FREQ=DAILY;COUNT=1", "RDATE;VALUE=DATE:20260420"],
            ["DUE;VALUE=DATE:20260420", "RRULE:FREQ=DAILY;COUNT=1", "RDATE;VALUE=DATE:20260420"]),
        Row("the last of a count", ["DUE;VALUE=DATE:20260401", "RRULE:FREQ=DAILY;COUNT=1"], nil),
        Row(
            "the last before the end", ["DUE;VALUE=DATE:20260401", "RRULE:FREQ=WEEKLY;UNTIL=20260407"], nil),
        Row(
            "the end as a moment",
            ["DUE;TZID=Europe/Paris:20260401T090000", "RRULE:FREQ=DAILY;UNTIL=20260402T065959Z"], nil),
        Row(
            "the last that is not left out",
            ["DUE;VALUE=DATE:20260401", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE;VALUE=DATE:20260402,20260403"],
            nil),
        Row(
            "the last of single days", ["DUE;VALUE=DATE:20260407", "RDATE;VALUE=DATE:20260407,20260403"], nil),
    ]

    @Test("completing an occurrence moves to the next date, or completes the task", arguments: rows)
    func done(_ row: Row) throws {
        let others = ["X-FOO;BAR=1:keep", "PERCENT-COMPLETE:40", "STATUS:IN-PROCESS"]
        let bytes = Samples.task(others[0], others[1], others[2], row.before)
        let patch = try TodoSeries.completion(of: Samples.read(bytes))
        let patched = try VTodoPatcher.apply(patch, to: bytes, now: Samples.now)
        let lines = try Samples.lines(patched)
        let todo = try Samples.read(patched)
        #expect(lines.contains(others[0]))
        #expect(todo.isOpen == (row.after != nil))
        #expect(
            lines.filter { line in Self.names.contains { line.hasPrefix($0) } } == row.after ?? row.before)
        if row.after != nil {
            #expect(todo.status == .needsAction && todo.percentComplete == nil && todo.completed == nil)
        } else {
            #expect(todo.completed == Samples.now && todo.percentComplete == 100)
        }
        // The same wish again, as after a crash, goes no further.
        #expect(try VTodoPatcher.apply(patch, to: patched, now: Samples.now + 60) == patched)
    }

    @Test("a series with a count ends after that many dates", arguments: [1, 2, 5])
    func counts(_ count: Int) throws {
        var bytes = Samples.task("DUE;VALUE=DATE:20260401", "RRULE:FREQ=WEEKLY;COUNT=\(count);BYDAY=WE")
        var done = 0
        while try Samples.read(bytes).isOpen, done < 20 {
            let patch = try TodoSeries.completion(of: Samples.read(bytes))
            bytes = try VTodoPatcher.apply(patch, to: bytes, now: Samples.now)
            done += 1
        }
        #expect(done == count)
    }

    @Test(
        "a rule that cannot be counted is refused, and does not end the series",
        arguments: [
            (["RRULE:FREQ=DAILY"], TodoSeriesError.noDate),
            (["DUE;VALUE=DATE:20260401", "RRULE:FREQ=HOURLY"], .rule(.tooOften("HOURLY"))),
            (["DUE;VALUE=DATE:20260401", "RRULE:FREQ=YEARLY;INTERVAL=20"], .unknown),
            (["DUE;VALUE=DATE:20260401", "RRULE:FREQ=YEARLY;INTERVAL=20;COUNT=3"], .unknown),
        ])
    func refused(_ lines: [String], _ error: TodoSeriesError) throws {
        let todo = try Samples.read(Samples.task(lines))
        #expect(throws: error) { try TodoSeries.outcome(of: todo) }
        // Nor if the only date that opus knows is done.
        var instance = todo
        instance.doneInstances = ["20260401"]
        #expect(throws: error) { try TodoSeries.outcome(of: instance) }
    }

    private static func series(_ rule: String, _ more: [String] = [], done: [String]) -> [UInt8] {
        let instances = done.flatMap { day in
            [
                "END:VTODO", "BEGIN:VTODO", "UID:u1", "RECURRENCE-ID;VALUE=DATE:\(day)",
                "STATUS:COMPLETED",
            ]
        }
        return Samples.task(["DTSTART;VALUE=DATE:20260401", "RRULE:\(rule)"] + more + instances)
    }

    @Test(
        "a series is completed when each of its dates has a completed instance",
        arguments: [
            ("FREQ=WEEKLY;COUNT=2", [], ["20260401"], false),
            ("FREQ=WEEKLY;COUNT=2", [], ["20260401", "20260408"], true),
            ("FREQ=WEEKLY;UNTIL=20260410", [], ["20260408", "20260401"], true),
            ("FREQ=WEEKLY;COUNT=3", ["EXDATE;VALUE=DATE:20260415"], ["20260401", "20260408"], true),
            ("FREQ=WEEKLY;COUNT=2", ["RDATE;VALUE=DATE:20260420"], ["20260401", "20260408"], false),
            // Without an end, with a rule that opus cannot expand, or with one that removes dates.
            ("FREQ=WEEKLY", [], ["20260401", "20260408"], false),
            ("FREQ=HOURLY;COUNT=1", [], ["20260401"], false),
            ("FREQ=WEEKLY;COUNT=1", ["EXRULE:FREQ=DAILY"], ["20260401"], false),
        ] as [(String, [String], [String], Bool)])
    func finished(_ rule: String, _ more: [String], _ done: [String], _ isCompleted: Bool) throws {
        let bytes = Self.series(rule, more, done: done)
        #expect(try Samples.read(bytes).isCompleted == isCompleted)
        // The task cannot be opened again without a date, and all other changes work.
        let opened = try? VTodoPatcher.apply(TodoPatch(status: .inProcess), to: bytes, now: Samples.now)
        #expect((opened == nil) == isCompleted)
        let renamed = try VTodoPatcher.apply(TodoPatch(summary: "Other"), to: bytes, now: Samples.now)
        #expect(try Samples.read(renamed).isCompleted == isCompleted)
        guard isCompleted else { return }
        for (status, line) in [(TodoStatus.completed, "STATUS:COMPLETED"), (.cancelled, "STATUS:CANCELLED")] {
            let patched = try VTodoPatcher.apply(TodoPatch(status: status), to: bytes, now: Samples.now)
            #expect(try Samples.read(patched).status == status)
            #expect(try Samples.lines(patched).prefix { $0 != "END:VTODO" }.contains(line))
        }
    }

    @Test("a series with EXRULE is left to the program that wrote it")
    func foreign() throws {
        let excluded = Samples.task("DUE;VALUE=DATE:20260401", "RRULE:FREQ=DAILY", "EXRULE:FREQ=WEEKLY")
        let patch = try TodoSeries.completion(of: Samples.read(excluded))
        #expect(throws: CalendarError(.repeats, line: 4)) {
            try VTodoPatcher.apply(patch, to: excluded, now: Samples.now)
        }
    }

    @Test("a task that another program moved to another date is not changed")
    func movedOn() throws {
        let bytes = Samples.task("DUE;VALUE=DATE:20260401", "RRULE:FREQ=DAILY")
        let patch = try TodoSeries.completion(of: Samples.read(bytes))
        let other = Samples.task("DUE;VALUE=DATE:20260405", "RRULE:FREQ=DAILY")
        #expect(throws: CalendarError(.movedOn, line: 4)) {
            try VTodoPatcher.apply(patch, to: other, now: Samples.now)
        }
    }

    @Test("future dates are those of the rule and the single dates, without the exceptions")
    func expansion() throws {
        let todo = try Samples.read(
            Samples.task(
                "DTSTART;VALUE=DATE:20260401", "RRULE:FREQ=DAILY;COUNT=5", "EXDATE;VALUE=DATE:20260402",
                "RDATE;VALUE=DATE:20260420,20260404"))
        #expect(
            TodoSeries.occurrences(of: todo, limit: 10).map(\.text) == [
                "2026-04-01", "2026-04-03", "2026-04-04", "2026-04-05", "2026-04-20",
            ])
        #expect(TodoSeries.next(after: todo)?.text == "2026-04-03")
        #expect(try TodoSeries.next(after: Samples.read(Samples.task("DUE;VALUE=DATE:20260401"))) == nil)
    }

    /// The files of `Tests/Fixtures/tasks` that repeat: one line each of what completing them comes to.
    @Test("files of real programs move to their next date, with all other bytes unchanged")
    func golden() throws {
        var reports: [String] = []
        for file in GoldenFileTests.files {
            let todo = try Samples.read(file.bytes)
            guard TodoSeries.isOne(todo), todo.isOpen else { continue }
            let patch = try TodoSeries.completion(of: todo)
            guard let patched = try? VTodoPatcher.apply(patch, to: file.bytes, now: Samples.now) else {
                reports.append(file.testDescription + " left to its program")
                continue
            }
            let after = try Samples.read(patched)
            let names: Set<String> = [
                "DTSTART", "DUE", "RRULE", "STATUS", "DTSTAMP", "LAST-MODIFIED", "SEQUENCE",
            ]
            // What was done stands beside the series, and the file has lines more.
            if try VTodoReader.read(file.bytes, list: .next).hasInstances {
                #expect(after.doneInstances == ["20260331T090000", "20260330T090000"])
                reports.append(
                    "\(file.testDescription) \((after.start ?? after.due)?.text ?? "") \(after.isOpen)")
                continue
            }
            #expect(
                try GoldenFileTests.others(patched, names) == GoldenFileTests.others(file.bytes, names))
            reports.append(
                "\(file.testDescription) \((after.start ?? after.due)?.text ?? "") \(after.isOpen)")
        }
        #expect(
            reports == [
                "apple-repeat 2026-03-10 true", "davx5-exdate 2026-04-02 true",
                "tasksorg-repeat 2026-04-17 true",
                "thunderbird-overrides 2026-03-30T09:00:00[Europe/Paris] true",
                "todoman-recurring-clone 2026-04-15T07:00:00Z true",
            ])
    }
}

extension Samples {
    fileprivate static func task(_ lines: [String]) -> [UInt8] {
        file(["UID:u1", "SUMMARY:Call Ann"] + lines)
    }

    fileprivate static func task(_ a: String, _ b: String, _ c: String, _ lines: [String]) -> [UInt8] {
        task([a, b, c] + lines)
    }
}
