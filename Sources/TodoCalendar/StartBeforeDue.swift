public import Models

/// DTSTART has the value type of DUE and is before it. RFC 5545 §3.8.2.3.
///
/// Other programs rely on this: at the next edit, todoman deletes a start that is not before the due date, and
/// Tasks.org ignores it.
public enum StartBeforeDue {
    /// The start in the value type of this due date; nil: it has none.
    ///
    /// `zone`: the zone that decides on which day a time is.
    public static func inForm(of due: TodoDate, _ start: TodoDate, zone: String) -> TodoDate? {
        converted(start, to: due, zone: zone)
    }

    /// The start in the value type of DUE; nil: it would not be before DUE.
    static func fitted(_ start: TodoDate, due: TodoDate?, zone: String?) -> TodoDate? {
        guard let due else { return start }
        guard let start = converted(start, to: due, zone: zone) else { return nil }
        return isBefore(start, due) ? start : nil
    }

    private static func converted(_ start: TodoDate, to due: TodoDate, zone: String?) -> TodoDate? {
        switch (due, start) {
        case (.date, .date), (.instant, .instant):
            return start
        case (.date, .instant(let instant)):
            let local =
                zone.flatMap { ZoneClock.local(at: instant, in: $0) }
                ?? LocalDateTime(secondsSinceEpoch: instant.seconds)
            return .date(local.date)
        case (.date, .local(let local, zone: _)):
            return .date(local.date)
        case (.instant, .date(let day)):
            let midnight = LocalDateTime(date: day, secondOfDay: 0)
            return .instant(
                zone.flatMap { ZoneClock.instant(of: midnight, in: $0) }
                    ?? Timestamp(seconds: midnight.secondsSinceEpoch))
        case (.instant, .local):
            return ZoneClock.instant(start).map { .instant($0) }
        case (.local(_, zone: let dueZone), .date(let day)):
            return .local(LocalDateTime(date: day, secondOfDay: 0), zone: dueZone)
        case (.local(_, zone: nil), .instant(let instant)):
            return zone.flatMap { ZoneClock.local(at: instant, in: $0) }.map { .local($0, zone: nil) }
        case (.local(_, zone: .some(let dueZone)), .instant(let instant)):
            return ZoneClock.local(at: instant, in: dueZone).map { .local($0, zone: dueZone) }
        case (.local(_, zone: nil), .local(let local, zone: _)):
            return .local(local, zone: nil)
        case (.local(_, zone: .some(let dueZone)), .local(let local, zone: nil)):
            return .local(local, zone: dueZone)
        case (.local, .local):
            return start
        }
    }

    /// Both have the same value type.
    private static func isBefore(_ start: TodoDate, _ due: TodoDate) -> Bool {
        if case .date(let first) = start, case .date(let second) = due { return first < second }
        if let first = ZoneClock.instant(start), let second = ZoneClock.instant(due) { return first < second }
        if case .local(let first, zone: _) = start, case .local(let second, zone: _) = due {
            return first < second
        }
        return false
    }
}
