import CLibical
import Models

/// Converts DATE and DATE-TIME values between libical's `icaltimetype` and opus's types. RFC 5545 §3.3.4, §3.3.5.
enum CalendarDates {
    /// The date of a property in its written form; nil: the day or hour does not exist. libical accepts such dates.
    static func date(of property: OpaquePointer) -> TodoDate? {
        guard let value = icalproperty_get_value(property) else { return nil }
        let kind = icalvalue_isa(value)
        guard kind == ICAL_DATE_VALUE || kind == ICAL_DATETIME_VALUE else { return nil }
        let tzid = Libical.take(icalproperty_get_parameter_as_string_r(property, "TZID"))
        return date(icalvalue_get_datetime(value), tzid: tzid.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// The same for a value without a property.
    static func date(_ time: icaltimetype, tzid: String?) -> TodoDate? {
        guard let (day, local) = reading(time) else { return nil }
        if time.is_date != 0 { return .date(day) }
        if icaltime_is_utc(time) != 0 { return .instant(Timestamp(seconds: local.secondsSinceEpoch)) }
        return .local(local, zone: tzid)
    }

    /// A time that libical computed from a `TodoDate`, in the form and zone of that date.
    static func date(_ time: icaltimetype, like form: TodoDate) -> TodoDate? {
        guard let (day, local) = reading(time) else { return nil }
        return switch form {
        case .date: .date(day)
        case .instant: .instant(Timestamp(seconds: local.secondsSinceEpoch))
        case .local(_, zone: let zone): .local(local, zone: zone)
        }
    }

    private static func reading(_ time: icaltimetype) -> (CalendarDate, LocalDateTime)? {
        guard
            let day = CalendarDate(year: Int(time.year), month: Int(time.month), day: Int(time.day)),
            (0...23).contains(time.hour), (0...59).contains(time.minute), (0...60).contains(time.second)
        else { return nil }
        let local = LocalDateTime(
            date: day, hour: Int(time.hour), minute: Int(time.minute), second: min(Int(time.second), 59))
        return (day, local)
    }

    /// COMPLETED and CREATED must be UTC. A day or a local time, which some programs write, is read as UTC.
    static func instant(_ date: TodoDate?) -> Timestamp? {
        switch date {
        case nil: nil
        case .instant(let instant): instant
        case .date(let day): Timestamp(seconds: day.daysSinceEpoch * 86_400)
        case .local(let local, zone: let zone):
            zone.flatMap { ZoneClock.instant(of: local, in: $0) }
                ?? Timestamp(seconds: local.secondsSinceEpoch)
        }
    }

    /// The value in basic format: `20260331`, `20260331T150000Z`, `20260331T150000`.
    static func time(_ date: TodoDate) -> icaltimetype {
        switch date {
        case .date(let day): icaltime_from_string(basic(day))
        case .instant(let instant): time(instant)
        case .local(let local, zone: _): icaltime_from_string(basic(local))
        }
    }

    static func time(_ instant: Timestamp) -> icaltimetype {
        icaltime_from_string(basic(LocalDateTime(secondsSinceEpoch: instant.seconds)) + "Z")
    }

    /// The day that the date names, in its own clock.
    static func day(_ date: TodoDate) -> CalendarDate {
        switch date {
        case .date(let day): day
        case .instant(let instant): LocalDateTime(secondsSinceEpoch: instant.seconds).date
        case .local(let local, zone: _): local.date
        }
    }

    static func tzid(_ date: TodoDate) -> String? {
        switch date {
        case .date, .instant: nil
        case .local(_, zone: let zone): zone
        }
    }

    private static func basic(_ day: CalendarDate) -> String { day.description.filter { $0 != "-" } }

    static func basic(_ local: LocalDateTime) -> String {
        basic(local.date) + "T" + local.clock.filter { $0 != ":" }
    }
}
