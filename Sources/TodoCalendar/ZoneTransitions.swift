import Models

/// A change of a zone's clocks, as an observance of RFC 5545 §3.6.5 needs it.
struct ZoneTransition: Equatable, Sendable {
    /// The old wall-clock time at the change.
    var local: LocalDateTime
    /// Seconds east of UTC.
    var before: Int
    var after: Int

    /// The number of its weekday in the month; negative, from the end, if it can be the last one.
    var ordinal: Int {
        let isLast = local.date.day + 7 > Self.length(of: local.date)
        return isLast ? -1 : (local.date.day - 1) / 7 + 1
    }

    /// `SU`
    var weekday: String {
        // 1970-01-01 was a Thursday.
        let names = ["TH", "FR", "SA", "SU", "MO", "TU", "WE"]
        return names[Int((local.date.daysSinceEpoch % 7 + 7) % 7)]
    }

    /// Whether both changes have the same weekday of the same month and the same time.
    func isYearly(with other: ZoneTransition) -> Bool {
        local.date.month == other.local.date.month && weekday == other.weekday
            && local.clock == other.local.clock && before == other.before && after == other.after
    }

    private static func length(of date: CalendarDate) -> Int {
        (28...31).reversed().first { CalendarDate(year: date.year, month: date.month, day: $0) != nil } ?? 28
    }
}

extension ZoneTransition {
    /// All changes in these years, in order. Checks every day, and then finds the exact time by halving.
    static func all(of tzid: String, years: ClosedRange<Int>) -> [ZoneTransition]? {
        guard let first = CalendarDate(year: years.lowerBound, month: 1, day: 1)?.daysSinceEpoch,
            let end = CalendarDate(year: years.upperBound + 1, month: 1, day: 1)?.daysSinceEpoch,
            var offset = ZoneClock.offset(of: tzid, at: first * 86_400)
        else { return nil }
        var found: [ZoneTransition] = []
        for day in first..<end {
            guard let next = ZoneClock.offset(of: tzid, at: (day + 1) * 86_400) else { return nil }
            guard next != offset else { continue }
            let moment = change(of: tzid, from: offset, in: day * 86_400...(day + 1) * 86_400)
            found.append(
                ZoneTransition(
                    local: LocalDateTime(secondsSinceEpoch: moment + Int64(offset)), before: offset,
                    after: next))
            offset = next
        }
        return found
    }

    private static func change(of tzid: String, from offset: Int, in day: ClosedRange<Int64>) -> Int64 {
        var (low, high) = (day.lowerBound, day.upperBound)
        while high - low > 1 {
            let middle = (low + high) / 2
            if ZoneClock.offset(of: tzid, at: middle) == offset { low = middle } else { high = middle }
        }
        return high
    }
}
