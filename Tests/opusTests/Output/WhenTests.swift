import Models
import Pipeline
import Testing

@testable import opus

@Suite("When")
struct WhenTests {
    /// Tuesday 10 March 2026, 08:30 in Paris.
    private let now = Timestamp(seconds: 1_773_127_800)
    private var when: When { When(zone: ZoneClock(zone: "Europe/Paris"), now: now) }

    @Test(
        "an age is one number and one letter",
        arguments: [
            (-90, "now"), (0, "now"), (59, "now"), (60, "1m"), (3_599, "59m"), (3_600, "1h"), (86_399, "23h"),
            (86_400, "1d"), (13 * 86_400, "13d"), (14 * 86_400, "2w"), (364 * 86_400, "52w"),
            (365 * 86_400, "1y"),
            (20 * 365 * 86_400, "20y"),
        ] as [(Int64, String)])
    func age(_ seconds: Int64, _ words: String) {
        #expect(when.age(now - seconds) == words)
    }

    @Test("a day has its year only if it is another year")
    func day() throws {
        #expect(when.day(try #require(CalendarDate("2026-03-31"))) == "Tue 31 Mar")
        #expect(when.day(try #require(CalendarDate("2027-01-01"))) == "Fri 1 Jan 2027")
    }

    @Test("a time is shown in the workspace's zone, with its summer time")
    func moment() throws {
        #expect(when.moment(try #require(Timestamp(rfc3339: "2026-03-14T09:00:00Z"))) == "Sat 14 Mar 10:00")
        #expect(when.moment(try #require(Timestamp(rfc3339: "2026-04-01T22:30:00Z"))) == "Thu 2 Apr 00:30")
    }

    @Test("in JSON a date is plain, and a time has its offset")
    func machine() throws {
        let date = try #require(CalendarDate("2026-03-31"))
        #expect(when.machine(.date(date)) == "2026-03-31")
        #expect(when.machine(.instant(Timestamp(seconds: now.seconds))) == "2026-03-10T08:30:00+01:00")
        #expect(
            when.machine(.local(LocalDateTime(date: date, hour: 17, minute: 0), zone: nil))
                == "2026-03-31T17:00:00")
    }

    @Test("the date of a task is shown as a day, or as a day and a time")
    func todoDate() throws {
        let date = try #require(CalendarDate("2026-03-31"))
        #expect(when.text(.date(date)) == "Tue 31 Mar")
        #expect(
            when.text(.local(LocalDateTime(date: date, hour: 17, minute: 5), zone: nil)) == "Tue 31 Mar 17:05"
        )
    }

    @Test("an unknown zone is UTC")
    func unknownZone() {
        let when = When(zone: ZoneClock(zone: "Nowhere/Else"), now: now)
        #expect(when.moment(now) == "Tue 10 Mar 07:30")
    }
}
