import Foundation
import Models
import TestSupport
import Testing

@testable import TodoCalendar

@Suite struct RecurrenceTests {
    static let rounds = max(200, CalendarFuzzTests.rounds / 10)

    struct Series: Sendable, CustomTestStringConvertible {
        var rule: String
        var start: String
        var days: [String]

        init(_ rule: String, _ start: String, _ days: String...) {
            (self.rule, self.start, self.days) = (rule, start, days)
        }

        var testDescription: String { "\(rule) from \(start)" }
    }

    @Test(
        "a series has the expected days",
        arguments: [
            Series("FREQ=DAILY", "2026-02-27", "2026-02-27", "2026-02-28", "2026-03-01"),
            Series("FREQ=WEEKLY;BYDAY=MO,TH", "2026-03-30", "2026-03-30", "2026-04-02", "2026-04-06"),
            Series("FREQ=MONTHLY;BYMONTHDAY=31", "2026-01-31", "2026-01-31", "2026-03-31", "2026-05-31"),
            Series("FREQ=MONTHLY;BYDAY=-1FR", "2026-01-30", "2026-01-30", "2026-02-27", "2026-03-27"),
            Series(
                "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2024-02-29", "2024-02-29", "2028-02-29", "2032-02-29"),
            Series("FREQ=WEEKLY;INTERVAL=2;COUNT=2", "2026-03-02", "2026-03-02", "2026-03-16"),
            Series("FREQ=DAILY;UNTIL=20260302", "2026-03-01", "2026-03-01", "2026-03-02"),
            Series(
                "freq=monthly", "2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z", "2026-04-01T09:00:00Z",
                "2026-05-01T09:00:00Z"),
            // Nine stays nine when the clocks change on the 29th.
            Series(
                "FREQ=WEEKLY", "2026-03-23T09:00:00[Europe/Paris]", "2026-03-23T09:00:00[Europe/Paris]",
                "2026-03-30T09:00:00[Europe/Paris]", "2026-04-06T09:00:00[Europe/Paris]"),
            // UNTIL is in UTC: nine in Paris, and nine in New York.
            Series(
                "FREQ=DAILY;UNTIL=20260312T080000Z", "2026-03-11T09:00:00[Europe/Paris]",
                "2026-03-11T09:00:00[Europe/Paris]", "2026-03-12T09:00:00[Europe/Paris]"),
            Series(
                "FREQ=DAILY;UNTIL=20260330T070000Z", "2026-03-29T09:00:00[Europe/Paris]",
                "2026-03-29T09:00:00[Europe/Paris]", "2026-03-30T09:00:00[Europe/Paris]"),
            Series(
                "FREQ=DAILY;UNTIL=20260312T120000Z", "2026-03-11T09:00:00[America/New_York]",
                "2026-03-11T09:00:00[America/New_York]"),
            // A day instead of a time is that whole day.
            Series(
                "FREQ=DAILY;UNTIL=20260312", "2026-03-11T09:00:00[Europe/Paris]",
                "2026-03-11T09:00:00[Europe/Paris]", "2026-03-12T09:00:00[Europe/Paris]"),
            Series(
                "FREQ=DAILY;UNTIL=20260312", "2026-03-11T09:00:00Z", "2026-03-11T09:00:00Z",
                "2026-03-12T09:00:00Z"),
            Series(
                "FREQ=DAILY;UNTIL=20260312T080000", "2026-03-11T09:00:00[Europe/Paris]",
                "2026-03-11T09:00:00[Europe/Paris]"),
        ])
    func falls(_ row: Series) throws {
        let start = try #require(TodoDate(row.start))
        let series = try Recurrence(row.rule)
        #expect(series.occurrences(from: start, limit: 3).map(\.text) == row.days)
        if row.days.count == 3 {
            #expect(series.next(after: try #require(TodoDate(row.days[1])), from: start)?.text == row.days[2])
        }
    }

    @Test(
        "a rule that tasks cannot have is refused at once",
        arguments: [
            ("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", RecurrenceError.tooOften("SECONDLY")),
            ("FREQ=MINUTELY", .tooOften("MINUTELY")), ("FREQ=HOURLY;COUNT=3", .tooOften("HOURLY")),
            ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", .neverFalls),
            ("FREQ=YEARLY;BYMONTH=4,6,9;BYMONTHDAY=31", .neverFalls),
            ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-30", .neverFalls),
            ("BYDAY=MO", .unreadable(part: "BYDAY=MO")), ("", .unreadable(part: "")),
            ("FREQ=DAILY;FREQ=DAILY", .unreadable(part: "FREQ=DAILY")),
            ("FREQ=DAILY;INTERVAL=0", .unreadable(part: "INTERVAL=0")),
            ("FREQ=DAILY;BYSECOND=1,2", .unreadable(part: "BYSECOND=1,2")),
            ("FREQ=WEEKLY;BYDAY=MO;X-FOO=1", .unreadable(part: "X-FOO=1")),
            ("FREQ=DAILY;BYMONTHDAY=0", .unreadable(part: "BYMONTHDAY=0")),
            // libical 3.0.16 crashes on the first and searches for ever for the second.
            ("FREQ=YEARLY;BYWEEKNO=-31,29", .unreadable(part: "BYWEEKNO=-31,29")),
            ("FREQ=DAILY;BYDAY=1SU", .unreadable(part: "BYDAY=1SU")),
            ("FREQ=FORTNIGHTLY", .unreadable(part: "FREQ=FORTNIGHTLY")),
            (String(repeating: "A", count: 2_000), .tooLong(maximum: 1_024)),
        ])
    func refused(_ rule: String, _ error: RecurrenceError) {
        #expect(throws: error) { try Recurrence(rule) }
    }

    @Test(
        "a rule whose days never exist has no occurrence, without asking libical",
        arguments: [
            "FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29", "FREQ=MONTHLY;BYDAY=53SU",
            "FREQ=MONTHLY;BYMONTHDAY=-13,-5;BYDAY=1FR", "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6",
            "FREQ=MONTHLY;BYSETPOS=-110",
        ])
    func emptyEnds(_ rule: String) throws {
        let series = try Recurrence(rule)
        #expect(series.occurrences(from: try #require(TodoDate("2025-01-01")), limit: 5).isEmpty)
    }

    /// The budget is looked at between two steps of libical, so one step must be short whatever the rule says.
    @Test("every accepted rule is expanded in bounded time")
    func bounded() {
        var random = SeededGenerator(seed: 7)
        var taken = 0
        for _ in 0..<Self.rounds {
            let rule = Self.rule(&random)
            guard let series = try? Recurrence(rule) else { continue }
            taken += 1
            let start = TodoDate.date(
                CalendarDate(daysSinceEpoch: Int64.random(in: 0...30_000, using: &random)))
            let begin = ContinuousClock.now
            let found = series.occurrences(from: start, limit: 20)
            // Two hundred times the budget: other programs share this machine.
            #expect(.now - begin < Recurrence.Bounds.time * 200, "\(rule) from \(start.text)")
            #expect(found.count <= 20)
        }
        #expect(taken > Self.rounds / 20)
    }

    /// Where libical and our counting disagree nothing is expanded; for what programs write they agree.
    @Test(
        "libical and opus compute the same days",
        arguments: [
            "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,SU", "FREQ=MONTHLY;INTERVAL=5",
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=MONTHLY;BYDAY=2TU,-1SU", "FREQ=YEARLY",
            "FREQ=MONTHLY;BYMONTHDAY=1,15,-1", "FREQ=YEARLY;BYMONTH=3,9", "FREQ=YEARLY;BYDAY=20MO",
            "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "FREQ=DAILY;BYMONTH=1,12", "FREQ=YEARLY;BYYEARDAY=1,100,-1",
            "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", "FREQ=WEEKLY;BYMONTH=6;BYDAY=SA",
        ])
    func agree(_ rule: String) throws {
        let start = try #require(CalendarDate("2023-11-30"))
        var days = RecurrenceDays(try RecurrenceParts(rule), start: start, from: start, years: 10)
        let counted = (0..<12).compactMap { _ in days.next() }
        #expect(counted.count >= 10)
        #expect(
            try Recurrence(rule).occurrences(from: .date(start), limit: counted.count)
                == counted.map { .date($0) })
    }

    static func rule(_ random: inout SeededGenerator) -> String {
        let numbers = { (range: ClosedRange<Int>, most: Int, random: inout SeededGenerator) in
            (0...Int.random(in: 0..<most, using: &random)).map { _ in
                "\(Int.random(in: range, using: &random))"
            }
            .joined(separator: ",")
        }
        var parts = [
            "FREQ=" + (["DAILY", "WEEKLY", "MONTHLY", "YEARLY"].randomElement(using: &random) ?? "")
        ]
        let choices: [(String, ClosedRange<Int>, Int)] = [
            ("INTERVAL", 1...1_000, 1), ("COUNT", 1...100, 1), ("BYMONTH", 1...12, 3),
            ("BYMONTHDAY", -31...31, 3), ("BYYEARDAY", -366...366, 3), ("BYSETPOS", -366...366, 2),
            ("BYHOUR", 0...23, 1), ("BYSECOND", 0...60, 1),
        ]
        for (name, range, most) in choices where Int.random(in: 0..<4, using: &random) == 0 {
            parts.append("\(name)=" + numbers(range, most, &random))
        }
        if Bool.random(using: &random) {
            let day = ["MO", "WE", "SU"].randomElement(using: &random) ?? ""
            parts.append("BYDAY=" + (["", "1", "-1", "5", "53"].randomElement(using: &random) ?? "") + day)
        }
        return parts.joined(separator: ";")
    }
}
