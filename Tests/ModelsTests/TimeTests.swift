import Models
import Testing

@Suite struct TimeTests {
    @Test(
        "RFC 3339 times are read, and written in UTC",
        arguments: [
            ("2026-03-10T08:30:00Z", "2026-03-10T08:30:00Z"),
            ("2026-03-10T09:30:00+01:00", "2026-03-10T08:30:00Z"),
            ("2026-03-10t09:30:00.250+01:00", "2026-03-10T08:30:00Z"),
            ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
            ("2024-02-29T00:00:00-23:59", "2024-02-29T23:59:00Z"),
        ])
    func rfc3339(_ text: String, _ utc: String) {
        #expect(Timestamp(rfc3339: text)?.rfc3339 == utc)
    }

    @Test(
        "text that is not an RFC 3339 time is refused",
        arguments: [
            "", "2026-03-10", "2026-02-30T00:00:00Z", "2026-03-10T24:00:00Z", "2026-03-10T00:00:00",
            "2026-03-10T00:00:00+1:00", "2026-03-10 00:00:00Z", "٢٠٢٦-03-10T00:00:00Z",
        ])
    func refused(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("days are counted both ways over four centuries, with their weekdays")
    func days() throws {
        var previous: CalendarDate?
        for days in stride(from: Int64(-60_000), through: 90_000, by: 1) {
            let date = CalendarDate(daysSinceEpoch: days)
            #expect(date.daysSinceEpoch == days)
            if let previous {
                #expect(previous < date)
                #expect(date.weekday == previous.weekday % 7 + 1)
            }
            previous = date
        }
        #expect(try #require(CalendarDate("2026-03-10")).weekday == 2)
    }

    @Test("a mailbox name is kept byte for byte in JSON, even if it is not UTF-8")
    func mailboxName() throws {
        let odd = MailboxName(bytes: [0x26, 0xFF, 0x2D])
        #expect(odd == MailboxName(bytes: odd.bytes))
        #expect(MailboxName("Entw&APw-rfe").description == "Entw&APw-rfe")
    }
}
