import Models

/// A step along the calendar: `3 days`, `-2 business days`, `1 month`, `90 minutes`.
struct DateOffset {
    private var months: Int64 = 0
    private var days: Int64 = 0
    private var businessDays: Int64 = 0
    private var seconds: Int64 = 0

    init(count: Int64, unit: DateWords.Unit) {
        switch unit {
        case .minute: seconds = count * 60
        case .hour: seconds = count * 3_600
        case .day: days = count
        case .businessDay: businessDays = count
        case .week: days = count * 7
        case .month: months = count
        case .year: months = count * 12
        }
    }

    init(_ duration: ISODuration) {
        months = Int64(duration.months)
        days = Int64(duration.days)
        seconds = duration.seconds
    }

    var reversed: DateOffset {
        var result = self
        result.months = -months
        result.days = -days
        result.businessDays = -businessDays
        result.seconds = -seconds
        return result
    }

    /// Days keep the time of day. Hours and minutes are elapsed time, counted from now if the base is a date.
    func apply(to base: TodoDate, clock: DateClock) -> TodoDate? {
        switch base {
        case .date(let day):
            guard let moved = move(day, clock) else { return nil }
            guard seconds != 0 else { return .date(moved) }
            let start =
                moved == clock.today ? clock.now : clock.instantTime(moved, secondOfDay: clock.secondOfDay)
            return .instant(start + seconds)
        case .instant(let time):
            let local = clock.zone.local(time)
            guard let moved = move(local.date, clock) else { return nil }
            return .instant(clock.instantTime(moved, secondOfDay: local.secondOfDay) + seconds)
        case .local: return nil
        }
    }

    private func move(_ day: CalendarDate, _ clock: DateClock) -> CalendarDate? {
        guard let shifted = Self.adding(months: months, to: day) else { return nil }
        var result = CalendarDate(daysSinceEpoch: shifted.daysSinceEpoch + days)
        var left = min(abs(businessDays), 10_000)
        while left > 0 {
            result = result.adding(days: businessDays < 0 ? -1 : 1)
            if clock.businessDays.contains(result.weekday) { left -= 1 }
        }
        return result
    }

    /// 31 January + 1 month is the last day of February.
    static func adding(months: Int64, to day: CalendarDate?) -> CalendarDate? {
        guard let day, months != 0 else { return day }
        let total = Int64(day.year) * 12 + Int64(day.month - 1) + months
        guard total > 0 else { return nil }
        let (year, month) = (Int(total / 12), Int(total % 12) + 1)
        return CalendarDate(
            year: year, month: month, day: min(day.day, CalendarDate.length(ofMonth: month, year: year)))
    }
}

extension DateClock {
    var secondOfDay: Int { zone.local(now).secondOfDay }

    func instantTime(_ day: CalendarDate, secondOfDay: Int) -> Timestamp {
        zone.instant(LocalDateTime(date: day, secondOfDay: secondOfDay))
    }

    func instant(_ day: CalendarDate, secondOfDay: Int) -> TodoDate {
        .instant(instantTime(day, secondOfDay: secondOfDay))
    }
}
