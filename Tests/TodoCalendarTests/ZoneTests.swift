import CLibical
import Foundation
import Models
import Testing

@testable import TodoCalendar

@Suite struct ZoneTests {
    @Test("every Windows zone name maps to a zone of the system")
    func windows() {
        #expect(WindowsZones.names.count == 139)
        for (name, zone) in WindowsZones.names {
            #expect(TimeZone(identifier: zone) != nil, "\(name)")
            #expect(ZoneClock.name(of: name) == zone)
        }
    }

    @Test("a time in a Windows zone is converted, one in an unknown zone is not")
    func moments() throws {
        let nine = LocalDateTime(
            date: try #require(CalendarDate("2026-07-01")), hour: 9, minute: 0, second: 0)
        #expect(ZoneClock.instant(of: nine, in: "W. Europe Standard Time")?.rfc3339 == "2026-07-01T07:00:00Z")
        #expect(ZoneClock.instant(of: nine, in: "India Standard Time")?.rfc3339 == "2026-07-01T03:30:00Z")
        #expect(
            ZoneClock.instant(of: nine, in: "/freeassociation.sourceforge.net/Europe/Paris")?.rfc3339
                == "2026-07-01T07:00:00Z")
        #expect(ZoneClock.instant(of: nine, in: "Kamchatka Standard Time") == nil)
        #expect(ZoneClock.instant(of: nine, in: "Customized Time Zone 1") == nil)
    }

    @Test(
        "the time zone definition that opus writes agrees with the system for ten years",
        arguments: [
            "Europe/Paris", "America/New_York", "Europe/Dublin", "Asia/Tokyo", "America/Sao_Paulo",
            "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia",
            "Asia/Gaza", "America/Santiago", "UTC",
        ])
    func definition(_ zone: String) throws {
        let wrong = CalendarThread.run { () -> [String] in
            guard let component = VTimeZone.component(zone, year: 2026), let made = icaltimezone_new() else {
                return ["no definition"]
            }
            // The zone owns the component.
            icaltimezone_set_component(made, component)
            defer { icaltimezone_free(made, 1) }
            let first = CalendarDate(year: 2025, month: 1, day: 1)?.daysSinceEpoch ?? 0
            return (first..<first + 3_650).compactMap { day in
                let noon = LocalDateTime(secondsSinceEpoch: day * 86_400 + 43_200)
                var time = CalendarDates.time(.local(noon, zone: nil))
                let offset = icaltimezone_get_utc_offset(made, &time, nil)
                let wanted = ZoneClock.instant(of: noon, in: zone).map {
                    noon.secondsSinceEpoch - $0.seconds
                }
                return wanted == Int64(offset) ? nil : "\(noon.date): \(offset), not \(wanted ?? 0)"
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
    }

    @Test("a definition is small, and depends on the zone alone")
    func small() {
        let text = CalendarThread.run { () -> String in
            guard let component = VTimeZone.component("Europe/Paris", year: 2026) else { return "" }
            defer { icalcomponent_free(component) }
            return Libical.take(icalcomponent_as_ical_string_r(component)) ?? ""
        }
        #expect(
            text.replacing("\r\n", with: "\n") == """
                BEGIN:VTIMEZONE
                TZID:Europe/Paris
                BEGIN:DAYLIGHT
                DTSTART:20240331T020000
                TZOFFSETFROM:+0100
                TZOFFSETTO:+0200
                RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
                END:DAYLIGHT
                BEGIN:STANDARD
                DTSTART:20241027T030000
                TZOFFSETFROM:+0200
                TZOFFSETTO:+0100
                RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
                END:STANDARD
                END:VTIMEZONE

                """)
    }
}

@Suite struct CalendarThreadTests {
    @Test("all work is done on one thread, and nested work runs at once")
    func oneThread() async {
        let names = await withTaskGroup(of: UInt64.self) { group in
            for _ in 0..<50 {
                group.addTask { CalendarThread.run { CalendarThread.run { UInt64(pthread_self()) } } }
            }
            return await group.reduce(into: Set<UInt64>()) { $0.insert($1) }
        }
        #expect(names.count == 1)
    }

    @Test("an error is thrown to the caller unchanged")
    func errors() {
        #expect(throws: CalendarError(.noUID)) {
            try CalendarThread.run { () throws(CalendarError) -> Int in throw CalendarError(.noUID) }
        }
    }
}
