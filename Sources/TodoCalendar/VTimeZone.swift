import CLibical
import Models

/// The definition of a time zone for a `TZID`, as far as a current task needs it. RFC 5545 §3.6.5.
///
/// libical's definitions begin in 1891 and have 4 KB. This one begins two years before the task: one rule if the zone
/// has the same changes every year (last Sunday of March), otherwise the changes of the next ten years.
enum VTimeZone {
    private static let yearsBefore = 2
    private static let yearsAfter = 10

    /// A VTIMEZONE component, which the caller frees; nil: the system does not have the zone.
    static func component(_ tzid: String, year: Int) -> OpaquePointer? {
        guard let text = text(tzid, year: year) else { return nil }
        let component = Libical.parse(Array(text.utf8))
        guard let component, icalcomponent_count_errors(component) == 0 else {
            component.map(icalcomponent_free)
            return nil
        }
        return component
    }

    private static func text(_ tzid: String, year: Int) -> String? {
        let first = min(max(year - yearsBefore, 1970), 9_000)
        guard let start = CalendarDate(year: first, month: 1, day: 1)?.daysSinceEpoch,
            let offset = ZoneClock.offset(of: tzid, at: start * 86_400),
            let changes = ZoneTransition.all(of: tzid, years: first...first + yearsBefore + yearsAfter)
        else { return nil }
        var lines = ["BEGIN:VTIMEZONE", "TZID:\(tzid)"]
        if let (one, other) = yearly(changes, years: yearsBefore + yearsAfter + 1) {
            lines += observance(one, rule: true) + observance(other, rule: true)
        } else {
            let beginning = ZoneTransition(
                local: LocalDateTime(secondsSinceEpoch: start * 86_400), before: offset, after: offset)
            lines += observance(beginning, rule: false)
            for change in changes { lines += observance(change, rule: false) }
        }
        return (lines + ["END:VTIMEZONE", ""]).joined(separator: "\r\n")
    }

    /// The two changes of the first year, if every year has the same two.
    private static func yearly(
        _ changes: [ZoneTransition], years: Int
    ) -> (ZoneTransition, ZoneTransition)? {
        guard changes.count == 2 * years else { return nil }
        let sides = [0, 1].map { side in
            stride(from: side, to: changes.count, by: 2).map { changes[$0] }
        }
        for side in sides {
            guard let first = side.first, side.allSatisfy({ $0.isYearly(with: first) }),
                // The second Sunday may be the last but two. A rule requires the same number in every year.
                Set(side.map(\.ordinal)).count == 1
            else { return nil }
        }
        return (changes[0], changes[1])
    }

    private static func observance(_ change: ZoneTransition, rule: Bool) -> [String] {
        let kind = change.after > change.before ? "DAYLIGHT" : "STANDARD"
        var lines = [
            "BEGIN:\(kind)", "DTSTART:\(CalendarDates.basic(change.local))",
            "TZOFFSETFROM:\(offset(change.before))", "TZOFFSETTO:\(offset(change.after))",
        ]
        if rule {
            lines.append(
                "RRULE:FREQ=YEARLY;BYMONTH=\(change.local.date.month);BYDAY=\(change.ordinal)\(change.weekday)"
            )
        }
        return lines + ["END:\(kind)"]
    }

    /// `+0100`, `-0330`, `+091859`.
    private static func offset(_ seconds: Int) -> String {
        let parts =
            [abs(seconds) / 3_600, abs(seconds) / 60 % 60] + (seconds % 60 == 0 ? [] : [abs(seconds) % 60])
        return (seconds < 0 ? "-" : "+") + parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
    }
}
