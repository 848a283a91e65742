import Models
import TestSupport
import Testing

@testable import Rules

@Suite struct DatePhraseTests {
    /// Friday 13 March 2026, 10:30 in Paris.
    static let now = Timestamp(seconds: 1_773_394_200)

    private func spelled(
        _ phrase: String, now: Timestamp = now, zone: String = "Europe/Paris", dayFirst: Bool = true
    )
        -> String
    {
        switch DatePhrase.resolve(phrase, now: now, timeZone: zone, dayFirst: dayFirst) {
        case .date(let day): return day.description
        case .instant(let time):
            guard let local = Zone(zone)?.local(time) else { return "no zone" }
            return "\(local.date) \(local.clock)"
        case .local: return "local"
        case nil: return "nil"
        }
    }

    @Test("business days are those of the workspace")
    func businessDays() {
        let sundayToThursday: Set<Int> = [7, 1, 2, 3, 4]
        let found = DatePhrase.resolve(
            "+1 business day", now: Self.now, timeZone: "Europe/Paris", businessDays: sundayToThursday)
        #expect(found == CalendarDate(year: 2026, month: 3, day: 15).map { .date($0) })
    }

    @Test(
        "every phrase of the grammar is read",
        arguments: [
            ("today", "2026-03-13"), ("Tomorrow", "2026-03-14"), ("yesterday", "2026-03-12"),
            ("tonight", "2026-03-13 20:00:00"), ("friday", "2026-03-20"), ("sat", "2026-03-14"),
            ("monday", "2026-03-16"), ("next friday", "2026-03-20"), ("next monday", "2026-03-16"),
            ("next sunday", "2026-03-22"), ("next week", "2026-03-16"), ("next month", "2026-04-01"),
            ("EOD", "2026-03-13 18:00:00"), ("EOW", "2026-03-13"), ("eom", "2026-03-31"),
            ("+3 days", "2026-03-16"), ("3 days", "2026-03-16"), ("in 3 days", "2026-03-16"),
            ("+3d", "2026-03-16"),
            ("+14 days", "2026-03-27"), ("2 weeks", "2026-03-27"), ("+1 month", "2026-04-13"),
            ("+1 year", "2027-03-13"), ("+3 business days", "2026-03-18"), ("1 business day", "2026-03-16"),
            ("3bd", "2026-03-18"), ("+1bd", "2026-03-16"), ("2 bd before 31 March", "2026-03-27"),
            ("+5 working days", "2026-03-20"), ("in 2 hours", "2026-03-13 12:30:00"),
            ("90 minutes", "2026-03-13 12:00:00"), ("P3D", "2026-03-16"), ("p1w", "2026-03-20"),
            ("PT2H", "2026-03-13 12:30:00"), ("P1Y2M3D", "2027-05-16"), ("3 days ago", "2026-03-10"),
            ("-3 days", "2026-03-10"), ("a week", "2026-03-20"),
            ("3 days before 2026-03-31", "2026-03-28"), ("1 week after friday", "2026-03-27"),
            ("2 business days before 31 March", "2026-03-27"),
            ("2 hours before 2026-03-31 17:00", "2026-03-31 15:00:00"),
            ("2026-03-31", "2026-03-31"), ("2026-03-31 17:00", "2026-03-31 17:00:00"),
            ("2026-03-31T17:00", "2026-03-31 17:00:00"), ("2026-03-31T17:00:00+02:00", "2026-03-31 17:00:00"),
            ("31 March", "2026-03-31"), ("31st of March 2027", "2027-03-31"),
            ("March 31, 2026", "2026-03-31"),
            ("1 March", "2027-03-01"), ("13 March", "2026-03-13"), ("29 February", "2028-02-29"),
            ("31/03/2026", "2026-03-31"), ("31.3.26", "2026-03-31"), ("04/05/2026", "2026-05-04"),
            ("31/03", "2026-03-31"), ("9am", "2026-03-14 09:00:00"), ("11am", "2026-03-13 11:00:00"),
            ("12am", "2026-03-14 00:00:00"), ("12:30pm", "2026-03-13 12:30:00"),
            ("09:30", "2026-03-14 09:30:00"),
            ("10:30", "2026-03-14 10:30:00"), ("noon", "2026-03-13 12:00:00"),
            ("at 5 pm", "2026-03-13 17:00:00"),
            ("tomorrow 9am", "2026-03-14 09:00:00"), ("friday at 17:00", "2026-03-13 17:00:00"),
            ("friday 10:30", "2026-03-20 10:30:00"), ("this friday 10:31", "2026-03-13 10:31:00"),
            ("friday 08:00", "2026-03-20 08:00:00"), ("next friday 17:00", "2026-03-20 17:00:00"),
            ("saturday 17:00", "2026-03-14 17:00:00"), ("1 week after friday 17:00", "2026-03-20 17:00:00"),
            ("31 March 17:00", "2026-03-31 17:00:00"), ("+3 days 09:00", "2026-03-16 09:00:00"),
            ("next monday noon", "2026-03-16 12:00:00"),
        ])
    func phrase(_ phrase: String, _ expected: String) {
        #expect(spelled(phrase) == expected)
    }

    @Test(
        "text that is not a date is not guessed",
        arguments: [
            "", "soon", "31", "2026", "2026-02-30", "32 March", "31 June 2026", "25:00", "13pm", "0am",
            "9:60",
            "next", "next banana", "in", "+", "3", "3 apples", "days", "before friday", "3 days before",
            "tomorrow tomorrow", "P", "PT", "P3", "PD", "31/13/2026", "1/2/3/4", "friday 25:00",
            "99999 years",
            "3 business weeks", "noon noon", "2026-03-31 17:00 x",
        ])
    func refused(_ phrase: String) {
        #expect(spelled(phrase) == "nil")
    }

    @Test("the month is first if the workspace says so, but never with dots")
    func order() {
        #expect(spelled("04/05/2026", dayFirst: false) == "2026-04-05")
        #expect(spelled("04.05.2026", dayFirst: false) == "2026-05-04")
    }

    @Test(
        "a local time that does not exist moves forward, and an ambiguous one is the first",
        arguments: [
            ("2026-03-29 02:30", "Europe/Paris", "2026-03-29T01:30:00Z"),
            ("2026-03-29 01:59", "Europe/Paris", "2026-03-29T00:59:00Z"),
            ("2026-03-29 03:00", "Europe/Paris", "2026-03-29T01:00:00Z"),
            ("2026-10-25 02:30", "Europe/Paris", "2026-10-25T00:30:00Z"),
            ("2026-10-25 03:00", "Europe/Paris", "2026-10-25T02:00:00Z"),
            ("2026-03-08 02:15", "America/New_York", "2026-03-08T07:15:00Z"),
            ("2026-10-04 02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00Z"),
            ("2026-03-29 02:30", "UTC", "2026-03-29T02:30:00Z"),
        ])
    func daylightSaving(_ phrase: String, _ zone: String, _ utc: String) {
        guard case .instant(let time)? = DatePhrase.resolve(phrase, now: Self.now, timeZone: zone) else {
            Issue.record("no instant")
            return
        }
        #expect(time.rfc3339 == utc)
    }

    @Test("days keep the time of day when clocks change, hours do not")
    func offsets() throws {
        let now = try #require(Timestamp(rfc3339: "2026-03-28T11:00:00Z"))
        #expect(spelled("+1 day 12:00", now: now) == "2026-03-29 12:00:00")
        #expect(spelled("in 24 hours", now: now) == "2026-03-29 13:00:00")
        #expect(spelled("1 day before 2026-03-29 12:00", now: now) == "2026-03-28 12:00:00")
    }

    @Test("the end of a month stays in the month")
    func months() throws {
        let now = try #require(Timestamp(rfc3339: "2026-01-31T11:00:00Z"))
        #expect(spelled("+1 month", now: now) == "2026-02-28")
        #expect(spelled("+13 months", now: now) == "2027-02-28")
        #expect(spelled("eow", now: now) == "2026-02-06")
    }

    @Test("a deferral until a day ends at 08:00 of that day")
    func morning() throws {
        let day = try #require(CalendarDate("2026-03-16"))
        #expect(
            DatePhrase.instant(of: .date(day), timeZone: "Europe/Paris")?.rfc3339 == "2026-03-16T07:00:00Z")
        #expect(DatePhrase.instant(of: .date(day), timeZone: "No/Where") == nil)
        // Names of time zones in calendar files; a time in an unknown zone counts in the given one.
        let nine = LocalDateTime(date: day, hour: 9, minute: 0, second: 0)
        for (name, time) in [
            ("W. Europe Standard Time", "08:00"), ("/citadel.org/20260101_1/Asia/Tokyo", "00:00"),
            ("Customized Time Zone", "13:00"),
        ] {
            let instant = DatePhrase.instant(of: .local(nine, zone: name), timeZone: "America/New_York")
            #expect(instant?.rfc3339 == "2026-03-16T\(time):00Z")
        }
    }

    @Test("random words never crash the reader, and every date is in range")
    func fuzz() {
        var random = SeededGenerator(seed: 99)
        let bits = [
            "next", "friday", "3", "days", "before", "after", "+", "-", "in", "ago", "31", "march", "/", ".",
            ":",
            "2026-03-31", "9am", "17:00", "noon", "business", "99999", "years", "P", "3D", "T", "at", " ",
            "the", "é",
        ]
        var found = 0
        for _ in 0..<30_000 {
            let text = (0..<random.below(7)).map { _ in bits[random.below(bits.count)] }
                .joined(separator: random.below(3) == 0 ? "" : " ")
            if spelled(text) != "nil" { found += 1 }
        }
        #expect(found > 100)
    }
}
