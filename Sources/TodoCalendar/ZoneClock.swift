import Foundation
public import Models

/// Converts between wall-clock times and points in time, with the system's zone database.
public enum ZoneClock {
    /// The IANA name of a TZID: the TZID itself, the part after a vendor's prefix, or the zone of a Windows name.
    public static func name(of tzid: String) -> String? {
        ZoneName.known(tzid) { zone($0) != nil }
    }

    /// The point in time at which clocks in the zone show the reading; in a gap, as if the clock had not moved.
    public static func instant(of local: LocalDateTime, in tzid: String) -> Timestamp? {
        guard let zone = name(of: tzid).flatMap(zone) else { return nil }
        let reading = local.secondsSinceEpoch
        let guess = reading - offset(zone, at: reading)
        return Timestamp(seconds: reading - offset(zone, at: guess))
    }

    public static func local(at instant: Timestamp, in tzid: String) -> LocalDateTime? {
        guard let zone = name(of: tzid).flatMap(zone) else { return nil }
        return LocalDateTime(secondsSinceEpoch: instant.seconds + offset(zone, at: instant.seconds))
    }

    /// Whether two dates of a file mean the same: a program may have rewritten `TZID=` as UTC.
    public static func isSame(_ a: TodoDate?, _ b: TodoDate?) -> Bool {
        guard a != b, let a, let b else { return a == b }
        guard let first = instant(a), let second = instant(b) else { return false }
        return first == second
    }

    /// nil for a day and for a floating time.
    static func instant(_ date: TodoDate) -> Timestamp? {
        switch date {
        case .date, .local(_, zone: nil): nil
        case .instant(let instant): instant
        case .local(let local, zone: .some(let tzid)): instant(of: local, in: tzid)
        }
    }

    /// Seconds east of UTC at a moment; nil for a zone that the system does not have.
    static func offset(of tzid: String, at seconds: Int64) -> Int? {
        name(of: tzid).flatMap(zone).map { Int(offset($0, at: seconds)) }
    }

    private static func zone(_ name: String) -> TimeZone? {
        // Foundation also takes "GMT+2" and abbreviations, which mean different things to different programs.
        guard name.contains("/") || name == "UTC" else { return nil }
        return TimeZone(identifier: name)
    }

    private static func offset(_ zone: TimeZone, at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }
}
