public import Models

/// Moves a due date after a later start.
public enum DueAfterStart {
    /// A due date after this start; nil: the current one already is.
    ///
    /// A day becomes the day after the start. A time keeps its time of day: on the day of the start if that is late
    /// enough, otherwise on the next day.
    ///
    /// - Parameters:
    ///   - due: The current due date.
    ///   - start: The new start.
    ///   - timeZone: The zone that determines the day of a moment.
    /// - Returns: A date in the form of `due`.
    public static func moved(_ due: TodoDate, behind start: TodoDate, timeZone: String) -> TodoDate? {
        guard StartBeforeDue.fitted(start, due: due, zone: timeZone) == nil,
            let first = day(of: start, timeZone)
        else { return nil }
        let days = [first, first.adding(days: 1)]
        return days.lazy.compactMap { placed(due, on: $0, timeZone) }
            .first { StartBeforeDue.fitted(start, due: $0, zone: timeZone) != nil }
    }

    private static func day(of date: TodoDate, _ timeZone: String) -> CalendarDate? {
        switch date {
        case .date(let day): day
        case .instant(let instant): ZoneClock.local(at: instant, in: timeZone)?.date
        case .local(let local, zone: _): local.date
        }
    }

    private static func placed(_ due: TodoDate, on day: CalendarDate, _ timeZone: String) -> TodoDate? {
        switch due {
        case .date: return .date(day)
        case .instant(let instant):
            guard let local = ZoneClock.local(at: instant, in: timeZone) else { return nil }
            return ZoneClock.instant(
                of: LocalDateTime(date: day, secondOfDay: local.secondOfDay), in: timeZone
            ).map { .instant($0) }
        case .local(let local, let zone):
            return .local(LocalDateTime(date: day, secondOfDay: local.secondOfDay), zone: zone)
        }
    }
}
