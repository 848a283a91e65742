import Models
import Testing

@testable import TodoCalendar

@Suite struct DueAfterStartTests {
    private static let zone = "Europe/Paris"

    private func instant(_ text: String) throws -> TodoDate {
        .instant(try #require(Timestamp(rfc3339: text)))
    }

    private func day(_ text: String) throws -> TodoDate { .date(try #require(CalendarDate(text))) }

    @Test("a due date after the start stays")
    func fits() throws {
        for (due, start) in [
            (try day("2026-03-17"), try day("2026-03-16")),
            (try instant("2026-03-16T17:00:00+01:00"), try day("2026-03-16")),
            (try instant("2026-03-16T17:00:00+01:00"), try instant("2026-03-16T16:59:00+01:00")),
        ] {
            #expect(DueAfterStart.moved(due, behind: start, timeZone: Self.zone) == nil)
        }
    }

    @Test("a due date that is not after the start moves to the next day, or keeps its time of day")
    func moves() throws {
        for (due, start, expected) in [
            (try day("2026-03-16"), try day("2026-03-16"), try day("2026-03-17")),
            (try day("2025-12-01"), try day("2026-03-16"), try day("2026-03-17")),
            (try day("2026-03-10"), try instant("2026-03-16T23:30:00+01:00"), try day("2026-03-17")),
            (
                try instant("2026-03-10T17:00:00+01:00"), try day("2026-03-16"),
                try instant("2026-03-16T17:00:00+01:00")
            ),
            // Over the night in which clocks go forward the time of day stays.
            (
                try instant("2026-03-10T17:00:00+01:00"), try instant("2026-03-28T18:00:00+01:00"),
                try instant("2026-03-29T17:00:00+02:00")
            ),
            (
                TodoDate.local(
                    LocalDateTime(date: try #require(CalendarDate("2026-03-10")), secondOfDay: 0), zone: nil),
                try day("2026-03-16"),
                TodoDate.local(
                    LocalDateTime(date: try #require(CalendarDate("2026-03-17")), secondOfDay: 0), zone: nil)
            ),
        ] {
            #expect(DueAfterStart.moved(due, behind: start, timeZone: Self.zone) == expected)
        }
    }
}
