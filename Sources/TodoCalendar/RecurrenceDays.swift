import Models

/// The dates of a repeat rule, computed by counting: each period is checked once. RFC 5545 §3.3.10.
///
/// libical's iterator searches forever for a date that does not exist (`FREQ=MONTHLY;BYDAY=53SU`). So libical is asked
/// only if this finds an occurrence, and both must find the same date.
struct RecurrenceDays: IteratorProtocol {
    private let parts: RecurrenceParts
    private let start: CalendarDate
    private let horizon: Int64
    /// The next period to check.
    private var period: Int64 = 0
    private var found: [CalendarDate] = []
    private var left: Int

    /// The search ends `years` years after `from`.
    init(_ parts: RecurrenceParts, start: CalendarDate, from: CalendarDate, years: Int) {
        self.parts = parts
        self.start = start
        horizon = max(from, start).daysSinceEpoch + Int64(years) * 366
        left = parts.count ?? Int.max
    }

    mutating func next() -> CalendarDate? {
        while found.isEmpty {
            let (first, length) = days(of: period)
            guard left > 0, first <= horizon else { return nil }
            period += Int64(parts.interval)
            var matching: [CalendarDate] = []
            for day in first..<first + Int64(length) {
                let date = CalendarDate(daysSinceEpoch: day)
                if matches(date) { matching.append(date) }
            }
            found = selected(matching).filter { $0 >= start }
        }
        left -= 1
        return left >= 0 ? found.removeFirst() : nil
    }

    /// The first day of a period, counted from that of the start, and its length in days.
    private func days(of period: Int64) -> (first: Int64, length: Int) {
        switch parts.frequency {
        case .daily:
            return (start.daysSinceEpoch + period, 1)
        case .weekly:
            let back = (Self.weekday(start) - parts.weekStart + 7) % 7
            return (start.daysSinceEpoch - Int64(back) + period * 7, 7)
        case .monthly:
            let month = Int64(start.year) * 12 + Int64(start.month) - 1 + period
            let first = Self.first(year: Int(month / 12), month: Int(month % 12) + 1)
            let next = Self.first(year: Int((month + 1) / 12), month: Int((month + 1) % 12) + 1)
            return (first, Int(min(next - first, 31)))
        case .yearly:
            let year = start.year + Int(period)
            let first = Self.first(year: year, month: 1)
            return (first, Int(min(Self.first(year: year + 1, month: 1) - first, 366)))
        }
    }

    private static func first(year: Int, month: Int) -> Int64 {
        CalendarDate(year: year, month: month, day: 1)?.daysSinceEpoch ?? Int64.max / 2
    }

    private func selected(_ days: [CalendarDate]) -> [CalendarDate] {
        guard !parts.positions.isEmpty else { return days }
        return days.indices.filter {
            parts.positions.contains($0 + 1) || parts.positions.contains($0 - days.count)
        }.map { days[$0] }
    }

    private func matches(_ day: CalendarDate) -> Bool {
        guard parts.months.isEmpty || parts.months.contains(day.month) else { return false }
        guard isNumbered(day) else { return false }
        if !parts.weekdays.isEmpty { return parts.weekdays.contains { $0.matches(day, in: span(day)) } }
        // Parts that the rule does not set come from the start.
        let hasDay = !parts.monthDays.isEmpty || !parts.yearDays.isEmpty
        switch parts.frequency {
        case .daily: return true
        case .weekly: return Self.weekday(day) == Self.weekday(start)
        case .monthly: return hasDay || day.day == start.day
        case .yearly:
            return hasDay || (day.day == start.day && (!parts.months.isEmpty || day.month == start.month))
        }
    }

    private func isNumbered(_ day: CalendarDate) -> Bool {
        let month = Self.first(year: day.year, month: day.month)
        let next =
            day.month == 12
            ? Self.first(year: day.year + 1, month: 1) : Self.first(year: day.year, month: day.month + 1)
        let january = Self.first(year: day.year, month: 1)
        let number = day.daysSinceEpoch
        return Self.holds(parts.monthDays, number - month, number - next)
            && Self.holds(parts.yearDays, number - january, number - Self.first(year: day.year + 1, month: 1))
    }

    private static func holds(_ numbers: [Int], _ forward: Int64, _ backward: Int64) -> Bool {
        numbers.isEmpty || numbers.contains(Int(forward) + 1) || numbers.contains(Int(backward))
    }

    /// The range for the number of a weekday: the month, or the year if the rule names no month.
    private func span(_ day: CalendarDate) -> (first: Int64, end: Int64) {
        if parts.frequency == .yearly, parts.months.isEmpty {
            return (Self.first(year: day.year, month: 1), Self.first(year: day.year + 1, month: 1))
        }
        let end =
            day.month == 12
            ? Self.first(year: day.year + 1, month: 1) : Self.first(year: day.year, month: day.month + 1)
        return (Self.first(year: day.year, month: day.month), end)
    }

    /// 0 is Monday.
    static func weekday(_ day: CalendarDate) -> Int { Int(((day.daysSinceEpoch + 3) % 7 + 7) % 7) }
}

/// `MO`, `2TU`, `-1FR`: a weekday and its number in a month or year; 0: every one.
struct NumberedWeekday: Hashable {
    /// 0 is Monday.
    var weekday: Int
    var number: Int

    init?(_ text: Substring) {
        let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
        guard let weekday = names.firstIndex(of: String(text.suffix(2))) else { return nil }
        self.weekday = weekday
        let digits = text.dropLast(2)
        guard digits.isEmpty || Int(digits).map({ $0 != 0 && (-53...53).contains($0) }) == true else {
            return nil
        }
        number = Int(digits) ?? 0
    }

    func matches(_ day: CalendarDate, in span: (first: Int64, end: Int64)) -> Bool {
        guard RecurrenceDays.weekday(day) == weekday else { return false }
        if number == 0 { return true }
        let place = number > 0 ? day.daysSinceEpoch - span.first : span.end - 1 - day.daysSinceEpoch
        return Int(place) / 7 + 1 == abs(number)
    }
}
